/** The write path on a real database: what is stored once, raised once and counted right, whoever else writes at the same time. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { systemClock } from '../core/clock.ts';
import { connect, type Database } from '../core/db/connect.ts';
import { scoped } from '../core/db/scope.ts';
import { silentLog } from '../core/log.ts';
import { createDetector, type Detector } from './detector.ts';
import { createDeviceRegister } from './devices.ts';
import type { Document, Event } from './event.ts';
import { type Batch, createKeeper, type DeadLetter, type Keeper } from './keep.ts';

const minute = 60_000;
const hour = 60 * minute;
const rule = (name: string, level: string) => `title: ${name}
id: ${name}
name: ${name}
logsource:
  product: linux
detection:
  selection:
    action: ${name}
  condition: selection
level: ${level}
`;
const correlation = (name: string, body: string) => `title: ${name}
id: ${name}
name: ${name}
correlation:
${body
  .trim()
  .split('\n')
  .map((line) => `  ${line.trimEnd()}`)
  .join('\n')}
level: high
`;
const ruleFiles = {
  plain: rule('plain', 'medium'),
  other: rule('other', 'critical'),
  failed: rule('failed', 'low'),
  rare: rule('rare', 'low'),
  accepted: rule('accepted', 'low'),
  burst: correlation(
    'burst',
    'type: event_count\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  gte: 10',
  ),
  spray: correlation(
    'spray',
    'type: value_count\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  field: user.name\n  gte: 4',
  ),
  first: correlation(
    'first',
    'type: event_count\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  gte: 10',
  ),
  taken: correlation('taken', 'type: temporal_ordered\nrules:\n  - first\n  - accepted\ngroup-by:\n  - source.ip\ntimespan: 15m'),
  few: correlation('few', 'type: event_count\nrules:\n  - rare\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  lte: 2'),
};

let database: TestDatabase;
let second: Database;
let rulesDir: string;
let detector: Detector;
let keeper: Keeper;
let otherProcess: Keeper;
let organisationId = 100;

const keeperOn = (db: Database, foldWindowMs = hour) =>
  createKeeper({ db, clock: systemClock, detector, devices: createDeviceRegister(), foldWindowMs, log: silentLog });

beforeAll(async () => {
  database = await testDatabase({ poolSize: 6 });
  second = connect({ url: database.url, applicationName: 'test', poolSize: 6 });
  rulesDir = await mkdtemp(join(tmpdir(), 'parapet-rules-'));
  for (const [name, text] of Object.entries(ruleFiles)) await writeFile(join(rulesDir, `${name}.yml`), text);
  detector = await createDetector({ db: database.db, rulesDir });
  expect(detector.faults).toEqual([]);
  keeper = keeperOn(database.db);
  otherProcess = keeperOn(second);
  await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-01-01', '2026-04-01')`.execute(tx));
});
afterAll(async () => {
  await second.close();
  await database.close();
  await rm(rulesDir, { recursive: true });
});
beforeEach(async () => {
  organisationId++;
  await scoped(database.db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values({ id: organisationId, name: `Organisation ${organisationId}`, is_partner: false, parent_id: null })
      .execute(),
  );
});

const noon = Date.parse('2026-03-10T12:00:00Z');
let made = 0;

interface Made {
  at?: number;
  rules?: string[];
  /** null: none. */
  device?: string | null;
  user?: string | null;
  ip?: string;
  document?: Document;
  seed?: string;
  organisationId?: number;
  hasOwnTime?: boolean;
}

