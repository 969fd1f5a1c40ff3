import { randomUUID } from 'node:crypto';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runAs, useTestDatabase } from '../../../test/database.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { type Scope, scoped } from '../../core/db/scope.ts';
import { eventStore, type NewEvent, type ScanQuery, type StoredEvent } from './eventStore.ts';
import { mergeBlocks, packRows } from './merge.ts';
import { onCorruptBlock } from './openBlocks.ts';
import { byNewest } from './storedEvent.ts';

const now = Date.UTC(2026, 10, 26, 12, 30);
const database = useTestDatabase({ poolSize: 6 });
let organisationId = 700;

const eventOf = (at: number, more: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  at,
  receivedAt: at + 1_000,
  clockSkew: 0,
  shape: 'ecs',
  text: `event at ${at}`,
  document: { n: at, host: { name: 'h' } },
  ...more,
});
const own = (): Scope & object => ({ organisationIds: [organisationId] });
const append = (events: readonly NewEvent[], id = organisationId) =>
  scoped(database.db, { organisationIds: [id] }, (tx) => eventStore.append(tx, id, events));
async function scan(
  query: Partial<ScanQuery> = {},
  scope: Scope = own(),
  most = Number.POSITIVE_INFINITY,
): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  await scoped(database.db, scope, (tx) =>
    eventStore.scan(tx, scope, { start: now - 40 * dayMs, end: now + dayMs, ...query }, (event) => found.push(event) >= most),
  );
  return found;
}
const blocks = async () => {
  const { rows } = await scoped(database.db, own(), (tx) =>
    sql<{ count: number }>`select count from event_blocks where organisation_id = ${organisationId} order by first_at`.execute(
      tx,
    ),
  );
  return rows.map(({ count }) => count);
};
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);

beforeAll(async () => {
  await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-10-01', '2026-12-01')`.execute(tx));
});
beforeEach(() => {
  organisationId++;
});

describe('append', () => {
  test('stores an event once, whichever batch brings it, and equal ids of other times', async () => {
    const events = Array.from({ length: 50 }, (_, n) => eventOf(now - n * hourMs));
    expect(await append(events.slice(0, 30))).toEqual(new Set(idsOf(events.slice(0, 30))));
    expect(await append(events.slice(20))).toEqual(new Set(idsOf(events.slice(30))));
    expect(await append([...events, ...events])).toEqual(new Set());
    const again = { ...events[0]!, at: now - 1 };
    expect(await append([again])).toEqual(new Set([again.id]));
    expect(idsOf(await scan())).toEqual(idsOf([...events, again].sort(byNewest)));
  });

  test('stores an event once when two transactions bring it at the same time', async () => {
    const events = Array.from({ length: 20 }, (_, n) => eventOf(now - n));
    const stored = await Promise.all(Array.from({ length: 5 }, () => append(events)));
    expect(stored.reduce((sum, ids) => sum + ids.size, 0)).toBe(20);
    expect(await scan()).toHaveLength(20);
  });

  test('leaves nothing of a transaction that fails', async () => {
    await expect(
      scoped(database.db, own(), async (tx) => {
        await eventStore.append(tx, organisationId, [eventOf(now)]);
        throw new Error('later');
      }),
    ).rejects.toThrow('later');
    expect(await scan()).toEqual([]);
    await expect(append([eventOf(Number.NaN)])).rejects.toThrow(RangeError);
  });
});

