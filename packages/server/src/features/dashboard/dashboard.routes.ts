import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { DashboardService } from './dashboard.service.ts';

export function dashboardRoutes(serving: Serving, dashboard: DashboardService): void {
  serve(serving, dashboardApi.alertsByType, ({ actor, params }) =>
    dashboard.alertsByType(actor, params.client, params.start, params.end),
  );
  serve(serving, dashboardApi.overview, ({ actor, params }) =>
    dashboard.overview(actor, params.client, params.start, params.end),
  );
  serve(serving, dashboardApi.summary, ({ actor, params }) => dashboard.summary(actor, params.client, params.start, params.end));
  serve(serving, dashboardApi.clients, ({ actor, params }) => dashboard.clients(actor, params.start, params.end));
  serve(serving, dashboardApi.alertsOverTime, ({ actor, params, query }) =>
    dashboard.alertsOverTime(actor, params.client, params.start, params.end, query.timeZone),
  );
}
