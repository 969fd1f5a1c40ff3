import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  batch,
  database,
  detector,
  event,
  inOrganisation,
  noon,
  organisationId,
  setUpEventWriter,
} from '../../test/event-writer.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createDeviceRegister } from './devices.ts';
import type { Event } from './event.ts';
import { createEventWriter } from './event-writer.ts';

setUpEventWriter();

const sourcesOf = () =>
  inOrganisation((tx) =>
    sql<{ text: string }>`select d.name || ' ' || s.log_source || ' ' || to_char(s.last_at at time zone 'UTC', 'HH24:MI') as text
      from device_sources s join devices d on d.id = s.device_id order by 1`.execute(tx),
  ).then(({ rows }) => rows.map(({ text }) => text).sort());
const processOn = (names: (document: unknown) => string[]) => {
  const devices = createDeviceRegister(names);
  const eventWriter = createEventWriter({
    db: database.db,
    clock: systemClock,
    detector,
    devices,
    groupingWindowMs: hourMs,
    log: silentLog,
  });
  return { writeBatch: (...events: Event[]) => eventWriter.writeBatch(batch(events)), flush: () => devices.flush(database.db) };
};

describe('createSourceRegister', () => {
  test('records log sources by rule name with the newest time, ignoring the portal’s own events', async () => {
    const { writeBatch, flush } = processOn(() => ['linux / sshd', 'linux']);
    const own = event({ device: 'web02', at: noon });
    await writeBatch(
      event({ device: 'web01', at: noon + 5 * minuteMs }),
      event({ device: 'web01', at: noon }),
      event({ device: null }),
      {
        ...own,
        arrival: { ...own.arrival, isPortals: true },
      },
    );
    expect(await sourcesOf()).toEqual([]);
    await flush();
    expect(await sourcesOf()).toEqual(['web01 linux / sshd 12:05', 'web01 linux 12:05']);
  });

  test('writes again after an hour, not before, and never backwards', async () => {
    const { writeBatch, flush } = processOn(() => ['linux']);
    for (const [at, seen] of [
      [noon, '12:00'],
      [noon + 50 * minuteMs, '12:00'],
      [noon + 61 * minuteMs, '13:01'],
    ] as const) {
      await writeBatch(event({ device: 'web01', at }));
      await flush();
      expect(await sourcesOf()).toEqual([`web01 linux ${seen}`]);
    }
    const other = processOn(() => ['linux']);
    await other.writeBatch(event({ device: 'web01', at: noon - 2 * hourMs }));
    await other.flush();
    expect(await sourcesOf()).toEqual(['web01 linux 13:01']);
  });

  test('counts for the device that a duplicate was merged into', async () => {
    const { writeBatch, flush } = processOn(() => ['linux']);
    await writeBatch(event({ device: 'web01' }), event({ device: 'web01.example' }));
    await inOrganisation((tx) =>
      sql`update devices set merged_into = (select id from devices where name = 'web01' and organisation_id = ${organisationId})
        where name = 'web01.example' and organisation_id = ${organisationId}`.execute(tx),
    );
    await flush();
    expect(await sourcesOf()).toEqual(['web01 linux 12:00']);
  });

  test('records no source for an unidentified shape', () => {
    expect(detector.sourcesOf({ message: 'something unrecognisable' })).toEqual([]);
  });
});
