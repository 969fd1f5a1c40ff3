import type { Feature, Platform } from '../../core/feature.ts';
import { clickHouse } from '../../domain/events/clickhouse/connected.ts';
import { adoptMoves, cleanMoves, moveBlocks, readMoveState, trimJournal } from '../../domain/events/clickhouse/move.ts';
import { prepareClickHouse } from '../../domain/events/clickhouse/schema.ts';
import { mergeBlocks, packRows } from '../../domain/events/merge.ts';
import { onCorruptBlock } from '../../domain/events/openBlocks.ts';
import { returnRoom } from '../../domain/events/room.ts';
import { moveGauges } from './events.metrics.ts';
import { eventsRoutes } from './events.routes.ts';
import { createEventsService, type EventsService } from './events.service.ts';
import { createExportsService } from './exports.service.ts';
import { type ActorNow, createExportWorker, startExportWorker } from './exports.worker.ts';

// For the composition of the application; other features receive them as arguments.
export { exportKey } from './exports.service.ts';

/** Of each minute, for rows of the table before blocks. */
const packMs = 45_000;

/** Of each minute, for events that go to ClickHouse. */
const moveMs = 50_000;

/** Of each minute, for the room of merged blocks. */
const roomMs = 30_000;

export function registerEvents(deps: Platform & { actorNow: ActorNow }): Feature<EventsService> {
  const { db, bus, clock, config, log, metrics } = deps;
  const service = createEventsService({ db, clock, log, eventRetentionDays: config.eventRetentionDays });
  const exports = createExportsService(deps);
  const worker = createExportWorker(deps);
  onCorruptBlock(({ id, organisationId, firstAt, lastAt, count }, error) =>
    log.error(
      { err: error, block: id, organisationId, from: new Date(firstAt), to: new Date(lastAt), events: count },
      'a block of events is corrupt and was left out; restore it from a backup',
    ),
  );
  const moveStateRead = moveGauges(metrics, clock);
  const closing = new AbortController();
  let isRoomDue = false;
  let isPrepared = false;
  const move = async () => {
    const connection = clickHouse();
    if (!connection) return;
    try {
      if (!isPrepared) {
        await prepareClickHouse(connection);
        const lost = await adoptMoves(db, connection, clock.now());
        if (lost > 0)
          log.warn({ moves: lost }, 'ClickHouse has events of after the restored database; they are hidden and deleted');
      }
      isPrepared = true;
      const moved = await moveBlocks(db, connection, clock.now(), moveMs);
      await cleanMoves(db, connection, clock.now());
      await trimJournal(db, clock.now());
      if (moved > 0) log.info({ moved }, 'moved events to ClickHouse');
    } finally {
      moveStateRead(await readMoveState(db));
    }
  };
  return {
    service,
    routes: (serving) => eventsRoutes(serving, service, exports),
    closers: [service.close],
    workers: [() => startExportWorker(bus, worker, log), () => () => closing.abort()],
    jobs: [
      { name: 'events.export', cron: '* * * * *', run: worker.run },
      { name: 'events.sweepExports', cron: '*/10 * * * *', run: worker.sweep },
      {
        name: 'events.merge',
        cron: '* * * * *',
        run: async () => {
          if ((await mergeBlocks(db, clock.now())) > 0) isRoomDue = true;
          if (isRoomDue) isRoomDue = !(await returnRoom(db, 'event_blocks_recent', { timeMs: roomMs, signal: closing.signal }));
        },
      },
      ...(config.clickHouse ? [{ name: 'events.move', cron: '* * * * *', run: move }] : []),
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
