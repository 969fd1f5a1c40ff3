import type { Feature, Platform } from '../../core/feature.ts';
import { packAlertEvents } from '../../domain/alertEvents.pack.ts';
import { vacuumRecent } from '../../domain/events/merge.ts';
import { alertsRoutes } from './alerts.routes.ts';
import { type AlertsService, createAlertsService } from './alerts.service.ts';

/** Of each minute. */
const packMs = 40_000;

export function registerAlerts(platform: Platform): Feature<AlertsService> {
  const { db, clock } = platform;
  const service = createAlertsService(platform);
  let vacuumsDue = 0;
  return {
    service,
    routes: (serving) => alertsRoutes(serving, service),
    closers: [() => service.close()],
    jobs: [
      {
        name: 'alerts.packEvents',
        cron: '* * * * *',
        run: async () => {
          // Twice, as after a merge of blocks.
          if ((await packAlertEvents(db, clock.now(), packMs)) > 0) vacuumsDue = 2;
          if (vacuumsDue > 0 && (await vacuumRecent(db, 'alert_events_recent'))) vacuumsDue--;
        },
      },
    ],
  };
}
