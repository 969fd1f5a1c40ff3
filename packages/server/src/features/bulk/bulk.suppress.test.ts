import { setTimeout as pause } from 'node:timers/promises';
import { type BulkJob, bulkApi, maxSuppressions } from '@parapet/contract/bulk.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type Seeded, type SeedRule, seedAlerts, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

const now = Date.now();
const start = new Date(now - 60 * dayMs).toISOString();
const end = new Date(now + dayMs).toISOString();
const endTime = new Date(now + 30 * dayMs).toISOString();
const suppress = { do: 'suppress', reason: 'Our scanner at work', endTime };

const t = useTestApp({ PORTAL_ROLES: 'api,ingest,worker' });
let partner: number;
let client: number;
let analyst: TestUser;
let rule: SeedRule;
let other: SeedRule;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  rule = await seedRule(t.db);
  other = await seedRule(t.db);
}, 60_000);

const requestSuppression = (of: { ids?: number[]; filters?: object }, change: object = suppress, user = analyst, id = client) =>
  t.call(bulkApi.alerts, { body: { which: { selectedClientOrganizationID: id, start, end, ...of }, change } } as never, user);
const ended = async (id: number, states = ['done', 'failed', 'undone']): Promise<BulkJob> => {
  for (let tries = 0; tries < 600; tries++) {
    const job = bulkApi.get.answer.parse((await t.call(bulkApi.get, { params: { id } } as never, analyst)).json());
    if (states.includes(job.state)) return job;
    await pause(25);
  }
  throw new Error(`job ${id} did not end`);
};
const suppressionsOf = (id: number) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('exceptions').where('organisation_id', '=', id).selectAll().orderBy('id').execute(),
  );
