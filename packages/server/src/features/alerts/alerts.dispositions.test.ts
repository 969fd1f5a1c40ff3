/**
 * The list by disposition has exactly the alerts that the reconciliation counts, day by day; exports and bulk jobs cover the
 * same.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { alertDispositions, alertsApi } from '@parapet/contract/alerts.ts';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { balanceApi, type ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type Seeded, type SeedRule, seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

const today = Math.floor(Date.now() / dayMs) * dayMs;
const [monday, tuesday] = [today - 3 * dayMs, today - 2 * dayMs];
const days = [monday, tuesday];
const iso = (at: number) => new Date(at).toISOString();

const t = useTestApp({ PORTAL_ROLES: 'api,ingest,worker' });
let partner: number;
let client: number;
let other: number;
let staff: TestUser;
let rule: SeedRule;
const made: Record<string, number> = {};

const suppress = (organisationId: number, alerts: readonly Seeded[]) =>
  scoped(t.db, 'system', async (tx) => {
    const { id } = await tx
      .insertInto('exceptions')
      .values({
        kind: 'suppression',
        organisation_id: organisationId,
        rule_id: rule.id,
        owner_user_id: staff.id,
        owner_name: 'Test',
        reason: 'known',
        ends_at: new Date(today + dayMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('suppressed_alerts')
      .values(
        alerts.map((alert) => ({
          organisation_id: organisationId,
          alert_id: alert.id,
          alert_at: new Date(alert.at),
          suppression_id: id,
        })),
      )
      .execute();
  });

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  other = await t.organisation({ parentId: partner });
  staff = await t.user({ organisationId: partner, role: 'Administrator' });
  rule = await seedRule(t.db);
  const alert = (at: number, count = 1) => ({ at, rule, count });
  // Including the very edges of the days: a millisecond decides.
  const plain = await seedAlerts(t.db, client, [
    alert(monday),
    alert(monday + dayMs - 1, 3),
    alert(tuesday),
    alert(tuesday + 5, 2),
    alert(tuesday + dayMs),
    alert(monday - 1),
  ]);
  const hidden = await seedAlerts(t.db, client, [
    alert(monday + 10),
    alert(monday + 11, 4),
    alert(tuesday + 12),
    alert(tuesday + 13),
  ]);
  await suppress(client, hidden);
  const open = await seedCase(t.db, { organisationId: client, alerts: [alert(monday + 20), alert(tuesday + 21, 5)] });
  const byPerson = await seedCase(t.db, { organisationId: client, alerts: [alert(monday + 30), alert(monday + 31)] });
  const byPortal = await seedCase(t.db, {
    organisationId: client,
    alerts: [alert(tuesday + 40), alert(tuesday + 41), alert(tuesday + 42, 2)],
  });
  await scoped(t.db, 'system', async (tx) => {
    const close = (id: number, by: number | null) =>
      tx.updateTable('cases').set({ status: 'closed', closed_at: new Date(), closed_by: by }).where('id', '=', id).execute();
    await close(byPerson.id, staff.id);
    await close(byPortal.id, null);
  });
  // Suppressed, then moved into a case manually.
  const answer = await t.call(casesApi.addAlert, { body: { caseID: open.id, alertID: hidden[3]!.id } }, staff);
  expect(answer.statusCode).toBe(200);
  Object.assign(made, { byHand: hidden[3]!.id, hidden: hidden[0]!.id, plain: plain[0]!.id });
  // Another client’s alerts count nowhere here.
  await suppress(other, await seedAlerts(t.db, other, [alert(monday + 50)]));
  await seedCase(t.db, { organisationId: other, alerts: [alert(tuesday + 50)] });
}, 60_000);

const list = async (day: number, query: object, of = client, user = staff) => {
  const params = { client: of, start: iso(day), end: iso(day + dayMs) };
  const answer = await t.call(alertsApi.list, { params, query }, user);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()]);
  return alertsApi.list.answer.parse(answer.json());
};
const balance = async (of = client): Promise<ReconciliationDay[]> =>
  (await t.call(balanceApi.get, { params: { client: of, start: iso(monday), end: iso(tuesday + dayMs) } }, staff)).json().results;

describe('a reconciliation figure and its list', () => {
  test('agree for each day and disposition', async () => {
    const sheet = await balance();
    const expected = [
      { shown: 2, folded: 5, suppressed: 2, autoClosed: 0, inCase: 3 },
      { shown: 2, folded: 6, suppressed: 1, autoClosed: 3, inCase: 2 },
    ];
    for (const [index, day] of days.entries()) {
      const counted = sheet.find(({ date }) => date === iso(day).slice(0, 10));
      expect(counted).toMatchObject({ ...expected[index], isBalanced: true });
      for (const disposition of alertDispositions) {
        const { results, total, totalIsAtLeast } = await list(day, { fate: disposition });
        const rows = disposition === 'folded' ? results.reduce((sum, { count }) => sum + count - 1, 0) : results.length;
        expect([disposition, rows, totalIsAtLeast]).toEqual([disposition, counted?.[disposition], false]);
        expect(total).toBe(results.length);
      }
    }
  });

  test('agree for all clients together', async () => {
    const sheet = await balance(0);
    for (const day of days) {
      const counted = sheet.filter(({ date }) => date === iso(day).slice(0, 10));
      for (const disposition of alertDispositions.filter((each) => each !== 'folded')) {
        const { total, results } = await list(day, { fate: disposition }, 0);
        expect([disposition, total]).toEqual([disposition, counted.reduce((sum, each) => sum + each[disposition], 0)]);
        expect(results).toHaveLength(total);
      }
    }
  });

  test('assign a suppressed alert that was moved into a case to the case only', async () => {
    const of = async (disposition: string) => (await list(tuesday, { fate: disposition })).results.map(({ id }) => id);
    expect(await of('inCase')).toContain(made.byHand);
    for (const disposition of ['shown', 'suppressed', 'autoClosed']) expect(await of(disposition)).not.toContain(made.byHand);
  });
});

describe('disposition filter', () => {
  test('accepts several, combines with other filters, and partitions all alerts', async () => {
    const [all, some] = [await list(monday, {}), await list(monday, { fate: 'shown,suppressed' })];
    expect(some.total).toBe(4);
    expect((await list(monday, { fate: 'shown,suppressed,autoClosed,inCase' })).total).toBe(all.total);
    expect((await list(monday, { fate: 'shown,shown' })).total).toBe(2);
    expect((await list(monday, { fate: 'inCase', severity: 'critical' })).total).toBe(0);
    expect((await list(monday, { fate: 'inCase', severity: 'medium', device: 'host-1', rule: rule.key })).total).toBe(3);
    expect((await list(monday, { fate: 'suppressed', text: `#${made.hidden}` })).results.map(({ id }) => id)).toEqual([
      made.hidden,
    ]);
    expect((await list(monday, { fate: 'suppressed', text: `#${made.plain}` })).total).toBe(0);
  });

  test.each(['createdTime', 'criticality', 'rule', 'deviceName', 'userName', 'count'] as const)('pages by %s', async (sort) => {
    for (const of of [client, 0]) {
      const pages = [await list(tuesday, { fate: 'autoClosed', sort, pageSize: 2 }, of)];
      pages.push(await list(tuesday, { fate: 'autoClosed', sort, pageSize: 2, page: 2 }, of));
      expect(pages.map(({ results, total }) => [results.length, total])).toEqual([
        [2, 3],
        [1, 3],
      ]);
      expect(new Set(pages.flatMap(({ results }) => results.map(({ id }) => id))).size).toBe(3);
    }
  });

  test.each(['gone', 'SHOWN', "'", 'shown,gone'])('rejects %s with an explanation', async (disposition) => {
    const params = { client, start: iso(monday), end: iso(tuesday) };
    const answer = await t.call(alertsApi.list, { params, query: { fate: disposition } }, staff);
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('fate')]);
  });

  test('stays within the reader’s scope: a client’s users have their own', async () => {
    const own = await t.user({ organisationId: other, role: 'Analyst' });
    expect((await list(monday, { fate: 'suppressed' }, other, own)).total).toBe(1);
    const params = { client, start: iso(monday), end: iso(tuesday) };
    expect((await t.call(alertsApi.list, { params, query: { fate: 'suppressed' } }, own)).statusCode).toBe(403);
  });

  test('exports the same rows', async () => {
    const params = { client, start: iso(monday), end: iso(monday + dayMs) };
    const answer = await t.call(alertsApi.exportList, { params, query: { fate: 'suppressed' } }, staff);
    const numbers = answer.body
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => Number.parseInt(line.replace(/^"/, ''), 10));
    expect(numbers.toSorted()).toEqual((await list(monday, { fate: 'suppressed' })).results.map(({ id }) => id).toSorted());
  });

  test('limits bulk jobs to these rows', async () => {
    const which = {
      selectedClientOrganizationID: client,
      start: iso(monday),
      end: iso(monday + dayMs),
      filters: { fate: ['inCase'] },
    };
    const requested = await t.call(bulkApi.alerts, { body: { which, change: { do: 'seen' } } }, staff);
    expect([requested.statusCode, requested.body]).toEqual([200, expect.anything()]);
    const { id } = requested.json();
    for (let tries = 0; tries < 400; tries++) {
      const { state } = (await t.call(bulkApi.get, { params: { id } }, staff)).json();
      if (state === 'done') break;
      await pause(25);
    }
    const seen = await list(monday, { status: 'seen' });
    expect(seen.total).toBe(3);
    expect((await list(monday, { status: 'seen', fate: 'inCase' })).total).toBe(3);
  });
});
