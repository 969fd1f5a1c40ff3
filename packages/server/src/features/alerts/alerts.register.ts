import type { Feature, Platform } from '../../core/feature.ts';
import { alertsRoutes } from './alerts.routes.ts';
import { type AlertsService, createAlertsService } from './alerts.service.ts';

export function registerAlerts({ db, bus, log }: Platform): Feature<AlertsService> {
  const service = createAlertsService({ db, bus, log });
  return { service, routes: (serving) => alertsRoutes(serving, service), closers: [() => service.close()] };
}
