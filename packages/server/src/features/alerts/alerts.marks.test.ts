import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type Seeded, type SeedRule, seedAlerts, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { listCounts } from '../../domain/figures.ts';

const now = Date.now();
const t = useTestApp();
let partner: number;
let rule: SeedRule;
let partnerAnalyst: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  rule = await seedRule(t.db, { criticality: 4 });
});

/** Spread over two months to touch every rollup. */
const alertsOf = (organisationId: number, count: number, isNew = true) =>
  seedAlerts(
    t.db,
    organisationId,
    Array.from({ length: count }, (_, index) => ({ at: now - (index % 40) * dayMs - index, rule, isNew, device: `=d${index}` })),
  );

const caseOf = (organisationId: number, alerts: readonly Seeded[]): Promise<number> =>
  scoped(t.db, 'system', async (tx) => {
    const { id } = await tx
      .insertInto('cases')
      .values({
        organisation_id: organisationId,
        title: 'A case',
        criticality: 4,
        first_alert_at: new Date(now),
        last_alert_at: new Date(now),
        alert_count: alerts.length,
        new_count: alerts.filter(({ isNew }) => isNew).length,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const alert of alerts) {
      await tx
        .insertInto('case_alerts')
        .values({
          organisation_id: organisationId,
          case_id: id,
          alert_id: alert.id,
          alert_at: new Date(alert.at),
          rule_id: rule.id,
          criticality: 4,
          joined_by: 'test',
        })
        .execute();
    }
    return id;
  });

const newOf = (caseId: number) =>
  scoped(t.db, 'system', async (tx) => {
    const row = await tx.selectFrom('cases').where('id', '=', caseId).select(['new_count', 'version']).executeTakeFirstOrThrow();
    return row.new_count;
  });

/** New alerts by day and month, by the rollups and by the alerts. */
const newFigures = (organisationId: number) =>
  scoped(t.db, 'system', async (tx) => {
    const sum = async (table: string) =>
      (
        await sql<{
          n: number;
        }>`select sum(new_count)::integer as n from ${sql.table(table)} where organisation_id = ${organisationId}`.execute(tx)
      ).rows[0]?.n;
    const { rows } = await sql<{
      n: number;
    }>`select count(*)::integer as n from alerts where organisation_id = ${organisationId} and is_new`.execute(tx);
    const counted = await listCounts<number>(
      tx,
      { organisationIds: [organisationId] },
      'newSeverity',
      { start: now - 60 * dayMs, end: now + dayMs },
      { now },
    );
    return {
      alerts: rows[0]?.n,
      days: await sum('rollup_day_severity'),
      months: await sum('rollup_month_severity'),
      figure: counted.reduce((total, { count }) => total + count, 0),
    };
  });
const all = (n: number) => ({ alerts: n, days: n, months: n, figure: n });

const mark = (
  body: { caseID?: number; alertIDs?: number[] },
  user?: TestUser,
  endpoint: 'markSeen' | 'markUnseen' = 'markSeen',
) => t.call(casesApi[endpoint], { body } as never, user);
const auditOf = (organisationId: number) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .where('organisation_id', '=', organisationId)
      .where('action', 'like', 'alerts.%')
      .selectAll()
      .execute(),
  );

