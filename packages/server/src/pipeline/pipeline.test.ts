/** The steps alone, and the whole pipeline without its HTTP routes: a file of events in, alerts out. */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { passwordSpray, sshdSuccess, sudoLine } from '@parapet/world/syslog.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { builtInOf } from '../../test/rules.ts';
import type { Clock } from '../core/clock.ts';
import { scoped } from '../core/db/scope.ts';
import { silentLog } from '../core/log.ts';
import { createDetector } from './detector.ts';
import { createDeviceRegister } from './devices.ts';
import type { Arrival, Event } from './event.ts';
import { createEventWriter } from './event-writer.ts';
import { type Outcome, runPipeline, steps } from './pipeline.ts';
import type { Batch, Step } from './step.ts';
import { maxEventBytes } from './steps/parse.ts';

const noon = Date.parse('2026-03-10T12:00:00Z');
const clock: Clock = { now: () => noon };
const arrival = (raw: Arrival['raw'], documentId?: string, index = 'logs'): Arrival => ({ raw, index, documentId });
const batch = (over: Partial<Batch> = {}): Batch => ({
  organisationId: 7,
  receivedAt: noon,
  eventRetentionMs: 30 * dayMs,
  detector: { match: () => [], matchShadow: () => [] },
  ids: new Set(),
  contents: new Map(),
  ...over,
});
const eventOf = (outcome: Outcome | undefined): Event => {
  if (outcome?.kind !== 'ok') throw new Error(JSON.stringify(outcome));
  return outcome.event;
};
const run = (...arrivals: Arrival[]) => runPipeline(arrivals, batch());
const only = async (raw: Arrival['raw']) => eventOf((await run(arrival(raw)))[0]);

test('runs the steps in this order', () => {
  expect(steps.map((step: Step) => step.name)).toEqual([
    'parse',
    'identify',
    'normaliseStep',
    'reserve',
    'dedupe',
    'enrich',
    'detect',
  ]);
});

describe('parse', () => {
  test.each([
    ['half an object', '{', 'not-json'],
    ['nothing', '', 'not-json'],
    ['NaN', '{"a":NaN}', 'not-json'],
    ['a list', '[1]', 'not-an-object'],
    ['a text', '"text"', 'not-an-object'],
    ['null', 'null', 'not-an-object'],
    ['a long line', `{"a":"${'x'.repeat(maxEventBytes)}"}`, 'too-large'],
    ['nested objects', `{"a":${'{"a":'.repeat(30)}1${'}'.repeat(30)}}`, 'too-deep'],
    ['nested lists', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'too-deep'],
    ['many fields', JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, i]))), 'too-many-fields'],
  ])('%s: becomes a dead letter', async (_what, raw, reason) => {
    expect(await run(arrival(raw))).toMatchObject([{ kind: 'dead', reason, step: 'parse' }]);
  });

  test('replaces text that PostgreSQL rejects and leaves the rest', async () => {
    expect((await only('{"message":"a\\u0000b\\ud800c","\\u0000k":"\\u001b[31m <b>"}')).document).toMatchObject({
      message: 'a\uFFFDb\uFFFDc',
      '\uFFFDk': '\u001b[31m <b>',
    });
  });
});

