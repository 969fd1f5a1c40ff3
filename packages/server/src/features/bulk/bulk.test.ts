import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BulkJob, bulkApi } from '@parapet/contract/bulk.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp, useTestApp } from '../../../test/app.ts';
import { bulkCasesOn } from '../../../test/cases.fixture.ts';
import { untilLocked } from '../../../test/locks.ts';
import { seedAlerts, seedRule } from '../../../test/seed.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { findActorOfUser } from '../auth/auth.store.ts';
import { type ActorNow, createBulkWorker } from './bulk.worker.ts';

const now = Date.now();
const start = new Date(now - 60 * dayMs).toISOString();
const end = new Date(now + dayMs).toISOString();

/** The bus wakes its worker, as in an installation. */
const t = useTestApp({ PORTAL_ROLES: 'api,ingest,worker' });
let partner: number;
let analyst: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
}, 60_000);

const client = () => t.organisation({ parentId: partner });

const seedCases = async (app: TestApp, organisationId: number, count: number, set: object = {}): Promise<number[]> => {
  const rows = await scoped(app.db, 'system', (tx) =>
    tx
      .insertInto('cases')
      .values(
        Array.from({ length: count }, (_, index) => ({
          organisation_id: organisationId,
          created_at: new Date(now - index * 1_000),
          title: `Case ${index} ${index % 2 ? 'odd' : 'even'}`,
          criticality: 3,
          first_alert_at: new Date(now),
          last_alert_at: new Date(now),
          ...set,
        })),
      )
      .returning('id')
      .execute(),
  );
  return rows.map(({ id }) => id);
};
const casesOf = (app: TestApp, organisationId: number) =>
  scoped(app.db, 'system', (tx) =>
    tx.selectFrom('cases').where('organisation_id', '=', organisationId).selectAll().orderBy('id').execute(),
  );