function event({
  at = noon,
  rules = [],
  device = 'web01',
  user = 'mallory',
  ip = '203.0.113.9',
  document = {},
  seed,
  hasOwnTime = true,
  ...rest
}: Made = {}): Event {
  const hex = createHash('sha256')
    .update(seed ?? `event ${made++}`)
    .digest('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
  return {
    arrival: { raw: JSON.stringify({ id }), index: '', documentId: undefined },
    organisationId: rest.organisationId ?? organisationId,
    receivedAt: hasOwnTime ? noon : at,
    document: {
      '@timestamp': new Date(at).toISOString(),
      source: { ip },
      user: { name: user },
      host: { name: device },
      ...document,
    },
    id,
    at,
    clockSkew: 0,
    hasOwnTime,
    shape: 'ecs',
    deviceName: device ?? undefined,
    userName: user ?? undefined,
    text: `something by ${user}`,
    matches: rules.map((key) => detector.ruleOf(key)!),
  };
}
const batch = (events: Event[], dead: DeadLetter[] = [], counts = new Map<string, number>()): Batch => ({
  organisationId: events[0]?.organisationId ?? organisationId,
  events,
  dead,
  counts,
});
const keep = (...events: Event[]) => keeper.keep(batch(events));

const inOrganisation = <T>(read: Parameters<typeof scoped<T>>[2], id = organisationId) =>
  scoped(database.db, { organisationIds: [id] }, read);
const alerts = (id = organisationId) =>
  inOrganisation(
    (tx) =>
      tx
        .selectFrom('alerts')
        .innerJoin('rules', 'rules.id', 'alerts.rule_id')
        .selectAll('alerts')
        .select('rules.key')
        .orderBy('at')
        .orderBy('id')
        .execute(),
    id,
  );
const copies = (alertId: number) =>
  inOrganisation((tx) => tx.selectFrom('alert_events').selectAll().where('alert_id', '=', alertId).orderBy('event_at').execute());
const storedEvents = (id = organisationId) =>
  inOrganisation((tx) => tx.selectFrom('events').selectAll().orderBy('at').orderBy('id').execute(), id);
const hits = () => inOrganisation((tx) => tx.selectFrom('correlation_hits').selectAll().orderBy('at').execute());
const summary = async () => (await alerts()).map((alert) => `${alert.key} ×${alert.fire_count}`);

/** Every rollup against count(*) of the alerts themselves, in every grain. */
async function expectRollupsToHold(): Promise<void> {
  const grains = {
    rollup_hour_severity: {
      keys: 'hour, criticality',
      from: `date_trunc('hour', at, 'UTC') as hour, criticality`,
      where: 'true',
    },
    rollup_day_severity: { keys: 'day, criticality', from: `(at at time zone 'UTC')::date as day, criticality`, where: 'true' },
    rollup_month_severity: {
      keys: 'month, criticality',
      from: `date_trunc('month', at at time zone 'UTC')::date as month, criticality`,
      where: 'true',
    },
    rollup_day_rule: { keys: 'day, rule_id', from: `(at at time zone 'UTC')::date as day, rule_id`, where: 'true' },
    rollup_month_rule: {
      keys: 'month, rule_id',
      from: `date_trunc('month', at at time zone 'UTC')::date as month, rule_id`,
      where: 'true',
    },
    rollup_day_device: {
      keys: 'day, device_name',
      from: `(at at time zone 'UTC')::date as day, device_name`,
      where: 'device_name is not null',
    },
    rollup_day_user: {
      keys: 'day, user_name',
      from: `(at at time zone 'UTC')::date as day, user_name`,
      where: 'user_name is not null',
    },
  };
  for (const [table, { keys, from, where }] of Object.entries(grains)) {
    const [kept, counted] = await inOrganisation(async (tx) => [
      (await sql.raw(`select ${keys}, count from ${table} order by ${keys}`).execute(tx)).rows,
      (
        await sql
          .raw(`select ${keys}, count(*) from (select ${from} from alerts where ${where}) a group by ${keys} order by ${keys}`)
          .execute(tx)
      ).rows,
    ]);
    expect(kept, table).toEqual(counted);
  }
  for (const table of ['rollup_day_severity', 'rollup_month_severity']) {
    const [kept, counted] = await inOrganisation(async (tx) => [
      (await sql`select coalesce(sum(new_count), 0)::integer as n from ${sql.table(table)}`.execute(tx)).rows,
      (await sql`select count(*)::integer as n from alerts where is_new`.execute(tx)).rows,
    ]);
    expect(kept, table).toEqual(counted);
  }
}

describe('events', () => {
  test('are stored as they are, once', async () => {
    const events = [
      event({ seed: 'a', document: { x: 'é\u001e"\\ 日本', n: 1.5, deep: { list: [1, null, 'two'] } } }),
      event({ device: null, user: null }),
    ];
    expect((await keep(...events)).stored).toEqual(new Set(events.map(({ id }) => id)));
    const stored = await storedEvents();
    expect(
      stored.map((row) => [
        row.id,
        row.at.getTime(),
        row.received_at.getTime(),
        row.shape,
        row.device_name,
        row.user_name,
        row.text,
        row.document,
      ]),
    ).toEqual(
      events
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((e) => [
          e.id,
          e.at,
          e.receivedAt,
          'ecs',
          e.deviceName ?? null,
          e.userName ?? null,
          e.text,
          JSON.parse(JSON.stringify(e.document)),
        ]),
    );
    const again = await keep(...events);
    expect(again.stored.size).toBe(0);
    expect(await storedEvents()).toHaveLength(2);
  });

  test('any text, document or absence comes back as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            text: fc.string({ unit: 'binary' }),
            user: fc.option(fc.string(), { nil: undefined }),
            document: fc.dictionary(fc.string(), fc.jsonValue()),
          }),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        async (made) => {
          // Whatever PostgreSQL cannot hold was made storable by the parse step.
          const clean = <T>(value: T): T =>
            JSON.parse(JSON.stringify(value).replaceAll(/\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, '\uFFFD')) as T;
          const events = made.map(({ text, user, document }) => ({
            ...event({ at: noon + made.length }),
            text,
            userName: user,
            document: clean(document),
          }));
          await keep(...events);
          const stored = new Map((await storedEvents()).map((row) => [row.id, row]));
          const cut = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');
          for (const { id, text, userName, document } of events) {
            expect(stored.get(id)).toMatchObject({ text: cut(text), user_name: userName === undefined ? null : cut(userName) });
            expect(stored.get(id)?.document).toEqual(document);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('without a time of their own are known again within the hour, and new after it', async () => {
    const timeless = (at: number) => event({ at, seed: `timeless ${organisationId}`, hasOwnTime: false });
    expect((await keep(timeless(noon))).stored.size).toBe(1);
    expect((await keep(timeless(noon + 30 * minute))).stored.size).toBe(0);
    expect((await keep(timeless(noon + 2 * hour))).stored.size).toBe(1);
    expect(await storedEvents()).toHaveLength(2);
  });

  test('belong to their organisation alone', async () => {
    const mine = organisationId;
    await keep(event({ rules: ['plain'] }));
    expect(await inOrganisation((tx) => tx.selectFrom('events').selectAll().execute(), mine + 1)).toEqual([]);
    expect(await alerts(mine + 1)).toEqual([]);
    expect(await inOrganisation((tx) => tx.selectFrom('alert_folds').selectAll().execute(), mine + 1)).toEqual([]);
    // The same rule, device and user in another organisation is another alert.
    await scoped(database.db, 'system', (tx) =>
      tx.insertInto('organisations').values({ id: 9_000, name: 'Other', is_partner: false, parent_id: null }).execute(),
    );
    await keep(event({ rules: ['plain'], organisationId: 9_000 }));
    expect(await alerts(9_000)).toHaveLength(1);
    expect((await alerts(mine)).map((alert) => alert.fire_count)).toEqual([1]);
  });

  test('are counted by what became of them', async () => {
    const events = [event(), event()];
    await keep(...events);
    await keeper.keep(
      batch(events, [{ receivedAt: noon, step: 'parse', reason: 'not-json', raw: '{' }], new Map([['not-json', 1]])),
    );
    const counters = await inOrganisation((tx) =>
      tx.selectFrom('ingest_counters').select(['reason', 'count']).orderBy('reason').execute(),
    );
    expect(counters).toEqual([
      { reason: 'duplicate', count: 2 },
      { reason: 'not-json', count: 1 },
      { reason: 'stored', count: 2 },
    ]);
  });
});

describe('alerts', () => {
  test('are raised with their rule, device, user and a copy of the event', async () => {
    const one = event({ rules: ['plain'] });
    const { alertIds } = await keep(one, event());
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      id: alertIds[0],
      key: 'plain',
      at: new Date(one.at),
      last_at: new Date(one.at),
      criticality: 3,
      device_name: 'web01',
      user_name: 'mallory',
      summary: 'something by mallory',
      fire_count: 1,
      is_new: true,
    });
    const [copy] = await copies(alert!.id);
    expect(copy).toMatchObject({ event_id: one.id, event_at: new Date(one.at), text: one.text, document: one.document });
    await expectRollupsToHold();
  });

  test('fold into one with the right count and at most 20 copies, in one batch or in many', async () => {
    await keep(...Array.from({ length: 15 }, (_, i) => event({ rules: ['plain'], at: noon + i })));
    await keep(...Array.from({ length: 15 }, (_, i) => event({ rules: ['plain'], at: noon + minute + i })));
    await keep(event({ rules: ['plain'], at: noon + 2 * minute }));
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ fire_count: 31, at: new Date(noon), last_at: new Date(noon + 2 * minute) });
    expect((await copies(alert!.id)).map((copy) => copy.event_at.getTime())).toEqual([
      ...Array.from({ length: 15 }, (_, i) => noon + i),
      ...Array.from({ length: 5 }, (_, i) => noon + minute + i),
    ]);
    await expectRollupsToHold();
  });

  test('beyond the window are another, and a straggler does not take the place of the newest', async () => {
    await keep(event({ rules: ['plain'], at: noon }));
    await keep(event({ rules: ['plain'], at: noon + 61 * minute }));
    await keep(event({ rules: ['plain'], at: noon - 3 * hour }));
    await keep(event({ rules: ['plain'], at: noon + 62 * minute }));
    expect((await alerts()).map((alert) => [alert.at.getTime() - noon, alert.fire_count])).toEqual([
      [-3 * hour, 1],
      [0, 1],
      [61 * minute, 2],
    ]);
    await expectRollupsToHold();
  });

  test('of another rule, device or user stay apart; no window means no folding', async () => {
    await keep(
      event({ rules: ['plain', 'other'] }),
      event({ rules: ['plain'], device: 'web02' }),
      event({ rules: ['plain'], user: 'eve' }),
      event({ rules: ['plain'], device: null }),
    );
    expect((await alerts()).map((alert) => `${alert.key} ${alert.device_name} ${alert.user_name}`).sort()).toEqual([
      'other web01 mallory',
      'plain null mallory',
      'plain web01 eve',
      'plain web01 mallory',
      'plain web02 mallory',
    ]);
    await keeperOn(database.db, 0).keep(
      batch([event({ rules: ['plain'], at: noon + 1 }), event({ rules: ['plain'], at: noon + 2 })]),
    );
    expect(await alerts()).toHaveLength(7);
    await expectRollupsToHold();
  });

  test('over months, days and hours are figured where they happened', async () => {
    const times = [
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00.000Z',
      '2026-02-01T00:59:59.000Z',
      '2026-02-01T01:00:00.000Z',
      '2026-03-31T23:00:00.000Z',
    ];
    const unfolding = keeperOn(database.db, 0);
    for (const [i, at] of times.entries()) {
      await unfolding.keep(
        batch([
          event({ rules: ['plain', 'other'], at: Date.parse(at), device: `d${i % 2}` }),
          event({ rules: ['other'], at: Date.parse(at), device: null, user: null }),
        ]),
      );
    }
    await expectRollupsToHold();
    expect(await alerts()).toHaveLength(15);
  });

  test('of a batch that was sent again are not raised again', async () => {
    const events = [
      event({ rules: ['plain'] }),
      ...Array.from({ length: 10 }, (_, i) => event({ rules: ['failed'], at: noon + i, user: 'root' })),
    ];
    await keep(...events);
    const before = await alerts();
    expect(before.map(({ key }) => key).sort()).toEqual(['burst', 'plain']);
    const again = await keep(...events);
    expect(again.alertIds).toEqual([]);
    expect(await alerts()).toEqual(before);
    // Of the ten, only the firing waits, for what may follow it, and the one value.
    expect((await hits()).map((hit) => hit.base_key).sort()).toEqual(['failed', 'first']);
  });
});

