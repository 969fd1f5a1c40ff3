/** Both stores return the same, however many of the events were moved. `QUESTIONS` sets how many are compared. */
import { randomUUID } from 'node:crypto';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { literals } from '@parapet/contract/rules/kql/literals.ts';
import { matcher } from '@parapet/contract/rules/kql/match.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Scope, scoped, type Tx } from '../../src/core/db/scope.ts';
import { type ClickHouse, ClickHouseAwayError, connectClickHouse } from '../../src/domain/events/clickhouse/client.ts';
import { useClickHouse } from '../../src/domain/events/clickhouse/connected.ts';
import {
  adoptMoves,
  cleanMoves,
  journalMs,
  moveBlocks,
  readMoveState,
  trimJournal,
} from '../../src/domain/events/clickhouse/move.ts';
import { eventsTable, prepareClickHouse } from '../../src/domain/events/clickhouse/schema.ts';
import { eventStore, type NewEvent, type ScanQuery, type StoredEvent } from '../../src/domain/events/eventStore.ts';
import { mergeBlocks } from '../../src/domain/events/merge.ts';
import { runAs, type TestDatabase, testDatabase } from '../database.ts';
import { type Engine, startEngine } from './engine.ts';

const questions = Number(process.env.QUESTIONS ?? 500);
const now = Date.UTC(2026, 9, 20, 12, 30);
const organisations = [901, 902, 903];
let database: TestDatabase;
let engine: Engine;
let clickHouse: ClickHouse;

beforeAll(async () => {
  database = await testDatabase({ poolSize: 6 });
  engine = await startEngine();
  clickHouse = connectClickHouse({ url: engine.url });
  await prepareClickHouse(clickHouse);
  await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-09-01', '2026-12-01')`.execute(tx));
});
beforeEach(() => useClickHouse(clickHouse));
afterEach(() => useClickHouse(undefined));
afterAll(async () => {
  await clickHouse.close();
  await engine.close();
  await database.close();
});

const hostile = [
  'a\u0000b',
  '\ud800 half',
  "quote ' and \\ back",
  'x\n\nDROP TABLE portal_events;\n',
  '%_like\\%',
  'ÉLAN élan',
  '{"a":1}',
];
const eventOf = (at: number, more: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  at,
  receivedAt: Math.min(at, now) + 1_000,
  clockSkew: 0,
  shape: 'ecs',
  text: `event at ${at}`,
  document: { n: at },
  ...more,
});
const append = (id: number, events: readonly NewEvent[]) =>
  scoped(database.db, { organisationIds: [id] }, (tx) => eventStore.append(tx, id, events));
/** Reads of what is before it go to ClickHouse; blocks stay, to be compared with. */
const setBoundary = (before: number) =>
  runAs(database.ownerUrl, `update event_moves_last set trimmed_before = '${new Date(before).toISOString()}'`);
const countOf = (scope: Scope) => async (tx: Tx) => {
  let found = 0;
  await eventStore.scan(tx, scope, { start: 0, end: Number.POSITIVE_INFINITY }, () => ++found < 0);
  return found;
};
const moveAll = (at = now + 40 * dayMs) => moveBlocks(database.db, clickHouse, at, 60_000);

const word = fc.constantFrom('alpha', 'beta', 'Gamma-Ray', '10.0.0.1', 'C:\\Windows\\cmd.exe', ...hostile);
const eventArbitrary = fc.record({
  at: fc.oneof(
    fc.integer({ min: now - 3 * dayMs, max: now }),
    fc.constantFrom(now - hourMs, now - dayMs, Date.UTC(1990, 0, 1), Date.UTC(2100, 5, 1)),
  ),
  organisation: fc.constantFrom(...organisations),
  deviceName: fc.constantFrom('DC-01', 'ws-02', "o'hara\\pc", null),
  userName: fc.constantFrom('ann', null),
  words: fc.array(word, { maxLength: 3 }),
  text: word,
});

/** A world: batches of which some were moved, some merged, some are still to be moved. */
const world = fc.array(
  fc.record({
    events: fc.array(eventArbitrary, { minLength: 1, maxLength: 25 }),
    what: fc.constantFrom('move', 'merge', 'nothing'),
  }),
  {
    minLength: 2,
    maxLength: 5,
  },
);