describe('identify and dedupe', () => {
  const ids = (outcomes: Outcome[]) => outcomes.map((outcome) => (outcome.kind === 'dead' ? undefined : outcome.event.id));

  test('gives the same id or content one identity across batches, and other indexes, organisations or content another', async () => {
    const sent = [arrival('{"a":1}', 'x'), arrival('{"a":1}', 'x', 'other'), arrival('{"a":1}'), arrival('{"a":2}')];
    const first = ids(await run(...sent));
    expect(ids(await run(...sent))).toEqual(first);
    expect(new Set(first).size).toBe(4);
    for (const id of first) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test('treats equal lines without ids as separate events, and a repeated id in one batch as one', async () => {
    const outcomes = await run(arrival('{"a":1}'), arrival('{"a":1}'), arrival('{"a":1}', 'x'), arrival('{"a":2}', 'x'));
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['ok', 'ok', 'ok', 'drop']);
    expect(new Set(ids(outcomes.slice(0, 3))).size).toBe(3);
  });
});

describe('normalise', () => {
  const at = (time: string) => JSON.stringify({ '@timestamp': time, message: 'x' });

  test('accepts a slightly skewed clock and marks one far ahead or older than the retention', async () => {
    expect(await only(at('2026-03-10T12:04:59Z'))).toMatchObject({ clockSkew: 0, hasOwnTime: true, at: noon + 299_000 });
    expect(await only(at('2026-02-10T12:00:00Z'))).toMatchObject({ clockSkew: 0, hasOwnTime: true });
    const ahead = await only(at('2026-03-10T12:05:01Z'));
    expect(ahead).toMatchObject({ clockSkew: 1, hasOwnTime: false, at: noon });
    expect(ahead.document).toMatchObject({ '@timestamp': '2026-03-10T12:05:01Z', clock_skew: 'future' });
    expect(await only(at('2026-02-01T00:00:00Z'))).toMatchObject({ clockSkew: -1, hasOwnTime: false, at: noon });
    expect(await only(at('1999-01-01T00:00:00Z'))).toMatchObject({ clockSkew: -1, at: noon });
  });

  test.each(['no time', '{"not":1}', '1e999', '+275760-09-14T00:00:00Z', ''])(
    'uses the arrival time without a readable time (%s)',
    async (time) => {
      expect(await only(at(time))).toMatchObject({ clockSkew: 0, hasOwnTime: false, at: noon });
    },
  );
});

describe('enrich', () => {
  test('adds organisation, id and arrival time, and preserves an existing `event` value', async () => {
    const event = await only('{"event":"text","message":"x"}');
    expect(event.document).toMatchObject({
      organization: { id: '7' },
      event: { id: event.id, ingested: '2026-03-10T12:00:00.000Z', original: 'text' },
    });
    expect((await only('{"event":{"id":"theirs"},"organization":"lie"}')).document).toMatchObject({
      organization: { id: '7' },
      event: { id: 'theirs' },
    });
  });
});

test('turns an event into a dead letter when a step throws, and continues with the next', async () => {
  const outcomes = await runPipeline(
    [arrival('{"bad":true}'), arrival('{"good":true}')],
    batch({
      detector: {
        match(document) {
          if (document.bad) throw new Error('no');
          return [];
        },
        matchShadow: () => [],
      },
    }),
  );
  expect(outcomes.map((outcome) => (outcome.kind === 'dead' ? `${outcome.reason} in ${outcome.step}` : outcome.kind))).toEqual([
    'step-failed in detect',
    'ok',
  ]);
});

test('yields to other work while it runs', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await runPipeline(
    Array.from({ length: 200 }, (_, i) => arrival(`{"n":${i}}`)),
    batch({
      detector: {
        match() {
          const until = performance.now() + 1;
          while (performance.now() < until);
          return [];
        },
        matchShadow: () => [],
      },
    }),
  );
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

describe('a file of events in, alerts out', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await scoped(database.db, 'system', async (tx) => {
      await sql`select make_partitions('2026-02-01', '2026-04-01')`.execute(tx);
      await tx.insertInto('organisations').values({ id: 7, name: 'Seven', is_partner: false, parent_id: null }).execute();
    });
  });
  afterAll(() => database.close());

  test('raises alerts with the product’s own rules for a successful password spray and what followed', async () => {
    const file = [
      ...passwordSpray('web01', '203.0.113.50', noon - 10 * 60_000),
      sshdSuccess('web01', 'deploy', '203.0.113.50', noon - 9 * 60_000),
      sudoLine('web01', 'deploy', '/usr/bin/cat /etc/shadow', noon - 8 * 60_000),
      sudoLine('web01', 'deploy', '/usr/bin/systemctl status nginx', noon - 7 * 60_000),
    ].map(({ document }) => {
      const { _id, _index, ...source } = document;
      return JSON.stringify(source);
    });
    const detector = await createDetector({
      db: database.db,
      builtIn: await builtInOf(),
    });
    const eventWriter = createEventWriter({
      db: database.db,
      clock,
      detector,
      devices: createDeviceRegister(),
      groupingWindowMs: hourMs,
      log: silentLog,
    });
    for (let from = 0; from < file.length; from += 5) {
      const outcomes = await runPipeline(
        file.slice(from, from + 5).map((line) => arrival(line)),
        batch({ detector }),
      );
      await eventWriter.writeBatch({ organisationId: 7, events: outcomes.map(eventOf), dead: [], counts: new Map() });
    }
    const { alerts, devices } = await scoped(database.db, { organisationIds: [7] }, async (tx) => ({
      alerts: (
        await sql<{ title: string; device: string; copies: number; explained: number; technique: string }>`
          select r.title, a.device_name as device, r.facts -> 'techniques' ->> 0 as technique, count(e.event_id)::integer as copies,
            count(*) filter (where jsonb_array_length(e.why -> 'items') > 0)::integer as explained
          from alerts a join rules r on r.id = a.rule_id left join alert_events e on e.alert_id = a.id group by a.id, a.at, r.id order by a.at, r.title`.execute(
          tx,
        )
      ).rows,
      devices: await tx.selectFrom('devices').select(['name', 'device_type']).execute(),
    }));
    expect(alerts.find((alert) => alert.title === 'SSH Password Spraying')).toMatchObject({
      device: 'web01',
      technique: 'T1110.003',
      copies: 6,
      explained: 6,
    });
    expect(alerts.find((alert) => alert.title === 'SSH Logon Succeeded after Brute Force')).toMatchObject({
      device: 'web01',
      copies: 2,
      explained: 2,
    });
    expect(alerts.find((alert) => alert.title === 'Password or Key File Read with Sudo')).toMatchObject({
      device: 'web01',
      copies: 1,
      explained: 1,
    });
    expect(alerts.filter((alert) => alert.copies === 0 || !alert.technique)).toEqual([]);
    expect(devices).toEqual([{ name: 'web01', device_type: 'server' }]);
  });
});
