/** One person under several names: found, counted and shown as one everywhere, also after a merge and its undo. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { identitiesApi } from '@parapet/contract/identities.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { correlationFixture } from '../../../test/correlation.fixture.ts';
import { type SeedRule, seedRule } from '../../../test/seed.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { runQuery } from '../../domain/query/run.ts';
import { storyText } from '../../domain/story.ts';
import { createCorrelationService } from './correlation.service.ts';

const at = Date.now() - 2 * dayMs;
const range = { start: new Date(at - dayMs).toISOString(), end: new Date(at + dayMs).toISOString() };

const t = useTestApp();
let client: number;
let sibling: number;
let analyst: TestUser;
let stranger: TestUser;
let rule: SeedRule;
let correlation: ReturnType<typeof createCorrelationService>;
let { raised, casesOf } = {} as ReturnType<typeof correlationFixture>;

beforeAll(async () => {
  ({ raised, casesOf } = correlationFixture(t));
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });
  rule = await seedRule(t.db, { title: 'Ransomware behaviour', criticality: 4 }, { tactics: ['impact'], techniques: ['T1486'] });
  const of = (user: string, minutes: number, device = 'WS-1') => ({ at: at + minutes * minuteMs, rule, device, user });
  await raised(client, [
    of('ALDER\\ana', 0),
    of('ALDER\\ana', 1),
    of('ana', 2),
    of('ana@alder.example', 3),
    of('bob@alder.example', 4, 'WS-9'),
    of('a.silva@mail.example', 5, 'WS-7'),
    of('SYSTEM', 6),
  ]);
  // The same bare name at another client is another person.
  await raised(sibling, [of('ana', 0), of('BIRCH\\zoe', 1)]);
  await correlation.run();
}, 60_000);

const alertsOf = async (user: string, of = client, reader = analyst) => {
  const answer = await t.call(alertsApi.list, { params: { client: of, ...range }, query: { user } }, reader);
  return answer.json().total as number;
};
const casesWith = async (user: string) => {
  const body = { selectedClientOrganizationID: client, ...range, filters: { user } };
  return (await t.call(casesApi.list, { body: body as never }, analyst)).json();
};
const topUsers = async () =>
  (await t.call(dashboardApi.overview, { params: { client, ...range } }, analyst)).json().topUsers as {
    name: string;
    count: number;
  }[];
const run = (query: Omit<Query, 'measure'> & Partial<Query>) => {
  const scope = { organisationIds: [client] };
  const context = {
    scope,
    userId: analyst.id,
    organisationId: client,
    now: Date.now(),
    timeZone: 'UTC',
    reach: () => 's' as const,
  };
  return readScoped(t.db, scope, (tx) => runQuery(tx, { measure: { kind: 'count' }, ...query }, context));
};
const merge = (name: string, sameAs: string) =>
  t.call(identitiesApi.merge, { body: { clientOrganizationID: client, name, sameAs, reason: 'Private mailbox' } }, analyst);
const isActive = (active: boolean) => ({
  body: {
    clientOrganizationID: client,
    kind: 'account' as const,
    name: 'a.silva@mail.example',
    reason: 'Two people',
    isActive: active,
  },
});

describe('a person under three names', () => {
  test.each(['ALDER\\ana', 'ana', 'ana@alder.example'])('has the same alerts by the name %s', async (name) => {
    expect(await alertsOf(name)).toBe(4);
  });

  test('keeps apart from the same bare name at another client', async () => {
    expect(await alertsOf('ana@alder.example', 0)).toBe(4);
    expect(await alertsOf('ana', sibling)).toBe(1);
    expect(await alertsOf('BIRCH\\zoe', 0)).toBe(1);
  });

  test('stays out of sight for strangers', async () => {
    expect(await alertsOf('ana', 0, stranger)).toBe(0);
  });

  test('counts once among the users of the dashboard, with as many alerts as its link lists', async () => {
    const found = await topUsers();
    expect(found.find(({ name }) => name === 'ana@alder.example')?.count).toBe(4);
    expect(found.map(({ name }) => name).filter((name) => /ana$|ana@/.test(name))).toEqual(['ana@alder.example']);
    for (const { name, count } of found) expect(await alertsOf(name), name).toBe(count);
  });

  test('lists the same cases by each name, and one name on them', async () => {
    const found = await Promise.all(['ALDER\\ana', 'ana', 'ana@alder.example'].map(casesWith));
    expect(found[0].total).toBeGreaterThan(0);
    expect(new Set(found.map(({ results }) => JSON.stringify(results.map(({ id }: { id: number }) => id)))).size).toBe(1);
    const names = found[0].results.flatMap(({ userNames }: { userNames: string[] }) => userNames);
    expect(names.filter((name: string) => name.includes('ana'))).toEqual(['ana@alder.example']);
  });

  test('stands as one account in the story of the case', async () => {
    const [{ id }] = (await casesWith('ana')).results;
    const detail = (await t.call(casesApi.detail, { params: { id, clientOrgId: client } }, analyst)).json();
    const { steps, clauses } = detail.story as { steps: { users: number }[]; clauses: never[] };
    // Ana and SYSTEM.
    expect(steps.map(({ users }) => users)).toEqual([2]);
    expect(storyText(clauses)).not.toMatch(/other accounts/);
  });

  test('counts as one user in replies to questions', async () => {
    const named = { field: 'name', in: ['ALDER\\ANA'] };
    expect(await run({ entity: 'user', where: named })).toMatchObject({ total: 1 });
    expect(await run({ entity: 'alert', where: { field: 'user', in: ['ana'] } })).toMatchObject({ total: 4 });
    expect(await run({ entity: 'alert', where: { some: 'user', where: named } as never })).toMatchObject({ total: 4 });
    expect(await run({ entity: 'case', where: { field: 'user', in: ['alder\\ana'] } })).toMatchObject({
      total: (await casesWith('ana')).total,
    });
    expect(await run({ entity: 'user', where: { some: 'alert' } as never })).toMatchObject({ total: 4 });
  });
});

describe('a merge', () => {
  test('joins a further name everywhere, and its undo separates it', async () => {
    expect((await merge('a.silva@mail.example', 'ana@alder.example')).statusCode).toBe(200);
    expect(await alertsOf('ana')).toBe(5);
    expect(await alertsOf('a.silva@mail.example')).toBe(5);
    expect((await topUsers()).find(({ name }) => name === 'ana@alder.example')?.count).toBe(5);
    expect((await t.call(identitiesApi.switchRule, isActive(false), analyst)).statusCode).toBe(200);
    expect(await alertsOf('ana')).toBe(4);
    expect(await alertsOf('a.silva@mail.example')).toBe(1);
  });
});

test('names from before the table are decided by the job', async () => {
  const own = await t.organisation();
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('identity_names')
      .values(
        ['OAK\\kim', 'oak\\Kim'].map((name) => ({ organisation_id: own, user_name: name, identity: name, shown_name: name })),
      )
      .execute(),
  );
  await correlation.refreshNames();
  const rows = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('identity_names').selectAll().where('organisation_id', '=', own).execute(),
  );
  expect(rows.map(({ shown_name, is_stale }) => [shown_name, is_stale])).toEqual([
    ['OAK\\kim', false],
    ['OAK\\kim', false],
  ]);
});

test('new alerts of a second domain leave a bare name alone', async () => {
  const own = await t.organisation();
  const of = (user: string, minutes: number) => ({ at: at + minutes * minuteMs, rule, device: 'WS-3', user });
  const shown = async () =>
    scoped(t.db, 'system', async (tx) =>
      Object.fromEntries(
        (await tx.selectFrom('identity_names').selectAll().where('organisation_id', '=', own).execute()).map((row) => [
          row.user_name,
          row.shown_name,
        ]),
      ),
    );
  await raised(own, [of('lee', 0), of('ELM\\lee', 1)]);
  await correlation.run(own);
  expect(await shown()).toEqual({ lee: 'ELM\\lee', 'ELM\\lee': 'ELM\\lee' });
  await raised(own, [of('FIR\\lee', 2)]);
  await correlation.run(own);
  expect(await shown()).toEqual({ lee: 'lee', 'ELM\\lee': 'ELM\\lee', 'FIR\\lee': 'FIR\\lee' });
  expect((await casesOf(own)).length).toBeGreaterThan(0);
});
