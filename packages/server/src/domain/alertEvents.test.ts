import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runAs, useTestDatabase } from '../../test/database.ts';
import { readScoped, type Scope, scoped } from '../core/db/scope.ts';
import { packAlertEvents } from './alertEvents.pack.ts';
import { type AlertEvent, alertsOfPackedEvent, readAlertEventIds, readAlertEvents, readPackedEvents } from './alertEvents.ts';
import { onCorruptBlock } from './events/openBlocks.ts';

const database = useTestDatabase();

const now = Date.UTC(2025, 10, 20, 12);
let organisation = 500;
let nextAlert = 1_000;
const why = { condition: 'selection', items: [] };

async function put(organisationId: number, copies: readonly (AlertEvent & { alertAt: number })[]): Promise<void> {
  await scoped(database.db, 'system', (tx) =>
    sql`select make_partitions(${new Date(now)}::date, ${new Date(now)}::date)`.execute(tx),
  );
  await scoped(database.db, { organisationIds: [organisationId] }, (tx) =>
    tx
      .insertInto('alert_events')
      .values(
        copies.map((copy) => ({
          organisation_id: organisationId,
          alert_id: copy.alertId,
          alert_at: new Date(copy.alertAt),
          event_id: copy.eventId,
          event_at: new Date(copy.at),
          text: copy.text,
          why: JSON.stringify(copy.why),
          document: JSON.stringify(copy.document),
          is_recent: true,
        })),
      )
      .execute(),
  );
}

const copyOf = (alertId: number, n: number, document: Record<string, unknown> = { n }) => ({
  alertId,
  alertAt: now + alertId,
  eventId: randomUUID(),
  at: now + alertId + n * 1_000,
  text: `copy ${n}`,
  why,
  document,
});
const refOf = (copy: { alertId: number; alertAt: number }) => ({ id: copy.alertId, at: new Date(copy.alertAt) });
const read = (
  scope: Scope,
  copies: readonly { alertId: number; alertAt: number }[],
  query = { most: 50, isNewestFirst: false },
) => readScoped(database.db, scope, (tx) => readAlertEvents(tx, scope, copies.map(refOf), query));
const rowsLeft = async (organisationId: number) =>
  Number(
    (await runAs(database.ownerUrl, `select count(*) as rows from alert_events where organisation_id = ${organisationId}`))[0]
      ?.rows[0]?.rows,
  );

/** JSON that PostgreSQL can hold. */
const hostile = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 20, stringUnit: 'binary' }), { maxKeys: 8 })
  .map((document) => JSON.parse(JSON.stringify(document).replaceAll('\\u0000', ' ')) as Record<string, unknown>)
  .filter((document) => !/\\ud[89a-f]/.test(JSON.stringify(document)));

test('reads packed copies as their rows were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 64, maxLength: 80 }), async (documents) => {
      const id = ++organisation;
      const own = { organisationIds: [id] };
      const alerts = [++nextAlert, ++nextAlert, ++nextAlert];
      const copies = documents.map((document, n) => copyOf(alerts[n % 3]!, n, document));
      await put(id, copies);
      const before = await read(own, copies);
      const newest = await read(own, copies, { most: 2, isNewestFirst: true });
      expect(await packAlertEvents(database.db, now, 10_000, 64)).toBe(copies.length);
      expect(await rowsLeft(id)).toBe(0);
      expect(await read(own, copies)).toEqual(before);
      expect(await read(own, copies, { most: 2, isNewestFirst: true })).toEqual(newest);
    }),
    { numRuns: 15 },
  );
}, 60_000);

test('joins rows and packs of one alert, and leaves few copies as they are', async () => {
  const id = ++organisation;
  const own = { organisationIds: [id] };
  const alertId = ++nextAlert;
  const packed = Array.from({ length: 64 }, (_, n) => copyOf(alertId, 2 * n));
  await put(id, packed);
  await packAlertEvents(database.db, now, 10_000, 64);
  const later = [{ ...copyOf(alertId, 3), alertAt: packed[0]!.alertAt }];
  await put(id, later);
  expect(await packAlertEvents(database.db, now, 10_000, 64)).toBe(0);
  const found = (await read(own, packed, { most: 5, isNewestFirst: false })).get(alertId);
  expect(found?.map(({ text }) => text)).toEqual(['copy 0', 'copy 2', 'copy 3', 'copy 4', 'copy 6']);
  const ids = await readScoped(database.db, own, (tx) => readAlertEventIds(tx, own, packed.slice(0, 1).map(refOf)));
  expect(ids.get(alertId)?.sort()).toEqual([...packed, ...later].map(({ eventId }) => eventId).sort());
  // Few copies wait for an hour at most.
  expect(await packAlertEvents(database.db, Date.now() + 2 * 3_600_000, 10_000)).toBe(1);
  expect((await read(own, packed, { most: 5, isNewestFirst: false })).get(alertId)).toEqual(found);
});