describe('scan', () => {
  test('reads the same oldest first, and in slices from where each one ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (batches, isCounted) => {
          organisationId++;
          for (const batch of batches) await append(batch.map((n) => eventOf(now - n * 7 * 60_000)));
          const newest = idsOf(await scan());
          expect(newest).toHaveLength(batches.flat().length);
          expect(idsOf(await scan({ isOldestFirst: true }))).toEqual(newest.toReversed());
          for (const isOldestFirst of [false, true]) {
            const found: string[] = [];
            let place: number | undefined;
            for (let slices = 0; slices < 100 && (slices === 0 || place !== undefined); slices++) {
              const before = place === undefined ? undefined : { at: place };
              const query = { start: now - 40 * dayMs, end: now + dayMs, isOldestFirst, before, stopAt: 0 };
              const counted = isCounted ? ({ document }: StoredEvent) => document.n !== undefined : undefined;
              place = await scoped(database.db, own(), (tx) =>
                eventStore.scan(tx, own(), { ...query, counted }, ({ id }) => found.push(id) < 0),
              );
            }
            expect(place).toBeUndefined();
            expect(found).toEqual(isOldestFirst ? newest.toReversed() : newest);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test('ends when its reader has gone', async () => {
    await append([eventOf(now)]);
    const place = await scoped(database.db, own(), (tx) =>
      eventStore.scan(tx, own(), { start: 0, end: now + 1, signal: AbortSignal.abort() }, () => expect.unreachable()),
    );
    expect(place).toBeGreaterThan(now);
  });

  test('finds what a filter over all events finds, newest first', async () => {
    const names = ['a', 'b', null];
    const words = ['alpha', 'beta', '10.0.0.1', 'x: y\nl: alpha\nz'];
    const made = fc.record({
      at: fc.integer({ min: now - 3 * dayMs, max: now }),
      deviceName: fc.constantFrom(...names),
      word: fc.constantFrom(...words),
    });
    const queries = fc.record({
      start: fc.integer({ min: now - 4 * dayMs, max: now }),
      length: fc.integer({ min: 1, max: 4 * dayMs }),
      devices: fc.option(fc.constantFrom(['a'], ['a', 'b'], ['c']), { nil: undefined }),
      word: fc.option(fc.constantFrom('alpha', 'beta', 'absent'), { nil: undefined }),
      most: fc.constantFrom(1, 5, 1_000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(made, { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 4 }),
        queries,
        async (batches, query) => {
          organisationId++;
          const all = batches.map((batch) =>
            batch.map(({ at, deviceName, word }) => eventOf(at, { deviceName, document: { word } })),
          );
          for (const batch of all) await append(batch);
          const { start, length, devices, word, most } = query;
          const more = word === undefined ? {} : { substrings: [word], tokens: [word] };
          const found = await scan({ start, end: start + length, devices, ...more }, own(), most);
          const isIn = (event: NewEvent) =>
            event.at >= start &&
            event.at < start + length &&
            (!devices || (event.deviceName != null && (devices as readonly string[]).includes(event.deviceName))) &&
            (word === undefined || JSON.stringify(event.document).includes(word));
          const wanted = all.flat().filter(isIn).sort(byNewest);
          expect(idsOf(found)).toEqual(idsOf(wanted.slice(0, most)));
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  test('shows no event of an organisation outside the scope, of any ask', async () => {
    const organisations = [1, 2, 3, 4].map((n) => 9_000 + organisationId * 10 + n);
    const event = eventOf(now, { deviceName: 'd' });
    for (const id of organisations) await append([{ ...event, text: `of ${id}` }], id);
    await fc.assert(
      fc.asyncProperty(fc.subarray(organisations), fc.subarray(organisations), async (visible, requested) => {
        // The scope of the transaction, and that of the argument.
        const [outer, scope] = [{ organisationIds: visible }, { organisationIds: requested }];
        const wanted = requested.filter((id) => visible.includes(id));
        await scoped(database.db, outer, async (tx) => {
          const found: number[] = [];
          await eventStore.scan(tx, scope, { start: now - 1, end: now + 1 }, (each) => found.push(each.organisationId) < 0);
          expect(found.sort()).toEqual(wanted);
          const counted = await eventStore.counts(tx, scope, { start: now - dayMs, end: now + dayMs, bucketMs: hourMs });
          expect([...counted.values()].reduce((sum, count) => sum + count, 0)).toBe(wanted.length);
          const query = { start: now - 1, end: now + 1 };
          expect(
            (await eventStore.newest(tx, scope, [query]))
              .flat()
              .map((each) => each.organisationId)
              .sort(),
          ).toEqual(wanted);
          const { rows } = await sql<{
            organisation_id: number;
          }>`select * from ${eventStore.table(scope, query)} e order by 1`.execute(tx);
          expect(rows.map((row) => row.organisation_id)).toEqual(wanted);
          for (const id of requested) {
            const isIn = visible.includes(id);
            expect((await eventStore.find(tx, id, [event])).size).toBe(isIn ? 1 : 0);
            expect((await eventStore.held(tx, id)).count).toBe(isIn ? 1 : 0);
            expect(await eventStore.firstArrival(tx, scope, id, 'd')).toBe(isIn ? now + 1_000 : undefined);
          }
        });
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  test('leaves a corrupt block out, names it once, and finds the rest', async () => {
    await append([eventOf(now, { text: 'whole' })]);
    await append([eventOf(now - 1, { text: 'corrupt' })]);
    await runAs(
      database.ownerUrl,
      `update event_blocks set body = set_byte(body, octet_length(body) - 3, 255 - get_byte(body, octet_length(body) - 3)), id = gen_random_uuid()
       where organisation_id = ${organisationId} and first_at < '${new Date(now).toISOString()}'`,
    );
    const notified: unknown[] = [];
    onCorruptBlock((_, error) => notified.push(error));
    expect((await scan()).map(({ text }) => text)).toEqual(['whole']);
    expect((await scan()).map(({ text }) => text)).toEqual(['whole']);
    expect(await scoped(database.db, own(), (tx) => eventRows(tx))).toHaveLength(1);
    expect(notified).toMatchObject([{ name: 'CorruptBlockError' }]);
  });
});

describe('the background', () => {
  test('merges small blocks without a change to what is found', async () => {
    const events = Array.from({ length: 240 }, (_, n) => eventOf(now - n * 10 * 60_000, { document: { n } }));
    for (let from = 0; from < events.length; from += 12) await append(events.filter((_, n) => n % 20 === from / 12));
    const before = await scan();
    expect((await blocks()).length).toBeGreaterThan(20);
    await mergeBlocks(database.db, now + 3 * dayMs);
    expect(await blocks()).toHaveLength(3);
    const after = await scan();
    expect(after.map((event) => [event.id, event.at, event.json])).toEqual(
      before.map((event) => [event.id, event.at, event.json]),
    );
    expect(await append(events)).toEqual(new Set());
    expect(await scoped(database.db, own(), (tx) => eventStore.held(tx, organisationId))).toEqual({
      count: 240,
      oldest: new Date(now - 239 * 600_000).toISOString(),
    });
  });

  test('merges the rest of an hour once its client sends nothing', async () => {
    const of = (from: number) => Array.from({ length: 400 }, (_, n) => eventOf(now + from + n, { document: { n } }));
    for (const from of [0, 400, 800]) await append(of(from));
    await mergeBlocks(database.db, now + 10_000);
    expect(await blocks()).toEqual([400, 400, 400]);
    await mergeBlocks(database.db, now + 60_000);
    expect(await blocks()).toEqual([1_200]);
    await append(of(1_200));
    await mergeBlocks(database.db, now + 60_000);
    expect((await blocks()).sort()).toEqual([1_200, 400]);
  });

  test('merges small blocks of a month that has no table yet', async () => {
    const at = Date.UTC(2024, 1, 3);
    await append([eventOf(at, { text: 'first' })]);
    await append([eventOf(at + 1, { text: 'second' })]);
    await mergeBlocks(database.db, now);
    expect(await blocks()).toEqual([2]);
  });

  test('packs rows of the table before, which are found during it', async () => {
    const id = organisationId;
    await runAs(
      database.ownerUrl,
      `create table if not exists event_rows_2026_11 partition of event_rows for values from ('2026-11-01') to ('2026-12-01')`,
      `insert into event_rows select ${id}, '2026-11-26'::timestamptz - n * interval '7 hours', ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
        now(), 0, 'ecs', 'd' || n % 2, null, 'row ' || n, jsonb_build_object('n', n) from generate_series(1, 25) n`,
    );
    await append([eventOf(Date.UTC(2026, 10, 24), { text: 'in a block' })]);
    const seen = async () => (await scan()).map((event) => [event.at, event.text, event.document]);
    const before = await seen();
    expect(before).toHaveLength(26);
    const first = { id: '00000000-0000-0000-0000-000000000001', at: Date.UTC(2026, 10, 25, 17) };
    expect(await append([eventOf(first.at, first)])).toEqual(new Set());
    const find = () => scoped(database.db, own(), (tx) => eventStore.find(tx, id, [first]));
    expect((await find()).get(first.id)?.text).toBe('row 1');
    expect(await scoped(database.db, own(), (tx) => eventRows(tx))).toHaveLength(26);
    // Interrupted: one pack of a day only.
    await packRows(database.db, 1);
    expect(await seen()).toEqual(before);
    expect(await packRows(database.db, 60_000)).toBeLessThan(25);
    expect(await seen()).toEqual(before);
    expect((await find()).get(first.id)?.text).toBe('row 1');
    const { rows } = await scoped(database.db, 'system', (tx) =>
      sql<{ has: boolean }>`select has_event_rows() as has`.execute(tx),
    );
    expect(rows).toEqual([{ has: false }]);
  });

  test('refuses to remove blocks whose events no other block holds', async () => {
    await append([eventOf(now)]);
    await append([eventOf(now + 1), eventOf(now + 2)]);
    const { rows } = await scoped(database.db, own(), (tx) =>
      sql<{ id: string }>`select id from event_blocks where organisation_id = ${organisationId} order by count`.execute(tx),
    );
    const remove = (scope: Scope) =>
      scoped(database.db, scope, (tx) =>
        sql`select remove_merged_blocks(${organisationId}, ${[rows[0]!.id]}::uuid[], ${new Date(Date.UTC(2026, 10, 26))}, ${rows[1]!.id})`.execute(
          tx,
        ),
      );
    await expect(remove('system')).rejects.toThrow('blocks of 1 events would become one of 2');
    await expect(remove(own())).rejects.toThrow('only the portal');
  });
});