const queries = fc.record({
  start: fc.oneof(
    fc.integer({ min: now - 4 * dayMs, max: now }),
    fc.constantFrom(Number.NEGATIVE_INFINITY, Date.UTC(1980, 0, 1)),
  ),
  length: fc.oneof(fc.integer({ min: 1, max: 5 * dayMs }), fc.constant(Number.POSITIVE_INFINITY)),
  devices: fc.option(fc.constantFrom(['DC-01'], ['DC-01', "o'hara\\pc"], ['absent']), { nil: undefined }),
  search: fc.constantFrom(
    undefined,
    'alpha',
    '"gamma-ray"',
    'beta or 10.0.0.1',
    'words: *cmd*',
    'not alpha',
    'device: DC-01 and alpha',
    '"DROP TABLE"',
    'élan',
    'user.name: ann or ghost',
  ),
  most: fc.constantFrom(1, 7, 10_000),
  scope: fc.subarray(organisations, { minLength: 1 }),
  received: fc.option(fc.constant({ start: now - 2 * dayMs, end: now - dayMs }), { nil: undefined }),
});

const searchedOf = (event: StoredEvent) => ({
  at: new Date(event.at).toISOString(),
  receivedAt: new Date(event.receivedAt).toISOString(),
  shape: event.shape,
  deviceName: event.deviceName,
  userName: event.userName,
  text: event.text,
  document: event.document,
});

/** Everything that the port returns for one query. */
async function resultsOf(
  tx: Tx,
  scope: Scope,
  { start, length, devices, search, most, received }: ReturnType<typeof sampleQuery>,
) {
  const end = start + length;
  const parsed = search === undefined ? undefined : parseKql(search);
  const ast = parsed?.ok ? parsed.ast : undefined;
  expect(Boolean(ast)).toBe(search !== undefined);
  const matches = ast && matcher(ast);
  const query: ScanQuery = {
    start,
    end: Number.isNaN(end) ? Number.POSITIVE_INFINITY : end,
    devices,
    received,
    ...(ast && literals(ast)),
  };
  const found: unknown[] = [];
  await eventStore.scan(tx, scope, query, (event) => {
    if (!matches || matches(searchedOf(event)))
      found.push([
        event.organisationId,
        event.at,
        event.id,
        event.receivedAt,
        event.deviceName,
        event.userName,
        event.text.toWellFormed(),
        event.json,
        event.shape,
      ]);
    return found.length >= most;
  });
  const bounded = { start: Math.max(query.start, now - 5 * dayMs), end: Math.min(query.end, now + dayMs) };
  const counts = await eventStore.counts(tx, scope, { ...bounded, bucketMs: hourMs });
  const [newest = []] = await eventStore.newest(tx, scope, [{ ...bounded, devices, limit: Math.min(most, 50) }]);
  const texts = await eventStore.newestTexts(tx, scope, [{ ...bounded, devices }], ['first']);
  return {
    found,
    counts: [...counts].sort(([a], [b]) => a - b),
    // Events of the same time have no order here.
    newest: newest.map(({ at }) => at),
    texts: texts[0]?.toSorted(),
  };
}
const sampleQuery = () => fc.sample(queries, 1)[0]!;

async function figuresOf(tx: Tx) {
  const figures: unknown[] = [];
  for (const id of organisations) {
    const { count, oldest } = await eventStore.held(tx, id);
    figures.push([id, count, oldest, await eventStore.firstArrival(tx, 'system', id, 'DC-01')]);
  }
  const sizes = await eventStore.sizes(tx, 'system', now);
  figures.push([...sizes].map(([id, { events, oldest }]) => [id, events, oldest]).sort());
  return figures;
}

const read = <T>(scope: Scope, run: (tx: Tx) => Promise<T>) =>
  scoped(database.db, scope, run, { isolation: 'repeatable read', readOnly: true });
/** The same reads without ClickHouse: moved blocks are still in the journal. */
async function fromBlocks<T>(run: () => Promise<T>): Promise<T> {
  useClickHouse(undefined);
  try {
    return await run();
  } finally {
    useClickHouse(clickHouse);
  }
}

