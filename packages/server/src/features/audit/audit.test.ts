import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { auditApi } from '@parapet/contract/audit.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { runAs } from '../../../test/database.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { auditVisibility, isInCatalogue } from '../../domain/audit.visibility.ts';
import { createAuditService } from './audit.service.ts';
import { listEntries } from './audit.store.ts';
import { checkpointKey } from './chain.format.ts';
import { createAuditSealer } from './chain.sealer.ts';

const t = useTestApp();
let partner: number;
let client: number;
let sibling: number;
const users: Record<string, TestUser> = {};

beforeAll(async () => {
  const provider = await t.organisation({ id: 1, isPartner: true, name: 'The Provider' });
  partner = await t.organisation({ isPartner: true, parentId: 1, name: 'Harbour' });
  client = await t.organisation({ parentId: partner, name: 'Acme' });
  sibling = await t.organisation({ parentId: partner, name: 'Sibling' });
  const strange = await t.organisation({ name: 'Strange' });
  for (const [name, organisationId, role] of [
    ['host', provider, 'Host'],
    ['partnerAdmin', partner, 'Administrator'],
    ['partnerAnalyst', partner, 'Partner Analyst'],
    ['superAnalyst', partner, 'Analyst'],
    ['partnerManager', partner, 'Manager'],
    ['clientAdmin', client, 'Administrator'],
    ['manager', client, 'Manager'],
    ['analyst', client, 'Analyst'],
    ['other', client, 'Auditor'],
    ['guest', client, ''],
    ['stranger', strange, 'Administrator'],
  ] as const)
    users[name] = await t.user({ organisationId, role });
});

const user = (name: string) => users[name] as TestUser;
const range = (from = -dayMs, to = dayMs) => ({
  start: new Date(Date.now() + from).toISOString(),
  end: new Date(Date.now() + to).toISOString(),
});
type Query = InputOf<typeof auditApi.list>['query'];
const list = (at: number, by: TestUser, query: Query = {}, when = range()) =>
  t.call(auditApi.list, { params: { client: at, ...when }, query }, by);
const file = (at: number, by: TestUser, query: Query = {}) =>
  t.call(auditApi.exportList, { params: { client: at, ...range() }, query }, by);

/** Writes any action, including ones of later versions. */
const write = (
  organisationId: number,
  action: string,
  by: TestUser | undefined,
  { target = '', before, after }: { target?: string; before?: object; after?: object } = {},
) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('audit')
      .values({
        organisation_id: organisationId,
        actor_user_id: by?.id ?? null,
        actor_organisation_id: by?.organisationId ?? null,
        action,
        target,
        before: before ? JSON.stringify(before) : null,
        after: after ? JSON.stringify(after) : null,
        address: '192.0.2.7',
        visibility: auditVisibility({ action, before, after }),
      })
      .execute(),
  );
const newOrganisation = () => t.organisation({ parentId: partner });