const countIn = (app: TestApp, table: string, condition: ReturnType<typeof sql<boolean>>) =>
  scoped(app.db, 'system', async (tx) => {
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)} where ${condition}`.execute(
      tx,
    );
    return rows[0]?.n;
  });

const which = (id: number, of: { ids?: number[]; filters?: object }) => ({ selectedClientOrganizationID: id, start, end, ...of });
const askCases = (id: number, of: { ids?: number[]; filters?: object }, change: object, user: TestUser | undefined = analyst) =>
  t.call(bulkApi.cases, { body: { which: which(id, of), change } } as never, user);
const askAlerts = (id: number, of: { ids?: number[]; filters?: object }, change: object, user: TestUser | undefined = analyst) =>
  t.call(bulkApi.alerts, { body: { which: which(id, of), change } } as never, user);
const get = (id: number, user = analyst) => t.call(bulkApi.get, { params: { id } } as never, user);
const undo = (id: number, user = analyst) => t.call(bulkApi.undo, { params: { id } } as never, user);
const ended = async (id: number, states: readonly string[] = ['done', 'failed', 'undone'], user = analyst): Promise<BulkJob> => {
  for (let tries = 0; tries < 600; tries++) {
    const job = bulkApi.get.answer.parse((await get(id, user)).json());
    if (states.includes(job.state)) return job;
    await pause(25);
  }
  throw new Error(`job ${id} did not end`);
};
const close = { do: 'status', caseStatus: 'closed' };

describe('cases', () => {
  test('close by ids with all effects, and undo them', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 3);
    const requested = await askCases(id, { ids }, close);
    expect(requested.json()).toMatchObject({ state: 'waiting', total: 3, changed: 0, skipped: 0, faults: [], undoUntil: null });
    const done = await ended(requested.json().id);
    expect(done).toMatchObject({ state: 'done', changed: 3, skipped: 0 });
    expect(Date.parse(done.undoUntil!)).toBeGreaterThan(Date.now());
    for (const one of await casesOf(t, id))
      expect(one).toMatchObject({ status: 'closed', version: 2, closed_by: analyst.id, closed_by_name: 'Test Partner Analyst' });
    const ofClient = sql<boolean>`organisation_id = ${id}`;
    expect(await countIn(t, 'case_history', ofClient)).toBe(3);
    expect(await countIn(t, 'case_reviews', ofClient)).toBe(3);
    expect(await countIn(t, 'audit', sql<boolean>`organisation_id = ${id} and action = 'case.closed'`)).toBe(3);
    expect(await countIn(t, 'audit', sql<boolean>`organisation_id = ${id} and action = 'bulk.status'`)).toBe(1);

    // Twice, as a double click does.
    const [first, second] = await Promise.all([undo(done.id), undo(done.id)]);
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect(await ended(done.id, ['undone'])).toMatchObject({ changed: 0, skipped: 0, faults: [], undoUntil: null });
    for (const one of await casesOf(t, id))
      expect(one).toMatchObject({
        status: 'open',
        version: 3,
        closed_at: null,
        closed_by: null,
        closed_by_name: '',
        acknowledged_at: null,
      });
    expect(await countIn(t, 'case_reviews', ofClient)).toBe(0);
    expect(await countIn(t, 'case_history', ofClient)).toBe(6);
  });

  test('follow list filters as of the request, for one client or all', async () => {
    const [id, other] = [await client(), await client()];
    await seedCases(t, id, 10);
    await seedCases(t, other, 4);
    const requested = await askCases(id, { filters: { text: 'even' } }, close);
    expect(requested.json().total).toBe(5);
    await ended(requested.json().id);
    expect((await casesOf(t, id)).filter(({ status }) => status === 'closed').map(({ title }) => title)).toHaveLength(5);
    expect((await casesOf(t, other)).every(({ status }) => status === 'open')).toBe(true);
    const all = await askCases(0, { filters: { status: ['open'], text: 'Case' } }, { do: 'status', caseStatus: 'investigating' });
    await ended(all.json().id);
    expect((await casesOf(t, other)).every(({ status }) => status === 'investigating')).toBe(true);
  });

  test('skip impossible changes with a reason, and no-ops without one', async () => {
    const id = await client();
    const [escalated] = await seedCases(t, id, 1, { status: 'escalated' });
    const [closed] = await seedCases(t, id, 1, { status: 'closed', closed_at: new Date() });
    const [open] = await seedCases(t, id, 1);
    const requested = await askCases(id, { ids: [escalated!, closed!, open!] }, close);
    const done = await ended(requested.json().id);
    expect(done).toMatchObject({ total: 3, changed: 1, skipped: 2 });
    expect(done.faults).toEqual([expect.stringMatching(`^Case ${escalated} is "Escalated" and cannot become "Closed"`)]);
  });

  test('accept an assignment with permission, and restore a decided review on undo', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 2);
    const requested = await askCases(id, { ids }, { do: 'assign', analystUserAccountID: analyst.id });
    await ended(requested.json().id);
    for (const one of await casesOf(t, id))
      expect(one).toMatchObject({ analyst_user_id: analyst.id, analyst_name: 'T. Partner Analyst', status: 'assigned' });
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Analyst' });
    const wrong = await askCases(id, { ids }, { do: 'assign', analystUserAccountID: stranger.id });
    expect(await ended(wrong.json().id)).toMatchObject({
      changed: 0,
      skipped: 2,
      faults: [expect.any(String), expect.any(String)],
    });
    const manager = await t.user({ organisationId: id, role: 'Manager' });
    expect((await askCases(id, { ids }, { do: 'assign', analystUserAccountID: null }, manager)).statusCode).toBe(403);

    const [one] = ids as [number];
    await scoped(t.db, 'system', async (tx) => {
      const rule = await seedRule(t.db);
      await sql`insert into case_alerts values (${id}, ${one}, 1, now(), ${rule.id}, 3, 'test')`.execute(tx);
      await sql`insert into rule_outcomes values (${id}, ${rule.id}, 1, 0)`.execute(tx);
      await tx
        .insertInto('case_reviews')
        .values({
          organisation_id: id,
          case_id: one,
          decision_id: 15,
          notes: 'sure',
          decided_at: new Date(now - dayMs),
          decided_by: analyst.id,
          counted_outcome: 'malicious',
          counted_rules: [rule.id],
        } as never)
        .execute();
    });
    const closing = await askCases(id, { ids: [one] }, close);
    await ended(closing.json().id);
    const review = () =>
      scoped(t.db, 'system', (tx) => tx.selectFrom('case_reviews').where('case_id', '=', one).selectAll().executeTakeFirst());
    expect(await review()).toMatchObject({ decision_id: 14, notes: '', counted_outcome: null });
    await undo(closing.json().id);
    await ended(closing.json().id, ['undone']);
    expect(await review()).toMatchObject({ decision_id: 15, notes: 'sure', counted_outcome: 'malicious' });
    expect(await countIn(t, 'rule_outcomes', sql<boolean>`organisation_id = ${id} and malicious = 1`)).toBe(1);
  });

  test('keep later changes on undo', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 3);
    const requested = await askCases(id, { ids }, { do: 'status', caseStatus: 'malicious' });
    await ended(requested.json().id);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('cases')
        .set({ status: 'investigating', version: 3 })
        .where('id', '=', ids[1] as number)
        .execute(),
    );
    await undo(requested.json().id);
    const undone = await ended(requested.json().id, ['undone']);
    expect(undone).toMatchObject({
      changed: 1,
      faults: [`Case ${ids[1]} has been changed since and stays "Investigating".`],
    });
    expect((await casesOf(t, id)).map(({ status }) => status)).toEqual(['open', 'investigating', 'open']);
  });

  test('withdraw unsent notices on undo', async () => {
    const id = await client();
    const boss = await t.user({ organisationId: id, role: 'Administrator' });
    const ids = await seedCases(t, id, 3, { updated_at: new Date(now - 3 * dayMs) });
    const noticesOf = () =>
      scoped(t.db, 'system', (tx) =>
        tx.selectFrom('case_notices').where('organisation_id', '=', id).select(['case_id', 'kind']).orderBy('case_id').execute(),
      );
    const requested = await askCases(id, { ids }, { do: 'status', caseStatus: 'escalated' });
    await ended(requested.json().id);
    // Another person's later change stays and is notified.
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('cases')
        .set({ version: 9 })
        .where('id', '=', ids[2] as number)
        .execute(),
    );
    expect((await noticesOf()).map((notice) => notice.case_id)).toEqual(ids);
    await undo(requested.json().id);
    await ended(requested.json().id, ['undone']);
    for (let tries = 0; tries < 400 && (await noticesOf()).length > 0; tries++) await pause(25);
    const mails = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('mails').where('organisation_id', '=', id).select(['to_addresses', 'subject']).execute(),
    );
    expect(mails.filter((mail) => mail.to_addresses.includes(boss.email)).map((mail) => mail.subject)).toEqual([
      expect.stringContaining(`#${ids[2]} `),
    ]);
  });

  test('change each case once under two concurrent jobs', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 500);
    const requested = await Promise.all([
      askCases(id, { ids }, { do: 'status', caseStatus: 'malicious' }),
      askCases(id, { ids: [...ids].reverse() }, { do: 'status', caseStatus: 'malicious' }),
    ]);
    const done = await Promise.all(requested.map((answer) => ended(answer.json().id)));
    expect(done.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(done[0]!.changed + done[1]!.changed).toBe(500);
    expect(await countIn(t, 'case_history', sql<boolean>`organisation_id = ${id}`)).toBe(500);
  });
});

