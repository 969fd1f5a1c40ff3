import type { Feature, Platform } from '../../core/feature.ts';
import { packAlertEvents } from '../../domain/alertEvents.pack.ts';
import { returnRoom } from '../../domain/events/room.ts';
import { alertsRoutes } from './alerts.routes.ts';
import { type AlertsService, createAlertsService } from './alerts.service.ts';

/** Of each minute. */
const packMs = 40_000;
/** The same for the room that packed copies leave. */
const roomMs = 10_000;

export function registerAlerts(platform: Platform): Feature<AlertsService> {
  const { db, clock } = platform;
  const service = createAlertsService(platform);
  const closing = new AbortController();
  let isRoomDue = false;
  return {
    service,
    routes: (serving) => alertsRoutes(serving, service),
    closers: [() => service.close()],
    workers: [() => () => closing.abort()],
    jobs: [
      {
        name: 'alerts.packEvents',
        cron: '* * * * *',
        run: async () => {
          const toRoom = { timeMs: roomMs, signal: closing.signal };
          if ((await packAlertEvents(db, clock.now(), packMs)) > 0) isRoomDue = true;
          if (isRoomDue) isRoomDue = !(await returnRoom(db, 'alert_events_recent', toRoom));
          if (!isRoomDue || closing.signal.aborted) return;
          // A few copies that would wait may lie at the end of the file and hold the room of all before them.
          await packAlertEvents(db, clock.now(), packMs, 1);
          isRoomDue = !(await returnRoom(db, 'alert_events_recent', toRoom));
        },
      },
    ],
  };
}