describe('correlations', () => {
  const failures = (count: number, from = noon, made: Made = {}) =>
    Array.from({ length: count }, (_, i) => event({ rules: ['failed'], at: from + i * 1_000, user: 'root', ...made }));

  test('reach their threshold over two batches, with the events of both as evidence', async () => {
    await keep(...failures(6));
    expect(await alerts()).toEqual([]);
    await keep(...failures(4, noon + minute));
    const [alert] = await alerts();
    expect(await summary()).toEqual(['burst ×1']);
    expect(alert).toMatchObject({
      at: new Date(noon + minute + 3_000),
      device_name: 'web01',
      user_name: 'root',
      summary: 'burst: 10 events (source.ip 203.0.113.9)',
    });
    const evidence = await copies(alert!.id);
    expect(evidence).toHaveLength(10);
    expect(evidence.every((copy) => (copy.document.user as Document).name === 'root')).toBe(true);
    await expectRollupsToHold();
  });

  test('use their hits up: twenty failures are two firings, however they come', async () => {
    for (const [first, ...sizes] of [[20], [10, 10], [7, 7, 6], [1, ...Array<number>(19).fill(1)]]) {
      const ip = `10.0.0.${sizes.length}`;
      let at = noon;
      for (const size of [first!, ...sizes]) {
        await keep(...failures(size, at, { ip }));
        at += size * 1_000;
      }
    }
    expect(await summary()).toEqual(['burst ×2', 'burst ×2', 'burst ×2', 'burst ×2']);
    expect((await hits()).filter((hit) => hit.base_key === 'failed' && hit.value === null)).toEqual([]);
    await expectRollupsToHold();
  });

  test('hold their groups apart, and their windows', async () => {
    await keep(...failures(9), ...failures(9, noon, { ip: '203.0.113.10' }));
    await keep(...failures(9, noon + 11 * minute));
    expect(await alerts()).toEqual([]);
    await keep(...failures(1, noon + 12 * minute));
    expect(await summary()).toEqual(['burst ×1']);
  });

  test('judge events by their own time, in whatever order they come', async () => {
    const events = failures(10).reverse();
    for (const one of events) await keep(one);
    expect(await summary()).toEqual(['burst ×1']);
    expect((await alerts())[0]?.at.getTime()).toBe(noon + 9_000);
  });

  test('count different values, and a flood of one value fills nothing', async () => {
    const users = (names: string[], from: number) =>
      names.map((user, i) => event({ rules: ['failed'], at: from + i, user, device: `d${i}`, ip: '198.51.100.7' }));
    await keep(...users(['a', 'b', 'a', 'b', 'c'], noon));
    await keep(...users(Array<string>(8).fill('a'), noon + minute));
    expect((await alerts()).filter((alert) => alert.key === 'spray')).toEqual([]);
    const { rows } = await inOrganisation((tx) =>
      sql`select value from correlation_hits where value is not null order by value`.execute(tx),
    );
    expect(rows).toEqual([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    await keep(...users(['d'], noon + 2 * minute));
    const spray = (await alerts()).find((alert) => alert.key === 'spray');
    expect(spray).toMatchObject({
      fire_count: 1,
      device_name: null,
      user_name: null,
      summary: 'spray: 4 different values of user.name (source.ip 198.51.100.7)',
    });
    expect(await copies(spray!.id)).toHaveLength(4);
  });

  test('build on correlations: a log on after a burst, in one batch, in two, and late', async () => {
    const accepted = (at: number, ip: string) => event({ rules: ['accepted'], at, user: 'root', ip });
    await keep(...failures(10), accepted(noon + minute, '203.0.113.9'));
    expect(await summary()).toEqual(['burst ×1', 'taken ×1']);
    await keep(...failures(10, noon, { ip: '10.1.1.1' }));
    await keep(accepted(noon + minute, '10.1.1.1'));
    await keep(accepted(noon + minute, '10.1.1.2'));
    await keep(...failures(10, noon, { ip: '10.1.1.2' }));
    await keep(accepted(noon + hour, '10.1.1.1'));
    expect((await summary()).sort()).toEqual(['burst ×1', 'burst ×1', 'burst ×1', 'taken ×1', 'taken ×1', 'taken ×1']);
  });

  test('with an upper bound are judged when their window has ended', async () => {
    const others = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => event({ rules: ['rare'], at: from + i, ip: '192.0.2.1' }));
    await keep(...others(2, noon));
    expect((await alerts()).filter((alert) => alert.key === 'few')).toHaveLength(1);
    await keep(...others(3, noon + 20 * minute));
    expect((await alerts()).filter((alert) => alert.key === 'few')).toHaveLength(1);
  });
});

describe('two processes', () => {
  test('reach a threshold exactly once, and lose and double nothing', async () => {
    const rounds = 12;
    const all: Event[] = [];
    const work: Promise<unknown>[] = [];
    for (let i = 0; i < rounds; i++) {
      const events = [
        ...Array.from({ length: 5 }, (_, j) =>
          event({ rules: ['failed'], at: noon + i * 1_000 + j, user: 'root', device: `d${j}` }),
        ),
        ...Array.from({ length: 20 }, (_, j) =>
          event({ rules: j % 2 ? ['plain'] : [], at: noon + i * 1_000 + j, user: `u${j % 4}`, device: `d${j % 3}` }),
        ),
      ];
      all.push(...events);
      work.push((i % 2 ? keeper : otherProcess).keep(batch(events)));
      // The same batch at the same time through the other process, as a shipper sends again after a timeout.
      work.push((i % 2 ? otherProcess : keeper).keep(batch([...events].reverse())));
    }
    await Promise.all(work);
    expect(await storedEvents()).toHaveLength(all.length);
    const raised = await alerts();
    // 60 failures are six firings of ten; each group of rule, device and user is one alert.
    expect(raised.find((alert) => alert.key === 'burst')?.fire_count).toBe(6);
    const plain = raised.filter((alert) => alert.key === 'plain');
    expect(new Set(plain.map((alert) => `${alert.device_name} ${alert.user_name}`)).size).toBe(plain.length);
    expect(plain.reduce((sum, alert) => sum + alert.fire_count, 0)).toBe(rounds * 10);
    await expectRollupsToHold();
    const { rows } = await inOrganisation((tx) => sql`select reason, count from ingest_counters order by reason`.execute(tx));
    expect(rows).toEqual([
      { reason: 'duplicate', count: all.length },
      { reason: 'stored', count: all.length },
    ]);
  });
});

describe('what cannot be stored', () => {
  const poisons: [string, () => Event][] = [
    [
      'a number beyond PostgreSQL',
      () => event({ document: { n: (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('1e400000') } }),
    ],
    ['a time beyond PostgreSQL', () => event({ at: 8.64e15 - 1_000 })],
    [
      'a device name beyond its index',
      () => event({ device: Array.from({ length: 3_000 }, () => Math.random().toString(36)).join('') }),
    ],
    ['a time that is none', () => ({ ...event(), at: Number.NaN })],
  ];
  test.each(poisons)('%s becomes a dead letter and takes nobody with it', async (_name, poison) => {
    const events = Array.from({ length: 9 }, (_, i) => event({ rules: ['plain'], at: noon + i }));
    const bad = poison();
    events.splice(5, 0, bad);
    const letter = { receivedAt: noon, step: 'parse', reason: 'not-json', raw: '{' };
    const kept = await keeper.keep(batch(events, [letter], new Map([['not-json', 1]])));
    expect(kept.refused).toEqual(new Set([bad.id]));
    expect(kept.stored.size).toBe(9);
    expect((await alerts()).map((alert) => alert.fire_count)).toEqual([9]);
    const letters = await inOrganisation((tx) => tx.selectFrom('dead_letters').selectAll().orderBy('id').execute());
    expect(
      letters.map(({ step, reason, raw }) => ({ step, reason, raw })).sort((a, b) => (a.reason < b.reason ? -1 : 1)),
    ).toEqual([
      { step: 'parse', reason: 'not-json', raw: '{' },
      { step: 'keep', reason: 'not-storable', raw: bad.arrival.raw },
    ]);
    const { rows } = await inOrganisation((tx) => sql`select reason, count from ingest_counters order by reason`.execute(tx));
    expect(rows).toEqual([
      { reason: 'not-json', count: 1 },
      { reason: 'not-storable', count: 1 },
      { reason: 'stored', count: 9 },
    ]);
    await expectRollupsToHold();
  });

  test('for another reason than its data fails whole: nothing is stored, nothing acknowledged', async () => {
    // No month was made for it: not the event's fault, so the shipper sends again.
    const events = [event({ rules: ['plain'] }), event({ at: Date.parse('2031-01-01T00:00:00Z') })];
    await expect(keep(...events)).rejects.toMatchObject({ code: '23514' });
    expect(await storedEvents()).toEqual([]);
    expect(await alerts()).toEqual([]);
    expect(await inOrganisation((tx) => tx.selectFrom('devices').selectAll().execute())).toEqual([]);
  });
});
