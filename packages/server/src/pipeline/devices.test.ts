import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
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
  second,
  setUpEventWriter,
} from '../../test/event-writer.ts';
import { systemClock } from '../core/clock.ts';
import type { Database } from '../core/db/connect.ts';
import { silentLog } from '../core/log.ts';
import { addDeviceDays } from '../domain/deviceCounts.ts';
import { createDeviceRegister } from './devices.ts';
import type { Event } from './event.ts';
import { createEventWriter } from './event-writer.ts';

setUpEventWriter();

const processOn = (db: Database) => {
  const devices = createDeviceRegister();
  const eventWriter = createEventWriter({ db, clock: systemClock, detector, devices, groupingWindowMs: hourMs, log: silentLog });
  return { devices, writeBatch: (...events: Event[]) => eventWriter.writeBatch(batch(events)), flush: () => devices.flush(db) };
};
const hoursOf = async () =>
  (
    await inOrganisation((tx) =>
      sql<{ name: string; at: string; events: number }>`
        select d.name, to_char(h.hour at time zone 'UTC', 'MM-DD HH24') as at, h.events from device_hours h join devices d on d.id = h.device_id
        order by 1, 2`.execute(tx),
    )
  ).rows.map(({ name, at, events }) => `${name} ${at} ${events}`);
const daysOf = async () =>
  (
    await inOrganisation((tx) =>
      sql<{ day: string; type: string; devices: number }>`
        select day::text as day, device_type as type, devices from device_day_counts order by 1, 2`.execute(tx),
    )
  ).rows.map(({ day, type, devices }) => `${day} ${type} ${devices}`);
const versionsOf = async () =>
  (
    await inOrganisation((tx) =>
      sql<{ name: string; version: string }>`
        select d.name, v.version from device_versions v join devices d on d.id = v.device_id order by v.seen_at, v.id`.execute(
        tx,
      ),
    )
  ).rows.map(({ name, version }) => `${name} ${version}`);
const merge = (duplicate: string, target: string | null) =>
  inOrganisation((tx) =>
    sql`update devices set merged_into = (select id from devices where name = ${target} and organisation_id = ${organisationId})
      where name = ${duplicate}`.execute(tx),
  );

describe('the device register', () => {
  test('counts each stored event once by device and hour, and each device once a day', async () => {
    const { writeBatch, flush } = processOn(database.db);
    const twice = event({ device: 'a', seed: `twice ${organisationId}` });
    await writeBatch(
      event({ device: 'a' }),
      twice,
      event({ device: 'a', at: noon - 2 * minuteMs }),
      event({ device: 'b', at: noon - 13 * hourMs }),
      event({ device: null }),
    );
    await writeBatch(twice, event({ device: 'a', at: noon + minuteMs }));
    expect(await hoursOf()).toEqual([]);
    await flush();
    await flush();
    expect(await hoursOf()).toEqual(['a 03-10 11 1', 'a 03-10 12 3', 'b 03-09 23 1']);
    expect(await daysOf()).toEqual(['2026-03-09 server 1', '2026-03-10 server 1']);
  });

  test('adds up the counts of several processes and counts a device once a day', async () => {
    const processes = [processOn(database.db), processOn(second)];
    for (let round = 0; round < 3; round++)
      await Promise.all(
        processes.map(async ({ writeBatch, flush }) => {
          await writeBatch(...['a', 'b', 'c'].map((device) => event({ device })));
          await flush();
        }),
      );
    expect(await hoursOf()).toEqual(['a 03-10 12 6', 'b 03-10 12 6', 'c 03-10 12 6']);
    expect(await daysOf()).toEqual(['2026-03-10 server 3']);
  });

  test('keeps unwritten counts for the next flush', async () => {
    const { writeBatch, flush, devices } = processOn(database.db);
    await writeBatch(event({ device: 'a' }));
    const away = { ...database.db, pool: { connect: () => Promise.reject(new Error('away')) } } as unknown as Database;
    await expect(devices.flush(away)).rejects.toThrow('away');
    await writeBatch(event({ device: 'a' }));
    await flush();
    expect(await hoursOf()).toEqual(['a 03-10 12 2']);
  });

  test('counts a merged device for its target, which shows its newest event and version', async () => {
    const { writeBatch, flush } = processOn(database.db);
    await writeBatch(event({ device: 'new', at: noon - dayMs }), event({ device: 'old', at: noon - dayMs }));
    await merge('old', 'new');
    await writeBatch(event({ device: 'old', document: { agent: { type: 'filebeat', version: '8.2.0' } } }));
    await flush();
    expect(await hoursOf()).toEqual(['new 03-09 12 2', 'new 03-10 12 1']);
    expect(await daysOf()).toEqual(['2026-03-09 server 1', '2026-03-10 server 1']);
    const target = await inOrganisation((tx) =>
      tx.selectFrom('devices').select(['last_event_at', 'agent_version']).where('name', '=', 'new').executeTakeFirst(),
    );
    expect(target).toEqual({ last_event_at: new Date(noon), agent_version: 'filebeat 8.2.0' });
    expect(await versionsOf()).toEqual(['new filebeat 8.2.0']);
    await merge('old', null);
    await writeBatch(event({ device: 'old', at: noon + hourMs }));
    await flush();
    expect(await hoursOf()).toContain('old 03-10 13 1');
  });

  test('writes a row for each change of version, by collector', async () => {
    const { writeBatch } = processOn(database.db);
    const fromAgent = (minutes: number, type: string, version: string) =>
      event({ device: 'a', at: noon + minutes * minuteMs, document: { agent: { type, version } } });
    await writeBatch(fromAgent(0, 'filebeat', '8.1.0'));
    await writeBatch(fromAgent(1, 'auditbeat', '8.1.0'));
    await writeBatch(fromAgent(2, 'filebeat', '8.1.0'), fromAgent(3, 'auditbeat', '8.1.0'));
    await writeBatch(fromAgent(4, 'filebeat', '8.2.0'));
    // A second process with an empty register.
    await processOn(second).writeBatch(fromAgent(5, 'filebeat', '8.2.0'));
    await writeBatch(fromAgent(6, 'filebeat', '8.1.0'));
    expect(await versionsOf()).toEqual(['a filebeat 8.1.0', 'a auditbeat 8.1.0', 'a filebeat 8.2.0', 'a filebeat 8.1.0']);
  });

  test('ignores the portal’s own events about a device', async () => {
    const { writeBatch, flush } = processOn(database.db);
    const own = event({ device: 'ghost' });
    own.arrival.isPortals = true;
    await writeBatch(own);
    await flush();
    expect(await inOrganisation((tx) => tx.selectFrom('devices').select('name').execute())).toEqual([]);
    expect(await hoursOf()).toEqual([]);
  });

  test('counts check-ins as a day for existing devices of this organisation only', async () => {
    const { writeBatch, flush } = processOn(database.db);
    await writeBatch(event({ device: 'a' }));
    await flush();
    const checkIns = [
      { name: 'a', at: noon },
      { name: 'a', at: noon - dayMs },
      { name: 'unregistered', at: noon },
    ];
    await inOrganisation((tx) => addDeviceDays(tx, organisationId, checkIns));
    await inOrganisation((tx) => addDeviceDays(tx, organisationId, checkIns));
    expect(await daysOf()).toEqual(['2026-03-09 server 1', '2026-03-10 server 1']);
    await expect(inOrganisation((tx) => addDeviceDays(tx, organisationId + 10_000, checkIns))).resolves.toBeUndefined();
    expect(await daysOf()).toHaveLength(2);
  });
});
