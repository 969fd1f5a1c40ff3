import type { Feature, Platform } from '../../core/feature.ts';
import { alertsRoutes } from './alerts.routes.ts';
import { type AlertsService, createAlertsService } from './alerts.service.ts';

export function registerAlerts(platform: Platform): Feature<AlertsService> {
  const service = createAlertsService(platform);
  return { service, routes: (serving) => alertsRoutes(serving, service), closers: [() => service.close()] };
}
