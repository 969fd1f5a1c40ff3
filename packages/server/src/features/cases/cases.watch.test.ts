import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { seedCase } from '../../../test/seed.ts';
import { movableClock } from '../../core/clock.ts';
import { connect, type Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { createWatch } from './cases.watch.ts';

const opened = Date.parse('2026-03-01T00:00:00Z');
const organisationId = 5001;
let database: TestDatabase;
let db: Database;
let notified: string[];
const clock = movableClock(opened);
/** Critical at 'Respond 24×7': 15 minutes to acknowledge, 60 to contain, 480 to close. */
const make = (set: object = {}) => seedCase(db, { organisationId, at: opened, criticality: 5, alerts: [], set });
const watchAt = async (minutes: number) => {
  clock.moveTo(opened + minutes * minuteMs);
  await createWatch({
    db,
    clock,
    onSlaNotified: async (_tx, clocks) =>
      void notified.push(...clocks.map(({ record, clock: next }) => `${record.id} ${next.name} ${next.state}`)),
  }).watchClocks();
};
const row = (id: number) =>
  scoped(db, 'system', (tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const history = async (id: number) =>
  (
    await scoped(db, 'system', (tx) =>
      tx.selectFrom('case_history').selectAll().where('case_id', '=', id).orderBy('id').execute(),
    )
  ).map(({ text, is_internal }) => `${is_internal ? 'internal: ' : ''}${text}`);

beforeAll(async () => {
  database = await testDatabase();
  db = connect({ url: database.url, applicationName: 'test', poolSize: 4 });
  await scoped(db, 'system', (tx) =>
    tx.insertInto('organisations').values({ id: organisationId, name: 'Alder', subscription_level_id: 3 }).execute(),
  );
});
afterAll(async () => {
  await db.close();
  await database.close();
});
beforeEach(async () => {
  notified = [];
  await scoped(db, 'system', (tx) =>
    tx
      .updateTable('cases')
      .set({ closed_at: new Date(opened) })
      .execute(),
  );
});

test('notifies once before and once after a timer runs out', async () => {
  const { id } = await make();
  await watchAt(11);
  expect(notified).toEqual([]);
  await watchAt(12);
  await watchAt(13);
  expect(notified).toEqual([`${id} acknowledge warning`]);
  await watchAt(16);
  await watchAt(400);
  expect(notified).toEqual([`${id} acknowledge warning`, `${id} acknowledge breached`]);
  expect(await history(id)).toEqual([
    'internal: Time to acknowledge: target at risk (15 minutes)',
    'internal: Time to acknowledge: target missed (15 minutes)',
  ]);
  // The version is unchanged, so no open page became stale.
  expect((await row(id)).version).toBe(1);
});

test('notifies about the next timer once the previous one is reached', async () => {
  const { id } = await make({ acknowledged_at: new Date(opened) });
  await watchAt(50);
  await watchAt(70);
  expect(notified).toEqual([`${id} contain warning`, `${id} contain breached`]);
});

test('notifies once with two concurrent workers', async () => {
  const { id } = await make();
  await Promise.all([watchAt(100), watchAt(100), watchAt(100)]);
  expect(notified).toEqual([`${id} acknowledge breached`]);
});

test('skips waiting cases, ends expired waits and resumes their timers', async () => {
  const at = (minutes: number) => new Date(opened + minutes * minuteMs);
  const { id } = await make({
    acknowledged_at: at(1),
    investigation_status: 3,
    waiting_since: at(50),
    wait_expires_at: at(110),
  });
  await watchAt(109);
  expect(notified).toEqual([]);
  await watchAt(110);
  expect(await row(id)).toMatchObject({ waiting_since: null, wait_expires_at: null, waited_ms: 60 * minuteMs, version: 2 });
  expect((await history(id))[0]).toBe('Wait for the client ended; SLA timers resumed');
  expect(notified).toEqual([`${id} contain warning`]);
  await watchAt(119);
  expect(notified).toHaveLength(1);
  await watchAt(121);
  expect(notified.at(-1)).toBe(`${id} contain breached`);
});

test('skips closed cases and processes several batches', async () => {
  await make({ status: 'closed', closed_at: new Date(opened) });
  await watchAt(9_999);
  expect(notified).toEqual([]);
  await scoped(db, { organisationIds: [organisationId] }, (tx) =>
    tx
      .insertInto('cases')
      .values(
        Array.from({ length: 450 }, () => ({
          organisation_id: organisationId,
          title: 'x',
          criticality: 5,
          created_at: new Date(opened),
          first_alert_at: new Date(opened),
          last_alert_at: new Date(opened),
        })),
      )
      .execute(),
  );
  await watchAt(9_999);
  expect(new Set(notified).size).toBe(450);
});
