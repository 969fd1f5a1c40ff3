import type { Feature, Platform } from '../../core/feature.ts';
import { mergeBlocks, packRows, vacuumRecent } from '../../domain/events/merge.ts';
import { onCorruptBlock } from '../../domain/events/openBlocks.ts';
import { eventsRoutes } from './events.routes.ts';
import { createEventsService, type EventsService } from './events.service.ts';

/** Of each minute, for rows of the table before blocks. */
const packMs = 45_000;

export function registerEvents({ db, clock, config, log }: Platform): Feature<EventsService> {
  const service = createEventsService({ db, clock, eventRetentionDays: config.eventRetentionDays });
  onCorruptBlock(({ id, organisationId, firstAt, lastAt, count }, error) =>
    log.error(
      { err: error, block: id, organisationId, from: new Date(firstAt), to: new Date(lastAt), events: count },
      'a block of events is corrupt and was left out; restore it from a backup',
    ),
  );
  let vacuumsDue = 0;
  return {
    service,
    routes: (serving) => eventsRoutes(serving, service),
    jobs: [
      {
        name: 'events.merge',
        cron: '* * * * *',
        run: async () => {
          // Twice: a transaction that began before the merge makes the first one leave the room.
          if ((await mergeBlocks(db, clock.now())) > 0) vacuumsDue = 2;
          if (vacuumsDue > 0) await vacuumRecent(db);
          vacuumsDue = Math.max(0, vacuumsDue - 1);
        },
      },
      {
        name: 'events.pack',
        cron: '* * * * *',
        run: async () => {
          const packed = await packRows(db, packMs);
          if (packed > 0) log.info({ packed }, 'packed rows of events into blocks');
        },
      },
    ],
  };
}