const caseOf = (organisationId: number, alerts: readonly Seeded[]) =>
  scoped(t.db, 'system', async (tx) => {
    const times = { first_alert_at: new Date(now), last_alert_at: new Date(now) };
    const { id } = await tx
      .insertInto('cases')
      .values({ organisation_id: organisationId, title: 'A case', criticality: 3, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('case_alerts')
      .values(
        alerts.map((alert) => ({
          organisation_id: organisationId,
          case_id: id,
          alert_id: alert.id,
          alert_at: new Date(alert.at),
          rule_id: alert.rule.id,
          criticality: 3,
          joined_by: 'test',
        })),
      )
      .execute();
    return id;
  });
const isExcluded = async (id: number) =>
  (
    await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('cases').where('id', '=', id).select('is_excluded').executeTakeFirstOrThrow(),
    )
  ).is_excluded;

describe('bulk suppression', () => {
  test('creates one suppression per rule, device and user, and ends only those on undo', async () => {
    const alerts = await seedAlerts(t.db, client, [
      { at: now - 5_000, rule, device: 'SCAN-1', user: 'ana' },
      { at: now - 4_000, rule, device: 'scan-1', user: 'ANA' },
      { at: now - 3_000, rule: other, device: 'SCAN-1', user: null },
      { at: now - 2_000, rule, device: null, user: 'bo' },
      { at: now - 1_000, rule, device: null, user: null },
    ]);
    const [covered, mixed] = [
      await caseOf(client, alerts.slice(0, 2)),
      await caseOf(
        client,
        await seedAlerts(t.db, client, [
          { at: now, rule: other, device: 'SCAN-1', user: 'ana' },
          { at: now, rule: other, device: 'WS-2' },
        ]),
      ),
    ];
    const requested = await requestSuppression({ ids: alerts.map(({ id }) => id) });
    expect(requested.json()).toMatchObject({ state: 'waiting', total: 4 });
    const done = await ended(requested.json().id);
    expect(done).toMatchObject({ state: 'done', changed: 3, skipped: 1 });
    expect(done.faults).toEqual([expect.stringContaining(`Alert ${alerts[4]!.id} has no device and no user`)]);
    const common = { reason: suppress.reason, owner_user_id: analyst.id, ends_at: new Date(endTime) };
    expect(await suppressionsOf(client)).toMatchObject([
      { rule_id: rule.id, device_name: 'SCAN-1', user_name: 'ana', ...common },
      { rule_id: other.id, device_name: 'SCAN-1', user_name: null, ...common },
      { rule_id: rule.id, device_name: null, user_name: 'bo', ...common },
    ]);
    expect([await isExcluded(covered), await isExcluded(mixed)]).toEqual([true, false]);

    // A repeated job changes nothing, and its undo leaves the first job alone.
    const again = await ended((await requestSuppression({ ids: [alerts[1]!.id] })).json().id);
    expect(again).toMatchObject({ changed: 0, skipped: 1, faults: [], undoUntil: null });

    expect((await t.call(bulkApi.undo, { params: { id: done.id } } as never, analyst)).statusCode).toBe(200);
    expect(await ended(done.id, ['undone', 'failed'])).toMatchObject({ state: 'undone', changed: 0 });
    expect((await suppressionsOf(client)).every(({ ends_at }) => ends_at <= new Date())).toBe(true);
    expect(await isExcluded(covered)).toBe(false);
    const audit = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').where('organisation_id', '=', client).select('action').execute(),
    );
    const counted = (action: string) => audit.filter((row) => row.action === action).length;
    expect([counted('suppression.created'), counted('suppression.ended')]).toEqual([3, 3]);
  });

  test('leaves out alerts whose suppression would hide those of malicious cases, and names the cases', async () => {
    const id = await t.organisation({ parentId: partner });
    const [bad, other] = await seedAlerts(t.db, id, [
      { at: now - 2_000, rule, device: 'DC-1' },
      { at: now - 1_000, rule, device: 'WS-9' },
    ]);
    const malicious = await caseOf(id, [bad!]);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ status: 'malicious' }).where('id', '=', malicious).execute(),
    );
    const done = await ended((await requestSuppression({ ids: [bad!.id, other!.id] }, suppress, analyst, id)).json().id);
    expect(done).toMatchObject({ state: 'done', changed: 1, skipped: 1 });
    expect(done.faults).toEqual([
      expect.stringContaining(`Alert ${bad!.id} was not suppressed. It would hide alerts of malicious case ${malicious}.`),
    ]);
    expect(await suppressionsOf(id)).toMatchObject([{ device_name: 'WS-9' }]);
  });

  test('deduplicates a filtered selection and refuses too many kinds', async () => {
    const id = await t.organisation({ parentId: partner });
    await seedAlerts(
      t.db,
      id,
      Array.from({ length: 1_500 }, (_, index) => ({ at: now - index * 1_000, rule, device: `D-${index % 12}`, user: null })),
    );
    const requested = await requestSuppression({ filters: {} }, suppress, analyst, id);
    expect(requested.json().total).toBe(12);
    expect(await ended(requested.json().id)).toMatchObject({ state: 'done', changed: 12, skipped: 0 });
    await seedAlerts(
      t.db,
      id,
      Array.from({ length: maxSuppressions - 11 }, (_, index) => ({ at: now - index, rule, device: `E-${index}`, user: null })),
    );
    const refused = await requestSuppression({ filters: {} }, suppress, analyst, id);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().errors.which[0]).toContain(`need ${maxSuppressions + 1} suppressions; at most ${maxSuppressions}`);
    expect(await suppressionsOf(id)).toHaveLength(12);
    const jobs = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('bulk_jobs').where('user_id', '=', analyst.id).select('state').execute(),
    );
    expect(jobs.every(({ state }) => state === 'done' || state === 'undone')).toBe(true);
  });

  test('needs permission, a reason and an end within a year', async () => {
    const id = await t.organisation({ parentId: partner });
    const [alert] = await seedAlerts(t.db, id, [{ at: now, rule, device: 'WS-9' }]);
    const ids = [alert!.id];
    const manager = await t.user({ organisationId: id, role: 'Manager' });
    const stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });
    expect((await requestSuppression({ ids }, { do: 'seen' }, manager, id)).statusCode).toBe(200);
    const denied = await requestSuppression({ ids }, suppress, manager, id);
    expect([denied.statusCode, denied.json().error]).toEqual([403, expect.stringContaining('suppressions:write')]);
    expect((await requestSuppression({ ids }, suppress, stranger, id)).statusCode).toBe(403);
    expect((await requestSuppression({ ids }, suppress, stranger, 0)).statusCode).toBe(404);
    for (const wrong of [
      { endTime: new Date(now - 1).toISOString() },
      { endTime: new Date(now + 400 * dayMs).toISOString() },
      { reason: ' no ' },
      { reason: undefined },
      { endTime: undefined },
    ])
      expect((await requestSuppression({ ids }, { ...suppress, ...wrong }, analyst, id)).statusCode).toBe(400);
    expect(await suppressionsOf(id)).toEqual([]);
  });
});