test('marks alerts by filters and ids with their figures, and undoes it', async () => {
  const id = await client();
  const rule = await seedRule(t.db);
  const user = await t.user({ organisationId: id, role: 'Analyst' });
  const alerts = await seedAlerts(
    t.db,
    id,
    Array.from({ length: 2_500 }, (_, index) => ({
      at: now - index * 60_000,
      rule,
      device: index % 5 ? 'a' : 'b',
      isNew: index % 50 !== 0,
    })),
  );
  const figures = () =>
    scoped(t.db, 'system', async (tx) => {
      const { rows } = await sql`
        select (select count(*) from alerts where organisation_id = ${id} and is_new) as alerts,
          (select sum(new_count) from rollup_day_severity where organisation_id = ${id}) as days,
          (select sum(new_count) from rollup_month_severity where organisation_id = ${id}) as months`.execute(tx);
      return rows[0];
    });
  await scoped(t.db, 'system', (tx) =>
    sql`update rollup_month_severity m set new_count = (select sum(new_count) from rollup_day_severity d where d.organisation_id = m.organisation_id
      and date_trunc('month', d.day) = m.month) where organisation_id = ${id}`.execute(tx),
  );
  const before = await figures();
  const requested = await askAlerts(id, { filters: { device: 'b' } }, { do: 'seen' }, user);
  expect(requested.json().total).toBe(500);
  expect(await ended(requested.json().id, ['done'], user)).toMatchObject({ changed: 450, skipped: 50 });
  const after = await figures();
  expect(after).toEqual({ alerts: 2_000, days: 2_000, months: 2_000 });
  await undo(requested.json().id, user);
  await ended(requested.json().id, ['undone'], user);
  expect(await figures()).toEqual(before);
  const some = await askAlerts(id, { ids: alerts.slice(0, 3).map((alert) => alert.id) }, { do: 'unseen' }, user);
  expect(await ended(some.json().id, ['done'], user)).toMatchObject({ changed: 1, skipped: 2 });
});