describe('marking alerts', () => {
  test('updates all figures and the audit log, individually and by case, in both directions', async () => {
    const client = await t.organisation({ parentId: partner });
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    const alerts = await alertsOf(client, 90);
    const caseId = await caseOf(client, alerts.slice(0, 50));
    const [first, second, outside] = [alerts[0]!, alerts[1]!, alerts[60]!];
    expect((await mark({ alertIDs: [first.id, second.id, outside.id, first.id] }, analyst)).json()).toEqual({ changed: 3 });
    expect(await newFigures(client)).toEqual(all(87));
    expect(await newOf(caseId)).toBe(48);
    // Repeating it changes nothing and writes no audit entry.
    expect((await mark({ alertIDs: [first.id] }, analyst)).json()).toEqual({ changed: 0 });
    expect((await mark({ caseID: caseId }, partnerAnalyst)).json()).toEqual({ changed: 48 });
    expect(await newFigures(client)).toEqual(all(39));
    expect(await newOf(caseId)).toBe(0);
    expect((await mark({ caseID: caseId }, partnerAnalyst, 'markUnseen')).json()).toEqual({ changed: 50 });
    expect(await newFigures(client)).toEqual(all(89));
    expect(await newOf(caseId)).toBe(50);
    const audit = await auditOf(client);
    expect(audit.map(({ action, actor_user_id }) => [action, actor_user_id])).toEqual([
      ['alerts.markedSeen', analyst.id],
      ['alerts.markedSeen', partnerAnalyst.id],
      ['alerts.markedUnseen', partnerAnalyst.id],
    ]);
    expect(audit[0]?.after).toMatchObject({ changed: 3, alertIDs: [first.id, second.id, outside.id] });
  });

  test('updates both figures and both logs for two organisations in one call', async () => {
    const [one, other] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
    const [a] = await alertsOf(one, 1);
    const [b] = await alertsOf(other, 1);
    expect((await mark({ alertIDs: [b!.id, a!.id] }, partnerAnalyst)).json()).toEqual({ changed: 2 });
    for (const id of [one, other]) {
      expect(await newFigures(id)).toEqual(all(0));
      expect(await auditOf(id)).toHaveLength(1);
    }
  });

  test('covers a case with thousands of alerts', async () => {
    const client = await t.organisation({ parentId: partner });
    const alerts = await alertsOf(client, 4_500);
    const caseId = await caseOf(client, alerts.slice(0, 0));
    await scoped(t.db, 'system', (tx) =>
      sql`insert into case_alerts select organisation_id, ${caseId}, id, at, rule_id, criticality, 'test' from alerts where organisation_id = ${client}`.execute(
        tx,
      ),
    );
    await scoped(t.db, 'system', (tx) => tx.updateTable('cases').set({ new_count: 4_500 }).where('id', '=', caseId).execute());
    expect((await mark({ caseID: caseId }, partnerAnalyst)).json()).toEqual({ changed: 4_500 });
    expect(await newFigures(client)).toEqual(all(0));
    expect(await newOf(caseId)).toBe(0);
  });

  test('loses nothing under concurrent marks in both directions while alerts are raised', async () => {
    const client = await t.organisation({ parentId: partner });
    const key = await t.ingestKey(client);
    const alerts = await alertsOf(client, 60);
    const caseId = await caseOf(client, alerts);
    const ids = alerts.map(({ id }) => id);
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, (_, index) =>
        index % 3 === 0
          ? mark({ caseID: caseId }, partnerAnalyst, index % 2 ? 'markSeen' : 'markUnseen')
          : mark({ alertIDs: index % 2 ? ids : [...ids].reverse() }, partnerAnalyst, index % 2 ? 'markSeen' : 'markUnseen'),
      ),
      ...Array.from({ length: 8 }, (_, index) =>
        t.send(key, [
          {
            '@timestamp': new Date(now).toISOString(),
            host: { name: `h${index}` },
            process: { name: 'sudo' },
            message: 'mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh',
          },
        ]),
      ),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    const figures = await newFigures(client);
    expect(figures).toEqual(all(figures.alerts!));
    const { rows } = await scoped(t.db, 'system', (tx) =>
      sql<{
        n: number;
      }>`select count(*)::integer as n from alerts a join case_alerts c on c.alert_id = a.id where c.case_id = ${caseId} and a.is_new`.execute(
        tx,
      ),
    );
    expect(await newOf(caseId)).toBe(rows[0]?.n);
  });
});