describe('list', () => {
  test('shows actor, action, target, address and change, newest first, in pages', async () => {
    const organisationId = await newOrganisation();
    for (let i = 1; i <= 5; i++)
      await write(organisationId, 'tag.saved', user('partnerAdmin'), {
        target: String(i),
        before: { i },
        after: { name: `<b>${i}` },
      });
    const { results, total } = (await list(organisationId, user('partnerAdmin'), { page: 2, pageSize: 2 })).json();
    expect([total, results.map(({ target }: { target: string }) => target)]).toEqual([5, ['3', '2']]);
    expect(results[0]).toMatchObject({
      action: 'tag.saved',
      clientOrganizationID: organisationId,
      actorName: 'Test Administrator',
      actorEmail: user('partnerAdmin').email,
      actorOrganizationName: 'Harbour',
      address: '192.0.2.7',
    });
    expect(JSON.parse(results[0].after)).toEqual({ name: '<b>3' });
  });

  test('filters by action, user and literal text', async () => {
    const organisationId = await newOrganisation();
    const at = (query: Query) => list(organisationId, user('partnerAdmin'), query);
    await write(organisationId, 'user.updated', user('partnerAdmin'), { target: '100%_sure' });
    await write(organisationId, 'user.deleted', user('partnerAnalyst'));
    await write(organisationId, 'tag.saved', undefined);
    const totals = async (...queries: Query[]) => Promise.all(queries.map(async (query) => (await at(query)).json().total));
    expect(
      await totals(
        { action: ['user.updated', 'tag.saved'] },
        { actor: [user('partnerAnalyst').id] },
        { search: '0%_S' },
        { search: '%' },
        { search: user('partnerAnalyst').email.slice(0, 20) },
        { search: '192.0.2' },
        { search: "' or 1=1 --" },
        { search: '\\' },
      ),
    ).toEqual([2, 1, 1, 1, 1, 3, 0, 0]);
    expect((await at({ search: '\0' })).statusCode).toBe(400);
    expect((await at({ action: ['a\0b'] })).statusCode).toBe(400);
  });

  test('includes the start and excludes the end', async () => {
    const organisationId = await newOrganisation();
    await write(organisationId, 'tag.saved', undefined);
    const [{ at }] = (await list(organisationId, user('host'))).json().results;
    const later = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
    const count = async (from: number, to: number) =>
      (await list(organisationId, user('host'), {}, { start: later(from), end: later(to) })).json().total;
    expect(await count(-60_000, 0)).toBe(0);
    expect(await count(0, 60_000)).toBe(1);
    expect((await list(organisationId, user('host'), {}, range(dayMs, -dayMs))).statusCode).toBe(400);
  });

  test('truncates long values', async () => {
    const organisationId = await newOrganisation();
    await write(organisationId, 'tag.saved', undefined, { target: 't'.repeat(5_000), after: { text: 'x'.repeat(100_000) } });
    const [row] = (await list(organisationId, user('host'))).json().results;
    expect([row.target.length, row.after.length]).toEqual([2_000, 20_000]);
  });
});

describe('access', () => {
  const everywhere = () => ({ provider: 1, partner, client, sibling, strange: user('stranger').organisationId, all: 0 });
  const mayRead: Record<string, string[]> = {
    host: ['provider', 'partner', 'client', 'sibling', 'strange', 'all'],
    partnerAdmin: ['partner', 'client', 'sibling', 'all'],
    clientAdmin: ['client'],
    partnerAnalyst: [],
    superAnalyst: [],
    partnerManager: [],
    manager: [],
    analyst: [],
    other: [],
    guest: [],
  };

  test('allows administrators to read and export within their scope', async () => {
    for (const [name, places] of Object.entries(mayRead))
      for (const [place, id] of Object.entries(everywhere())) {
        const answers = [
          await list(id, user(name)),
          await file(id, user(name)),
          await t.call(auditApi.actions, { params: { client: id, ...range() } }, user(name)),
        ];
        const expected = places.includes(place) ? 200 : 403;
        expect(`${name} → ${place}: ${answers.map(({ statusCode }) => statusCode)}`).toBe(
          `${name} → ${place}: ${[expected, expected, expected]}`,
        );
      }
    expect((await t.call(auditApi.list, { params: { client, ...range() } })).statusCode).toBe(401);
  });

  test('limits rows to the scope, also by row-level security', async () => {
    await write(client, 'tag.saved', undefined);
    await write(user('stranger').organisationId, 'tag.saved', undefined);
    const rows = (await list(0, user('partnerAdmin'), { pageSize: 200 })).json().results as { clientOrganizationID: number }[];
    const seen = new Set(rows.map((row) => row.clientOrganizationID));
    expect(seen.has(client)).toBe(true);
    expect(seen.has(user('stranger').organisationId)).toBe(false);
    const filter = { ...range(), action: [], actor: [] };
    const own = { organisationIds: [client] };
    const beneath = await scoped(t.db, own, (tx) => listEntries(tx, 'system', filter, { searchedActors: [], limit: 1_000 }));
    expect(new Set(beneath.map(({ organisationId }) => organisationId))).toEqual(new Set([client]));
  });

  test('shows clients their partner’s users by name and the provider’s under one name', async () => {
    await write(client, 'case.closed', user('partnerAnalyst'));
    await write(client, 'case.opened', user('host'));
    const [opened, closed] = (await list(client, user('clientAdmin'), { action: ['case.closed', 'case.opened'] })).json().results;
    expect(closed).toMatchObject({ actorName: 'Test Partner Analyst', actorOrganizationName: 'Harbour' });
    expect(opened).toMatchObject({
      action: 'case.opened',
      actorName: 'SOC Analyst',
      actorEmail: '',
      actorOrganizationName: '',
    });
    const search = user('host').email;
    expect((await list(client, user('clientAdmin'), { search })).json().total).toBe(0);
    expect((await list(client, user('partnerAdmin'), { search })).json().total).toBe(0);
    expect((await list(client, user('host'), { search })).json().total).toBeGreaterThan(0);
    // A filter can’t distinguish them either.
    expect((await list(client, user('clientAdmin'), { actor: [user('host').id] })).json().total).toBe(0);
    expect((await list(client, user('host'), { actor: [user('host').id] })).json().total).toBeGreaterThan(0);
    const all = (await file(client, user('clientAdmin'))).body;
    expect(all).not.toContain('The Provider');
    expect(all).not.toContain(search);
    const { actors } = (await t.call(auditApi.actions, { params: { client, ...range() } }, user('clientAdmin'))).json();
    expect(actors.map(({ name }: { name: string }) => name)).not.toContain('Test Host');
    expect(actors.map(({ name }: { name: string }) => name)).toContain('Test Partner Analyst');
  });
});

