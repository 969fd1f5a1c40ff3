import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { builtInOf } from '../../../test/rules.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { addDeviceHours } from '../../domain/deviceCounts.ts';
import { createDetector, type Detector } from '../../pipeline/detector.ts';
import { createDeviceRegister, type DeviceRegister } from '../../pipeline/devices.ts';
import { createEventWriter } from '../../pipeline/event-writer.ts';
import { createIngestService, type IngestService } from '../ingest/ingest.service.ts';
import { createSilenceService, type SilenceService } from './silence.service.ts';

/** A Tuesday, 10:00 UTC. */
const begin = Date.parse('2026-03-10T10:00:00Z');

const database = useTestDatabase({ poolSize: 6 });
let detector: Detector;
let devices: DeviceRegister;
let ingest: IngestService;
let silence: SilenceService;
let organisationId = 500;
const clock = movableClock(begin);

const own = <T>(read: (tx: Tx) => Promise<T>) => scoped(database.db, { organisationIds: [organisationId] }, read);
const send = (name: string, more: object = {}) =>
  ingest.take(organisationId, [
    {
      raw: JSON.stringify({
        '@timestamp': new Date(clock.now()).toISOString(),
        message: `hello ${Math.random()}`,
        host: { name },
        ...more,
      }),
      index: 'logs',
      documentId: undefined,
      receivedAt: clock.now(),
    },
  ]);
/** Four weeks with this many events per hour, and an event now. */
async function known(name: string, events: (hour: number) => number = () => 100, type = 'server'): Promise<void> {
  await send(name);
  await devices.flush(database.db);
  await own(async (tx) => {
    await tx.updateTable('devices').set({ device_type: type }).where('name', '=', name).execute();
    const rows = [];
    for (let hour = begin - 28 * dayMs; hour < begin; hour += hourMs)
      if (events(hour) > 0) rows.push({ organisationId, name, hour, events: events(hour) });
    await addDeviceHours(tx, rows);
  });
}
const watch = async (at: number) => {
  clock.moveTo(at);
  await silence.watch(organisationId);
};
const alerts = () =>
  own((tx) =>
    tx
      .selectFrom('alerts')
      .innerJoin('rules', 'rules.id', 'alerts.rule_id')
      .select(['alerts.device_name as device', 'rules.category', 'alerts.fire_count as times', 'alerts.summary'])
      .orderBy('alerts.id')
      .execute(),
  );
const silences = () =>
  own((tx) => tx.selectFrom('device_silences').select(['since', 'told_at', 'ended_at']).orderBy('id').execute());