describe('rejected marks', () => {
  test('return 404 for the whole call with a foreign or missing alert or case, changing nothing', async () => {
    const [client, elsewhere] = [await t.organisation({ parentId: partner }), await t.organisation()];
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    const [own] = await alertsOf(client, 1);
    const foreign = await alertsOf(elsewhere, 1);
    const foreignCase = await caseOf(elsewhere, foreign);
    for (const body of [
      { alertIDs: [own!.id, foreign[0]!.id] },
      { alertIDs: [own!.id, 2_147_483_647] },
      { caseID: foreignCase },
      { caseID: 2_147_483_647 },
    ]) {
      const answer = await mark(body, analyst);
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error).toMatch(/^Couldn’t find (alert|case) \d+, or you don’t have access to it\.$/);
    }
    expect(await newFigures(client)).toEqual(all(1));
    expect(await newFigures(elsewhere)).toEqual(all(1));
  });

  test('return 401 to anonymous callers, 403 to an unknown role, 400 for none or too many', async () => {
    const client = await t.organisation({ parentId: partner });
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    const [own] = await alertsOf(client, 1);
    const body = { alertIDs: [own!.id] };
    expect((await mark(body)).statusCode).toBe(401);
    expect((await mark(body, await t.user({ organisationId: client, role: 'Visitor' }))).statusCode).toBe(403);
    for (const wrong of [{}, { caseID: 1, alertIDs: [own!.id] }, { alertIDs: Array.from({ length: 1_001 }, (_, i) => i + 1) }])
      expect((await mark(wrong, analyst)).statusCode).toBe(400);
    expect(await newFigures(client)).toEqual(all(1));
  });
});

describe('CSV export', () => {
  const list = (id: number, query: object, user?: TestUser) =>
    t.call(
      alertsApi.exportList,
      {
        params: { client: id, start: new Date(now - 60 * dayMs).toISOString(), end: new Date(now + dayMs).toISOString() },
        query,
      } as never,
      user,
    );

  test('contains every alert once, newest first, over many pages and ties, filtered, without formulas', async () => {
    const client = await t.organisation({ parentId: partner });
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    await seedAlerts(
      t.db,
      client,
      Array.from({ length: 3_300 }, (_, index) => ({
        at: now - Math.floor(index / 700) * dayMs,
        rule,
        device: index % 2 ? '=cmd|1' : 'plain',
        isNew: index % 3 === 0,
      })),
    );
    const answer = await list(client, {}, analyst);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="alerts.csv"');
    const rows = answer.body.trimEnd().split('\r\n').slice(1);
    const ids = rows.map((row) => Number(row.split(',')[0]));
    expect(new Set(ids).size).toBe(3_300);
    expect(rows).toHaveLength(3_300);
    const times = rows.map((row) => row.split(',')[1]!);
    expect([...times].sort().reverse()).toEqual(times);
    expect(answer.body).toContain(`"'=cmd|1"`);
    const filtered = await list(client, { device: 'plain', status: 'new', severity: 'high' }, analyst);
    expect(filtered.body.trimEnd().split('\r\n')).toHaveLength(1 + 550);
    expect((await list(client, { rule: 'no such rule' }, analyst)).body.trimEnd().split('\r\n')).toHaveLength(1);
    expect((await auditOf(client)).map(({ action }) => action)).toEqual([
      'alerts.exported',
      'alerts.exported',
      'alerts.exported',
    ]);
  });

  test('covers all clients of the scope; 403 for foreign ones, 401 for anonymous callers', async () => {
    const [client, elsewhere] = [await t.organisation({ parentId: partner }), await t.organisation({ name: 'Stranger' })];
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    await alertsOf(client, 1);
    await alertsOf(elsewhere, 1);
    const everything = await list(0, {}, partnerAnalyst);
    expect(everything.body).toContain(`Organisation ${client}`);
    expect(everything.body).not.toContain('Stranger');
    expect((await list(elsewhere, {}, partnerAnalyst)).statusCode).toBe(403);
    expect((await list(0, {}, analyst)).statusCode).toBe(403);
    expect((await list(client, {})).statusCode).toBe(401);
  });
});