describe('events in both stores', () => {
  test('finds, counts and lists events as if they were all in blocks', async () => {
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.array(queries, { minLength: 50, maxLength: 50 }),
        fc.constantFrom(now + 3 * dayMs, now - dayMs, now - 2 * dayMs),
        async (batches, queries, boundary) => {
          for (const { events, what } of batches) {
            for (const id of organisations) {
              const own = events.filter(({ organisation }) => organisation === id);
              await append(
                id,
                own.map(({ at, deviceName, userName, words, text }) =>
                  eventOf(at, {
                    deviceName,
                    userName,
                    text,
                    document: { words, first: words[0] ?? 1, user: { name: userName ?? 'none' } },
                  }),
                ),
              );
            }
            if (what === 'move') await moveAll();
            if (what === 'merge') await mergeBlocks(database.db, now + 30 * dayMs);
          }
          await setBoundary(boundary);
          for (const each of queries) {
            requests++;
            const scope = { organisationIds: each.scope };
            const both = await read(scope, (tx) => resultsOf(tx, scope, each));
            expect(both).toEqual(await fromBlocks(() => read(scope, (tx) => resultsOf(tx, scope, each))));
          }
          expect(await read('system', figuresOf)).toEqual(await fromBlocks(() => read('system', figuresOf)));
        },
      ),
      { numRuns: Math.ceil(questions / 50), endOnFailure: true },
    );
    expect(requests).toBeGreaterThanOrEqual(questions);
  }, 600_000);

  test('finds events once the journal is trimmed, by key too', async () => {
    const events = Array.from({ length: 300 }, (_, n) => eventOf(now - n * hourMs, { document: { n, words: hostile } }));
    await append(905, events);
    await moveAll();
    const scope = { organisationIds: [905] };
    const all = async () => {
      const found: unknown[] = [];
      await read(scope, (tx) =>
        eventStore.scan(
          tx,
          scope,
          { start: 0, end: Number.POSITIVE_INFINITY },
          ({ id, at, json }) => found.push([id, at, json]) < 0,
        ),
      );
      return found;
    };
    const before = await fromBlocks(all);
    expect(before).toHaveLength(300);
    expect(await trimJournal(database.db, now + journalMs + dayMs)).toBeGreaterThan(0);
    expect(await fromBlocks(all)).toEqual([]);
    expect(await all()).toEqual(before);
    const keys = events.slice(0, 120);
    const byKey = await read(scope, (tx) => eventStore.find(tx, 905, keys));
    expect(new Set(byKey.keys())).toEqual(new Set(keys.map(({ id }) => id)));
    expect(byKey.get(keys[7]!.id)?.document).toEqual(keys[7]!.document);
  });

  test('shows events of the transaction’s organisations alone, whatever the argument is', async () => {
    const ids = [921, 922, 923];
    const event = eventOf(now, { deviceName: 'd' });
    for (const id of ids) await append(id, [{ ...event, text: `of ${id}` }]);
    await moveAll();
    await trimJournal(database.db, now + journalMs + dayMs);
    await fc.assert(
      fc.asyncProperty(fc.subarray(ids), fc.subarray(ids), async (visible, requested) => {
        const [outer, scope] = [{ organisationIds: visible }, { organisationIds: requested }];
        const wanted = requested.filter((id) => visible.includes(id));
        await read(outer, async (tx) => {
          const found: number[] = [];
          await eventStore.scan(tx, scope, { start: now - 1, end: now + 1 }, (each) => found.push(each.organisationId) < 0);
          expect(found.sort()).toEqual(wanted);
          const counted = await eventStore.counts(tx, scope, { start: now - dayMs, end: now + dayMs, bucketMs: hourMs });
          expect([...counted.values()].reduce((sum, count) => sum + count, 0)).toBe(wanted.length);
          const newest = await eventStore.newest(tx, scope, [{ start: now - 1, end: now + 1 }]);
          expect(
            newest
              .flat()
              .map((each) => each.organisationId)
              .sort(),
          ).toEqual(wanted);
          for (const id of requested) {
            const isIn = visible.includes(id);
            expect((await eventStore.find(tx, id, [event])).size).toBe(isIn ? 1 : 0);
            expect((await eventStore.held(tx, id)).count).toBe(isIn ? 1 : 0);
            expect(await eventStore.firstArrival(tx, scope, id, 'd')).toBe(isIn ? now + 1_000 : undefined);
          }
          expect([...(await eventStore.sizes(tx, scope, now)).keys()].sort()).toEqual(wanted);
        });
      }),
      { numRuns: 40 },
    );
  });

  test('counts events once for a reader that began before, during or after a move', async () => {
    const scope = { organisationIds: [930] };
    await setBoundary(now + 3 * dayMs);
    await append(
      930,
      Array.from({ length: 50 }, (_, n) => eventOf(now - n)),
    );
    const count = async (tx: Tx) => {
      let found = 0;
      await eventStore.scan(tx, scope, { start: 0, end: Number.POSITIVE_INFINITY }, () => ++found < 0);
      const counted = await eventStore.counts(tx, scope, { start: now - dayMs, end: now + dayMs, bucketMs: dayMs });
      return [found, [...counted.values()].reduce((sum, each) => sum + each, 0)];
    };
    await read(scope, async (tx) => {
      expect(await count(tx)).toEqual([50, 50]);
      const slow: ClickHouse = {
        ...clickHouse,
        async insert(table, rows) {
          expect(await read(scope, count)).toEqual([50, 50]);
          await clickHouse.insert(table, rows);
          expect(await read(scope, count)).toEqual([50, 50]);
        },
      };
      expect(await moveBlocks(database.db, slow, now + 40 * dayMs, 60_000)).toBe(50);
      expect(await count(tx)).toEqual([50, 50]);
    });
    expect(await read(scope, count)).toEqual([50, 50]);
    expect((await readMoveState(database.db)).waiting).toBe(0);
  });

  test('keeps events in blocks when an insert fails although it was stored, and cleans its rows away', async () => {
    const scope = { organisationIds: [940] };
    await append(
      940,
      Array.from({ length: 30 }, (_, n) => eventOf(now - n)),
    );
    const count = countOf(scope);
    const broken: ClickHouse = {
      ...clickHouse,
      async insert(table, rows) {
        await clickHouse.insert(table, rows);
        throw new ClickHouseAwayError('no answer');
      },
    };
    await expect(moveBlocks(database.db, broken, now + 3 * 60_000, 60_000)).rejects.toThrow('no answer');
    expect(await read(scope, count)).toBe(30);
    expect(await moveAll()).toBe(30);
    expect(await read(scope, count)).toBe(30);
    const stored = async () =>
      (await clickHouse.query<{ n: number }>(`select count() as n from ${eventsTable} where organisation_id = 940`))[0]?.n;
    expect(await stored()).toBe(60);
    expect(await cleanMoves(database.db, clickHouse, now + hourMs)).toBe(1);
    expect(await stored()).toBe(30);
    expect(await read(scope, count)).toBe(30);
  });

  test('count once after the database was restored to a time before their move', async () => {
    const now = Date.now();
    const scope = { organisationIds: [941] };
    await append(
      941,
      Array.from({ length: 30 }, (_, n) => eventOf(now - n)),
    );
    const count = countOf(scope);
    const [last] = await runAs(database.ownerUrl, 'select number from event_moves_last');
    expect(await moveAll()).toBe(30);
    // The restored state: the number before the move, and blocks that were not moved.
    await runAs(
      database.ownerUrl,
      `update event_moves_last set number = ${last!.rows[0].number}`,
      'update event_blocks set move = null where organisation_id = 941',
    );
    expect(await adoptMoves(database.db, clickHouse, now)).toBe(1);
    expect(await adoptMoves(database.db, clickHouse, now)).toBe(0);
    expect(await read(scope, count)).toBe(30);
    expect(await moveAll()).toBe(30);
    expect(await read(scope, count)).toBe(30);
    expect(await cleanMoves(database.db, clickHouse, now + hourMs)).toBe(1);
    const [stored] = await clickHouse.query<{ n: number }>(`select count() as n from ${eventsTable} where organisation_id = 941`);
    expect(stored?.n).toBe(30);
    expect(await read(scope, count)).toBe(30);
  });
});