test('waits for more copies while they come', async () => {
  const id = ++organisation;
  const pack = (at: number) => packAlertEvents(database.db, at, 10_000);
  await put(
    id,
    Array.from({ length: 70 }, (_, n) => copyOf(6_000, n)),
  );
  expect(await pack(Date.now())).toBe(0);
  expect(await pack(Date.now() + 60_000)).toBe(70);
  await put(
    id,
    Array.from({ length: 512 }, (_, n) => copyOf(6_001, n)),
  );
  expect(await pack(Date.now())).toBe(512);
});

test('finds the alerts of a packed event', async () => {
  const id = ++organisation;
  const own = { organisationIds: [id] };
  const copies = Array.from({ length: 70 }, (_, n) => copyOf(5_000 + (n % 7), n));
  await put(id, copies);
  await packAlertEvents(database.db, now, 10_000, 64);
  const event = { id: copies[9]!.eventId, at: copies[9]!.at };
  const range = { start: now - 86_400_000, end: now + 86_400_000 };
  const of = (scope: Scope, query = event) =>
    readScoped(database.db, scope, (tx) => alertsOfPackedEvent(tx, scope, query, range));
  expect(await of(own)).toEqual([copies[9]!.alertId]);
  expect(await of(own, { ...event, at: event.at + 1 })).toEqual([]);
  expect(await of({ organisationIds: [id + 1_000] })).toEqual([]);
});

test('shows no pack of another organisation, and lets nothing be removed outside the pass', async () => {
  const id = ++organisation;
  const copies = Array.from({ length: 64 }, (_, n) => copyOf(7_000, n));
  await put(id, copies);
  await packAlertEvents(database.db, now, 10_000, 64);
  const other = { organisationIds: [id + 1_000] };
  const named = { organisationIds: [id] };
  await readScoped(database.db, other, async (tx) => {
    expect(await readPackedEvents(tx, named, copies.map(refOf), { most: 5 })).toEqual(new Map());
    expect(await readPackedEvents(tx, other, copies.map(refOf), { most: 5 })).toEqual(new Map());
  });
  await expect(
    scoped(database.db, named, (tx) => sql`select remove_packed_copies(${id}, '{}', '{}', '{}', gen_random_uuid())`.execute(tx)),
  ).rejects.toThrow("only the portal's own work packs copies of events");
});

test('leaves a corrupt pack out and finds the rest', async () => {
  const id = ++organisation;
  const own = { organisationIds: [id] };
  const first = Array.from({ length: 64 }, (_, n) => copyOf(8_001, n));
  const second = Array.from({ length: 64 }, (_, n) => copyOf(8_002, n));
  for (const copies of [first, second]) {
    await put(id, copies);
    await packAlertEvents(database.db, now, 10_000, 64);
  }
  await runAs(
    database.ownerUrl,
    `update alert_event_packs set body = set_byte(body, octet_length(body) - 3, 255 - get_byte(body, octet_length(body) - 3))
     where organisation_id = ${id} and alert_ids = '{8001}'`,
  );
  const notified: unknown[] = [];
  onCorruptBlock((_, error) => notified.push(error));
  const found = await read(own, [first[0]!, second[0]!], { most: 100, isNewestFirst: false });
  expect([found.get(8_001), found.get(8_002)?.length]).toEqual([undefined, 64]);
  expect(notified).toMatchObject([{ name: 'CorruptBlockError' }]);
});

test('removes a pack with the last of its alerts', async () => {
  const id = ++organisation;
  const own = { organisationIds: [id] };
  const copies = Array.from({ length: 64 }, (_, n) => copyOf(9_000 + (n % 2), n));
  await put(id, copies);
  await packAlertEvents(database.db, now, 10_000, 64);
  await runAs(
    database.ownerUrl,
    `insert into alerts (organisation_id, id, at, last_at, raised_at, rule_id, criticality, summary)
     select ${id}, n, '${new Date(now).toISOString()}'::timestamptz + n * interval '1 millisecond', '${new Date(now).toISOString()}', now(), 1, 1, 'x' from unnest('{9000,9001}'::integer[]) n`,
    `insert into organisations (id, name) values (${id}, 'Packed')`,
  );
  const before = new Date(now + 20_000);
  const remove = () =>
    scoped(database.db, 'system', async (tx) => {
      await sql`select remove_over_age('alerts', ${id}, ${before}, 1)`.execute(tx);
    });
  await remove();
  expect((await read(own, copies)).size).toBe(2);
  await remove();
  expect((await read(own, copies)).size).toBe(0);
});