const device = (name: string) =>
  own((tx) =>
    tx
      .selectFrom('devices')
      .select(['silent_since', 'stale_at', 'silent_at', 'last_event_at'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow(),
  );

beforeAll(async () => {
  detector = await createDetector({
    db: database.db,
    builtIn: await builtInOf(),
  });
  devices = createDeviceRegister();
  ingest = createIngestService({
    eventWriter: createEventWriter({ db: database.db, clock, detector, devices, groupingWindowMs: hourMs, log: silentLog }),
    detector,
    clock,
    eventRetentionMs: 30 * dayMs,
    counted: () => {},
  });
  silence = createSilenceService({ db: database.db, clock, take: ingest.take, log: silentLog });
  await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-02-01', '2026-05-01')`.execute(tx));
});
beforeEach(async () => {
  organisationId++;
  clock.moveTo(begin);
  await scoped(database.db, 'system', async (tx) => {
    await tx
      .insertInto('organisations')
      .values({ id: organisationId, name: `Organisation ${organisationId}` })
      .execute();
  });
});

describe('a source dead for 30 days', () => {
  test.each([
    ['without a baseline', () => 0],
    ['with one event a week', (hour: number) => (hour % (7 * dayMs) === 0 ? 1 : 0)],
  ])('is silent %s, with the alert and no date in the future', async (name, events) => {
    await known(`dead ${name}`, events);
    await watch(begin + hourMs);
    await watch(begin + 30 * dayMs);
    const { silent_since, silent_at, last_event_at } = await device(`dead ${name}`);
    expect(silent_since).toEqual(last_event_at);
    expect(silent_at!.getTime()).toBeLessThanOrEqual(begin + 28 * dayMs);
    expect(await alerts()).toMatchObject([{ device: `dead ${name}`, category: 'Service Interruption' }]);
  });
});

describe('a silent source', () => {
  test('raises one alert of service interruption through the intake, with the expected events, and ends on return', async () => {
    await known('web-1');
    await watch(begin + 45 * minuteMs);
    expect(await alerts()).toEqual([]);
    expect((await device('web-1')).stale_at!.getTime()).toBeLessThan(begin + hourMs);

    await watch(begin + 3 * hourMs);
    await watch(begin + 3 * hourMs + 5 * minuteMs);
    expect(await alerts()).toEqual([
      {
        device: 'web-1',
        category: 'Service Interruption',
        times: 1,
        summary: 'web-1 has sent nothing since 2026-03-10 10:00 UTC, for 3 hours. About 300 events were to be expected.',
      },
    ]);
    expect(await silences()).toEqual([{ since: new Date(begin), told_at: new Date(begin + 3 * hourMs), ended_at: null }]);
    // The portal’s own event about it is no activity.
    expect(await device('web-1')).toMatchObject({ silent_since: new Date(begin), last_event_at: new Date(begin) });

    clock.moveTo(begin + 7 * hourMs);
    await send('web-1');
    await watch(begin + 7 * hourMs + minuteMs);
    expect(await device('web-1')).toMatchObject({ silent_since: null });
    expect((await silences())[0]!.ended_at).toEqual(new Date(begin + 7 * hourMs));
    expect(await alerts()).toHaveLength(1);
    const texts = (await own((tx) => eventRows(tx))).flatMap(({ text }) => (text.includes('sends events again') ? [text] : []));
    expect(texts).toEqual(['web-1 sends events again, after 7 hours of silence.']);

    await watch(begin + 12 * hourMs);
    expect((await alerts()).length).toBe(2);
    expect(await silences()).toHaveLength(2);
  });

  test('counts as one outage with others: one alert that names them, and an event for each device', async () => {
    const names = Array.from({ length: 22 }, (_, n) => `site-${String(n).padStart(2, '0')}`);
    for (const name of names) await known(name);
    await known('elsewhere');
    for (let at = begin; at < begin + 2 * hourMs; at += 5 * minuteMs) {
      clock.moveTo(at);
      await send('elsewhere');
      await devices.flush(database.db);
    }
    await watch(begin + 2 * hourMs);
    const raised = await alerts();
    expect(raised).toHaveLength(1);
    expect(raised[0]).toMatchObject({ device: null, category: 'Service Interruption' });
    const event = (await own((tx) => eventRows(tx))).find((row) => row.device_name === null);
    expect(JSON.stringify(event?.document)).toMatch(
      /22 sources fell silent together, the first at 2026-03-10 10:00 UTC: site-00, .*site-19 and 2 more\./,
    );
    for (const name of names) expect((await device(name)).silent_at).not.toBeNull();
    expect(await silences()).toHaveLength(22);
    await watch(begin + 2 * hourMs + 5 * minuteMs);
    expect(await alerts()).toEqual(raised);
  });

  test('excludes sources off at night, unknown, merged or of a closed organisation', async () => {
    const isDay = (hour: number) => new Date(hour).getUTCHours() >= 8 && new Date(hour).getUTCHours() < 11;
    await known('laptop', (hour) => (isDay(hour) ? 100 : 0), 'workstation');
    await send('fresh');
    await known('double');
    await own((tx) =>
      sql`update devices set merged_into = (select id from devices where name = 'laptop') where name = 'double'`.execute(tx),
    );
    await watch(begin + 21 * hourMs);
    expect(await alerts()).toEqual([]);
    await watch(begin + 25 * hourMs);
    expect((await device('fresh')).stale_at).toEqual(new Date(begin + dayMs));
    expect(await alerts()).toEqual([]);

    await known('closed');
    await scoped(database.db, 'system', (tx) =>
      tx
        .updateTable('organisations')
        .set({ deactivated_at: new Date(begin) })
        .where('id', '=', organisationId)
        .execute(),
    );
    await watch(begin + 20 * dayMs);
    expect(await alerts()).toEqual([]);
  });

  test('reports once across concurrent workers, and retries in the next run after a failure', async () => {
    await known('web-1');
    await known('web-2');
    clock.moveTo(begin + 3 * hourMs);
    const broken = createSilenceService({
      db: database.db,
      clock,
      take: () => Promise.reject(new Error('no room')),
      log: silentLog,
    });
    await broken.watch(organisationId);
    expect(await alerts()).toEqual([]);
    expect((await silences()).map(({ told_at }) => told_at)).toEqual([null, null]);
    await Promise.all([1, 2, 3, 4].map(() => silence.watch(organisationId)));
    expect((await alerts()).map(({ device, times }) => [device, times]).sort()).toEqual([
      ['web-1', 1],
      ['web-2', 1],
    ]);
  });

  test('goes unreported after downtime of the portal: shippers get an hour to reconnect', async () => {
    await known('web-1');
    clock.moveTo(begin + minuteMs);
    await silence.watch();
    for (const hours of [6, 6.5, 6.9]) {
      clock.moveTo(begin + hours * hourMs);
      await silence.watch();
      expect(await alerts(), `${hours}`).toEqual([]);
    }
    // It was back at 6 and watched since.
    for (const hours of [6.95, 7.1]) {
      clock.moveTo(begin + hours * hourMs);
      await silence.watch();
    }
    expect(await alerts()).toHaveLength(1);
  });
});

describe('events reserved for the portal', () => {
  const forged = {
    logsource: { product: 'portal', service: 'silence' },
    event: { dataset: 'portal.silence', action: 'source-silent' },
  };

  test.each([
    ['as it is', forged],
    ['with dots', { 'event.dataset': 'portal.silence', 'event.action': 'source-silent' }],
    ['in capitals', { event: { dataset: ' Portal.Silence', action: 'source-silent' } }],
    ['in a list', { event: { dataset: ['x', 'portal.silence'], action: 'source-silent' } }],
  ])('become dead letters when a shipper sends %s', async (_how, document) => {
    expect(await send('victim', document)).toEqual([expect.objectContaining({ kind: 'dead', reason: 'reserved' })]);
    expect(await alerts()).toEqual([]);
    const letters = await own((tx) => tx.selectFrom('dead_letters').select(['step', 'reason']).execute());
    expect(letters).toEqual([{ step: 'reserve', reason: 'reserved' }]);
  });

  test('raise nothing in any other disguise', async () => {
    for (const document of [
      { Event: { Dataset: 'portal.silence', Action: 'source-silent' } },
      { event: { DATASET: 'portal.silence', action: 'source-silent' } },
      { event: { dataset: { toString: 'portal.silence' }, action: 'source-silent' } },
      { logsource: forged.logsource, event: { action: 'source-silent', dataset: 'portal\u200b.silence' } },
    ])
      await send('victim', document);
    expect(await alerts()).toEqual([]);
  });

  test('match their rule only from the portal', () => {
    expect(detector.match(forged).map(({ title }) => title)).toEqual([]);
    expect(detector.match(forged, true).map(({ title }) => title)).toEqual(['Data Source Silent']);
  });
});
