import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { csvType } from '../../core/csv.ts';
import { openEventStream } from '../../core/http/event-stream.ts';
import { hasSameAccess } from '../../core/http/live-streams.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AlertsService } from './alerts.service.ts';

export function alertsRoutes(serving: Serving, alerts: AlertsService): void {
  serve(serving, alertsApi.list, ({ actor, params, query }) =>
    alerts.list(actor, params.client, params.start, params.end, query),
  );
  serve(serving, alertsApi.exportList, async ({ actor, params, query }) => ({
    type: csvType,
    bytes: await alerts.exportList(actor, params.client, params.start, params.end, query),
    downloadName: 'alerts.csv',
  }));
  serve(serving, casesApi.markSeen, ({ actor, body }) => alerts.mark(actor, body, false));
  serve(serving, casesApi.markUnseen, ({ actor, body }) => alerts.mark(actor, body, true));
  serve(serving, alertsApi.filters, ({ actor, params, query }) => alerts.filters(actor, params.client, query));
  serve(serving, alertsApi.ruleNames, ({ actor, query }) =>
    alerts.ruleNames(actor, query.selectedClientOrganizationId, query.start, query.end),
  );
  serve(serving, alertsApi.detail, ({ actor, params }) => alerts.detail(actor, params.alertId));
  serve(serving, alertsApi.ofEvent, ({ actor, params }) => alerts.ofEvent(actor, params));
  serve(serving, alertsApi.live, async ({ actor, params, query, request, reply }) => {
    await alerts.follow(actor, params.client, {
      // The header is the more recent one: a resuming reader sends it along with its first address.
      after: cursorOf(request.headers['last-event-id']) ?? query.after,
      open: () => openEventStream(reply),
      stillAllowed: hasSameAccess(serving.identify, request, alertsApi.live.allow, actor, params.client),
    });
  });
  serving.app.addHook('preClose', async () => alerts.closeStreams());
}

const cursorOf = (header: string | string[] | undefined): number | undefined => {
  const cursor = typeof header === 'string' && /^\d{1,10}$/.test(header) ? Number(header) : undefined;
  return cursor !== undefined && cursor <= maxId ? cursor : undefined;
};