describe('a bulk request', () => {
  test('returns 404 for foreign and missing rows and queues nothing', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 1);
    const foreign = await seedCases(t, await t.organisation(), 1);
    for (const wrong of [
      [...ids, ...foreign],
      [...ids, 2_147_483_647],
    ]) {
      const answer = await askCases(id, { ids: wrong }, close);
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error).toContain(`case ${wrong[1]}`);
    }
    expect(
      await countIn(t, 'bulk_jobs', sql<boolean>`what ->> 'caseStatus' = 'closed' and total in (1, 2) and state = 'waiting'`),
    ).toBe(0);
    expect((await casesOf(t, id))[0]).toMatchObject({ status: 'open', version: 1 });
  });

  test('returns 401, 403 and 400 for anonymous, unauthorised and ambiguous requests', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 1);
    const plain = await t.user({ organisationId: id, role: 'Analyst' });
    const manager = await t.user({ organisationId: id, role: 'Manager' });
    expect((await askCases(id, { ids }, close, { token: 'none' } as TestUser)).statusCode).toBe(401);
    expect((await askCases(id, { ids }, close, plain)).statusCode).toBe(403);
    expect((await askCases(0, { ids }, close, manager)).statusCode).toBe(403);
    expect((await askCases(await t.organisation(), { filters: {} }, close)).statusCode).toBe(403);
    for (const wrong of [{}, { ids: [] }, { ids, filters: {} }]) expect((await askCases(id, wrong, close)).statusCode).toBe(400);
    expect((await askCases(id, { ids }, { do: 'suppress' })).statusCode).toBe(400);
  });

  test('returns 404 for another user’s job and refuses undo outside its time', async () => {
    const id = await client();
    const ids = await seedCases(t, id, 1);
    const colleague = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    const requested = await askCases(id, { ids }, close);
    const { id: jobId } = await ended(requested.json().id);
    for (const answer of [await get(jobId, colleague), await undo(jobId, colleague), await get(2_147_483_647)])
      expect(answer.statusCode).toBe(404);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('bulk_jobs')
        .set({ finished_at: new Date(Date.now() - 10_500) })
        .where('id', '=', jobId)
        .execute(),
    );
    expect((await get(jobId)).json().undoUntil).toBeNull();
    const late = await undo(jobId);
    expect([late.statusCode, late.json().error]).toEqual([409, expect.stringContaining('10 seconds')]);
  });
});