describe('internal entries', () => {
  test('stay out of a client’s list, search, counts, filters and export', async () => {
    const at = await t.organisation({ parentId: partner });
    const admin = await t.user({ organisationId: at, role: 'Administrator' });
    const note = (isInternal: boolean, text: string) => ({ target: '7', after: { id: 1, text, isInternal } });
    await write(at, 'case.noteSaved', user('partnerAnalyst'), note(true, 'Internal remark'));
    await write(at, 'case.noteSaved', user('partnerAnalyst'), note(false, 'Shared'));
    for (const action of [
      'case.narrativeSaved',
      'case.decisioningJudged',
      'review.decided',
      'case.markedIncorrect',
      'new.unknown',
    ])
      await write(at, action, user('partnerAnalyst'), { target: '7', after: { text: 'Internal remark' } });
    const of = async (by: TestUser) => {
      const { results, total } = (await list(at, by)).json();
      const facets = (await t.call(auditApi.actions, { params: { client: at, ...range() } }, by)).json();
      return {
        actions: results.map(({ action }: { action: string }) => action).sort(),
        total,
        facets: facets.actions.length,
        byActor: facets.actors[0].count,
        judged: (await list(at, by, { action: ['case.decisioningJudged'] })).json().total,
        found: (await list(at, by, { search: 'review' })).json().total,
        ofActor: (await list(at, by, { actor: [user('partnerAnalyst').id] })).json().total,
        file: (await file(at, by)).body.includes('Internal remark'),
      };
    };
    expect(await of(admin)).toEqual({
      actions: ['case.noteSaved'],
      total: 1,
      facets: 1,
      byActor: 1,
      judged: 0,
      found: 0,
      ofActor: 1,
      file: false,
    });
    expect(await of(user('partnerAdmin'))).toMatchObject({ total: 8, judged: 1, found: 1, ofActor: 7, file: true });
  });

  test('declare a visibility for every action of the sources', () => {
    const sources = new URL('../../', import.meta.url);
    const missing = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .flatMap((path) => [...readFileSync(new URL(path, sources), 'utf8').matchAll(/\baction: [^;,\n]*/g)].map(([line]) => line))
      .flatMap((line) => [...line.matchAll(/'([a-z][A-Za-z]*\.[a-z][A-Za-z]*)'/g)].map(([, action]) => action as string))
      .filter((action) => action !== 'event.action' && !isInCatalogue(action));
    expect(missing).toEqual([]);
  });
});

