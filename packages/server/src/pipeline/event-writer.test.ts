import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  alerts,
  batch,
  database,
  event,
  eventWriter,
  eventWriterOn,
  expectRollupsToHold,
  inOrganisation,
  noon,
  organisationId,
  setUpEventWriter,
  storedEvents,
  writeBatch,
} from '../../test/event-writer.ts';
import { scoped } from '../core/db/scope.ts';
import type { Event } from './event.ts';

setUpEventWriter();

describe('events', () => {
  test('stores events unchanged and once', async () => {
    const events = [
      event({ seed: 'a', document: { x: 'é\u001e"\\ 日本', n: 1.5, deep: { list: [1, null, 'two'] } } }),
      event({ device: null, user: null }),
    ];
    expect((await writeBatch(...events)).stored).toEqual(new Set(events.map(({ id }) => id)));
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
    const again = await writeBatch(...events);
    expect(again.stored.size).toBe(0);
    expect(await storedEvents()).toHaveLength(2);
  });

  test('judges and counts events from before a time without storing them', async () => {
    const [old, recent] = [event({ at: noon - hourMs, rules: ['plain'] }), event({ at: noon, rules: ['other'] })];
    const { stored } = await eventWriterOn(database.db, hourMs, noon).writeBatch(batch([old, recent]));
    expect(stored).toEqual(new Set([old.id, recent.id]));
    expect((await storedEvents()).map(({ id }) => id)).toEqual([recent.id]);
    expect((await alerts()).map(({ key }) => key).sort()).toEqual(['other', 'plain']);
    await expectRollupsToHold();
  });

  test('round-trips any text, document or missing value', async () => {
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
          // Values that PostgreSQL cannot hold have been replaced by the parse step.
          const clean = <T>(value: T): T =>
            JSON.parse(JSON.stringify(value).replaceAll(/\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, '\uFFFD')) as T;
          const events = made.map(({ text, user, document }) => ({
            ...event({ at: noon + made.length }),
            text,
            userName: user,
            document: clean(document),
          }));
          await writeBatch(...events);
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

  test('recognises events without a time within the hour, and stores them again after it', async () => {
    const timeless = (at: number) => event({ at, seed: `timeless ${organisationId}`, hasOwnTime: false });
    expect((await writeBatch(timeless(noon))).stored.size).toBe(1);
    expect((await writeBatch(timeless(noon + 30 * minuteMs))).stored.size).toBe(0);
    expect((await writeBatch(timeless(noon + 2 * hourMs))).stored.size).toBe(1);
    expect(await storedEvents()).toHaveLength(2);
  });

  test('recognises an event that is sent again after the clock was set back or forth', async () => {
    const shown = (seed: string) => event({ at: noon, seed: `${seed} ${organisationId}` });
    const ahead = (seed: string) => ({
      ...shown(seed),
      receivedAt: noon - hourMs,
      at: noon - hourMs,
      hasOwnTime: false,
      aheadAt: noon,
    });
    for (const [first, second] of [
      [shown('back'), ahead('back')],
      [ahead('forth'), shown('forth')],
    ] as const) {
      expect((await writeBatch(first)).stored.size).toBe(1);
      expect((await writeBatch(second)).stored.size).toBe(0);
    }
    expect(await storedEvents()).toHaveLength(2);
  });

  test('keeps events of organisations apart', async () => {
    const mine = organisationId;
    await writeBatch(event({ rules: ['plain'] }));
    expect(await storedEvents(mine + 1)).toEqual([]);
    expect(await alerts(mine + 1)).toEqual([]);
    expect(await inOrganisation((tx) => tx.selectFrom('alert_folds').selectAll().execute(), mine + 1)).toEqual([]);
    // The same rule, device and user in another organisation is another alert.
    await scoped(database.db, 'system', (tx) =>
      tx.insertInto('organisations').values({ id: 9_000, name: 'Other', is_partner: false, parent_id: null }).execute(),
    );
    await writeBatch(event({ rules: ['plain'], organisationId: 9_000 }));
    expect(await alerts(9_000)).toHaveLength(1);
    expect((await alerts(mine)).map((alert) => alert.fire_count)).toEqual([1]);
  });

  test('counts events by outcome', async () => {
    const events = [event(), event()];
    await writeBatch(...events);
    await eventWriter.writeBatch(
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

describe('what cannot be stored', () => {
  const poisons: [string, () => Event][] = [
    ['a time beyond PostgreSQL', () => event({ at: 8.64e15 - 1_000 })],
    [
      'a device name beyond its index',
      () => event({ device: Array.from({ length: 3_000 }, () => Math.random().toString(36)).join('') }),
    ],
    ['a time that is none', () => ({ ...event(), at: Number.NaN })],
  ];
  test.each(poisons)('turns %s into a dead letter and stores the rest', async (_name, poison) => {
    const events = Array.from({ length: 9 }, (_, i) => event({ rules: ['plain'], at: noon + i }));
    const bad = poison();
    events.splice(5, 0, bad);
    const letter = { receivedAt: noon, step: 'parse', reason: 'not-json', raw: '{' };
    const counts = new Map([
      ['not-json', 1],
      ['received', 11],
    ]);
    const result = await eventWriter.writeBatch(batch(events, [letter], counts));
    expect(result.refused).toEqual(new Set([bad.id]));
    expect(result.stored.size).toBe(9);
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
      // Received events are counted once, however the batch was halved.
      { reason: 'received', count: 11 },
      { reason: 'stored', count: 9 },
    ]);
    await expectRollupsToHold();
  });

  test('fails the whole batch for other errors: nothing stored, nothing acknowledged', async () => {
    // The month of alerts is missing, which is not the event’s fault: the shipper sends again.
    const events = [event({ rules: ['plain'] }), event({ at: Date.parse('2031-01-01T00:00:00Z'), rules: ['plain'] })];
    await expect(writeBatch(...events)).rejects.toMatchObject({ code: '23514' });
    expect(await storedEvents()).toEqual([]);
    expect(await alerts()).toEqual([]);
    expect(await inOrganisation((tx) => tx.selectFrom('devices').selectAll().execute())).toEqual([]);
  });
});