describe('a worker', () => {
  /** Without a worker of its own. */
  let idle: TestApp;
  let boss: TestUser;
  let id: number;
  beforeAll(async () => {
    idle = await testApp();
    const partner = await idle.organisation({ isPartner: true });
    id = await idle.organisation({ parentId: partner });
    boss = await idle.user({ organisationId: partner, role: 'Partner Analyst' });
  });
  afterAll(() => idle.close());
  const queue = async (user: TestUser, ids: number[]) =>
    (
      await idle.call(
        bulkApi.cases,
        { body: { which: which(id, { ids }), change: { do: 'status', caseStatus: 'malicious' } } } as never,
        user,
      )
    ).json().id as number;
  const jobOf = (jobId: number) =>
    scoped(idle.db, 'system', (tx) => tx.selectFrom('bulk_jobs').where('id', '=', jobId).selectAll().executeTakeFirstOrThrow());

  const workerOf = (actorNow: ActorNow) =>
    createBulkWorker({
      clock: systemClock,
      db: idle.db,
      cases: bulkCasesOn(systemClock),
      alerts: {} as never,
      suppressions: {} as never,
      withdrawNotices: async () => {},
      log: silentLog,
      actorNow,
    });

  test('stops when its actor loses permission', async () => {
    const ids = await seedCases(idle, id, 1_000);
    const user = await idle.user({ organisationId: id, role: 'Manager' });
    const jobId = await queue(user, ids);
    let calls = 0;
    const worker = workerOf(async (tx, userId) => {
      // After the first batch the role is another.
      if (++calls === 2) await tx.updateTable('users').set({ role: 'Analyst' }).where('id', '=', userId).execute();
      return findActorOfUser(tx, userId, undefined);
    });
    await worker.run();
    expect(await jobOf(jobId)).toMatchObject({
      state: 'failed',
      changed: 100,
      faults: [expect.stringMatching(/^Stopped: the requester/)],
    });
    expect((await casesOf(idle, id)).filter(({ status }) => status === 'malicious')).toHaveLength(100);
  });

  test('waits for a concurrent undo check', async () => {
    const ids = await seedCases(idle, id, 2);
    const jobId = await queue(boss, ids);
    const worker = workerOf((tx, userId) => findActorOfUser(tx, userId, undefined));
    let worked: Promise<void> | undefined;
    await scoped(idle.db, 'system', async (tx) => {
      await tx.selectFrom('bulk_jobs').where('id', '=', jobId).forUpdate().select('id').execute();
      worked = worker.run();
      await untilLocked(idle.database.db);
    });
    await worked;
    expect(await jobOf(jobId)).toMatchObject({ state: 'done', changed: 2 });
  });

  test('continues after a killed worker without repeating changes', async () => {
    const ids: number[] = [];
    for (let part = 0; part < 4; part++) ids.push(...(await seedCases(idle, id, 500)));
    const jobs: number[] = [];
    for (let part = 0; part < 4; part++) jobs.push(await queue(boss, ids.slice(part * 500, (part + 1) * 500)));
    const changed = async () => (await Promise.all(jobs.map(jobOf))).reduce((sum, job) => sum + job.changed, 0);
    let kills = 0;
    const children: ChildProcess[] = [];
    try {
      for (const until of [150, 850, 2_000]) {
        const child = startWorker(idle);
        children.push(child);
        for (let tries = 0; tries < 1_200 && (await changed()) < until; tries++) await pause(25);
        if (until < 2_000) {
          child.kill('SIGKILL');
          kills++;
          await new Promise((resolve) => child.once('exit', resolve));
          expect(await changed()).toBeLessThan(2_000);
        }
      }
      for (const job of await Promise.all(jobs.map(jobOf))) expect(job).toMatchObject({ changed: 500, skipped: 0 });
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
    expect(kills).toBe(2);
    const cases = (await casesOf(idle, id)).filter((one) => ids.includes(one.id));
    expect(cases.every(({ status, version }) => status === 'malicious' && version === 2)).toBe(true);
    // The workers judge cases as well when a minute passes; those entries have no person.
    expect(
      await countIn(idle, 'case_history', sql<boolean>`case_id = any(${ids}::integer[]) and actor_user_id is not null`),
    ).toBe(2_000);
  }, 120_000);
});

function startWorker(app: TestApp): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL('../../main.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: app.database.ownerUrl,
      PORTAL_DEMO: '0',
      PORTAL_ROLES: 'worker',
      SECRET_KEY: 'a secret of the tests, long enough to be one',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