test('counts the values of each filter', async () => {
  const organisationId = await newOrganisation();
  for (const action of ['b.done', 'a.done', 'b.done']) await write(organisationId, action, user('partnerAdmin'));
  await write(organisationId, 'c.done', undefined);
  const { actions, actors } = (
    await t.call(auditApi.actions, { params: { client: organisationId, ...range() } }, user('partnerAdmin'))
  ).json();
  expect(actions).toEqual([
    { action: 'b.done', count: 2 },
    { action: 'a.done', count: 1 },
    { action: 'c.done', count: 1 },
  ]);
  expect(actors).toEqual([{ id: user('partnerAdmin').id, name: 'Test Administrator', count: 3 }]);
});

describe('export', () => {
  test('contains every entry once across pages and is audited', async () => {
    const organisationId = await newOrganisation();
    // All at one instant, across a page boundary.
    await scoped(t.db, 'system', (tx) =>
      sql`insert into audit (organisation_id, action, target) select ${organisationId}, 'x.done', i::text from generate_series(1, 2500) i`.execute(
        tx,
      ),
    );
    const answer = await file(organisationId, user('partnerAdmin'), { action: ['x.done'] });
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const targets = answer.body
      .split('\r\n')
      .slice(1, -1)
      .map((line) => Number(line.split(',')[3]?.replaceAll('"', '')));
    expect(targets).toEqual(Array.from({ length: 2500 }, (_, i) => 2500 - i));
    const [entry] = (await list(organisationId, user('partnerAdmin'), { action: ['audit.exported'] })).json().results;
    expect(entry).toMatchObject({ actorEmail: user('partnerAdmin').email });
    expect(JSON.parse(entry.after)).toMatchObject({ client: organisationId, action: ['x.done'] });
  });

  test('neutralises formulas', async () => {
    const organisationId = await newOrganisation();
    await write(organisationId, 'call.denied', undefined, { target: '=cmd|"/c calc"!A1' });
    expect((await file(organisationId, user('partnerAdmin'))).body).toContain(`"'=cmd|""/c calc""!A1"`);
  });
});

describe('retention', () => {
  test('drops entries older than 400 days only', async () => {
    const organisationId = await newOrganisation();
    const sealer = createAuditSealer({ db: t.db, clock: systemClock, key: checkpointKey(randomBytes(32)), log: silentLog });
    const aged = async (days: number, action: string) => {
      await runAs(
        t.database.ownerUrl,
        `insert into audit (organisation_id, action, at) values (${organisationId}, '${action}', now() - interval '${days} days')`,
      );
      await sealer.seal();
    };
    await aged(401, 'old.done');
    await aged(399, 'young.done');
    await createAuditService({ db: t.db, clock: systemClock }).dropOld();
    const left = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').where('organisation_id', '=', organisationId).select('action').execute(),
    );
    expect(left).toEqual([{ action: 'young.done' }]);
  });

  test('denies the application changes and deletions', async () => {
    for (const statement of ['delete from audit', "update audit set action = 'x'", 'truncate audit'])
      await expect(runAs(t.database.url, statement)).rejects.toThrow('permission denied');
  });
});

test('types the details of each action', () => {
  const entries: AuditEntry[] = [
    { action: 'tag.saved', organisationId: 1, after: { name: 'VIP' } },
    { action: 'user.mfaReset', organisationId: 1 },
    // @ts-expect-error an undeclared action
    { action: 'tag.renamed', organisationId: 1, after: { name: 'VIP' } },
    // @ts-expect-error details of another action
    { action: 'tag.saved', organisationId: 1, after: { count: 1 } },
    // @ts-expect-error without `before`
    { action: 'tag.deleted', organisationId: 1 },
    // @ts-expect-error with excess details
    { action: 'user.mfaReset', organisationId: 1, after: { name: 'VIP' } },
  ];
  expect(entries).toHaveLength(6);
});
