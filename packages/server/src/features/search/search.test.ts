import { searchApi } from '@parapet/contract/search.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedAlerts, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let partner: number;
let client: number;
let foreign: number;
let admin: TestUser;
let analyst: TestUser;
let partnerAdmin: TestUser;
let alertId: number;
let foreignAlertId: number;

const devices = (organisationId: number, ...names: string[]) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('devices')
      .values(names.map((name) => ({ organisation_id: organisationId, name, device_type: 'server' })))
      .execute(),
  );
const search = (text: string, who?: TestUser) => t.call(searchApi.find, { query: { text } }, who);
const find = async (text: string, who: TestUser) => {
  const answer = await search(text, who);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  const { results, total } = answer.json() as {
    results: { kind: string; id: string; title: string; detail: string; clientOrganizationID: number | null }[];
    total: number;
  };
  expect(total).toBe(results.length);
  return results;
};
const titles = async (kind: string, text: string, who: TestUser) =>
  (await find(text, who)).filter((found) => found.kind === kind).map(({ title }) => title);

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true, name: 'Harbor' });
  client = await t.organisation({ parentId: partner, name: 'Lakeside Clinic' });
  foreign = await t.organisation({ name: 'Lakeside Foreign' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  await t.user({ organisationId: foreign, role: 'Administrator' });
  const rule = await seedRule(t.db);
  const at = Date.parse('2026-11-02T10:00:00Z');
  [{ id: alertId }] = (await seedAlerts(t.db, client, [{ at, rule }])) as unknown as [{ id: number }];
  [{ id: foreignAlertId }] = (await seedAlerts(t.db, foreign, [{ at, rule }])) as unknown as [{ id: number }];
});

describe('search', () => {
  test('finds an alert in scope by number, with and without #', async () => {
    for (const text of [String(alertId), `#${alertId}`])
      expect((await find(text, analyst)).filter(({ kind }) => kind === 'alert')).toMatchObject([
        { id: String(alertId), clientOrganizationID: client, detail: expect.stringContaining('Lakeside Clinic') },
      ]);
    expect(await titles('alert', String(foreignAlertId), partnerAdmin)).toEqual([]);
    for (const text of ['0', '99999999999', '-1', '1e3', '2147483648', `${alertId} or 1=1`])
      expect([text, await titles('alert', text, analyst)]).toEqual([text, []]);
  });

  test('finds cases in scope by number and part of the title', async () => {
    const [mine, newer, theirs] = await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('cases')
        .values(
          [client, client, foreign].map((organisation_id, index) => ({
            id: 770_001 + index,
            organisation_id,
            title: `Ransom 100% on WS-${index}`,
            criticality: 4,
            first_alert_at: new Date(),
            last_alert_at: new Date(),
          })),
        )
        .returning('id')
        .execute(),
    );
    expect(await titles('case', 'RANSOM 100%', analyst)).toEqual(['Ransom 100% on WS-1', 'Ransom 100% on WS-0']);
    expect(await titles('case', 'ransom_100', analyst)).toEqual([]);
    for (const text of [String(mine!.id), `#${mine!.id}`])
      expect((await find(text, partnerAdmin)).filter(({ kind }) => kind === 'case')).toMatchObject([
        { id: String(mine!.id), clientOrganizationID: client, detail: `#${mine!.id} · Open · Lakeside Clinic` },
      ]);
    expect(await titles('case', `#${theirs!.id}`, partnerAdmin)).toEqual([]);
    expect(newer!.id).toBeGreaterThan(mine!.id);
  });

  test('ranks up to five devices by exact name, prefix and substring in any case', async () => {
    await devices(client, 'SRV-1', 'srv-10', 'Srv-11', 'xsrv-1', 'y-srv-1', 'z-srv-1', 'other');
    await devices(foreign, 'srv-1', 'srv-12');
    expect(await titles('device', 'srv-1', analyst)).toEqual(['SRV-1', 'srv-10', 'Srv-11', 'xsrv-1', 'y-srv-1']);
    expect(await titles('device', 'RV-1', analyst)).toHaveLength(5);
    expect(await titles('device', 'ther', partnerAdmin)).toEqual(['other']);
    const [found] = (await find('srv-10', partnerAdmin)).filter(({ kind }) => kind === 'device');
    expect(found).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), detail: 'Lakeside Clinic' });
  });

  test('finds users in scope by name and address, or only the caller', async () => {
    expect(await titles('user', admin.email, admin)).toEqual(['Test Administrator']);
    expect((await titles('user', 'test', admin)).sort()).toEqual(['Test Administrator', 'Test Analyst']);
    expect(await titles('user', 'test', analyst)).toEqual(['Test Analyst']);
    expect(await titles('user', admin.email, analyst)).toEqual([]);
    expect(await titles('user', 'test', partnerAdmin)).toHaveLength(3);
    const gone = await t.user({ organisationId: client, role: 'Manager' });
    await scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', gone.id).execute());
    expect(await titles('user', gone.email, admin)).toEqual([]);
  });

  test('finds rules by title, without an organisation', async () => {
    await seedRule(t.db, { title: 'Zebra crossing seen' });
    const [found] = await find('zebra CROSS', analyst);
    expect(found).toMatchObject({ kind: 'rule', title: 'Zebra crossing seen', clientOrganizationID: null });
  });

  test('finds organisations in scope for users with a client selector', async () => {
    expect(await titles('organisation', 'lakeside', partnerAdmin)).toEqual(['Lakeside Clinic']);
    expect(await titles('organisation', String(client), partnerAdmin)).toEqual(['Lakeside Clinic']);
    expect(await titles('organisation', String(foreign), partnerAdmin)).toEqual([]);
    expect(await titles('organisation', 'lakeside', admin)).toEqual([]);
  });

  test('orders hits by rank across kinds', async () => {
    await devices(client, 'lakeside clinic', 'at-lakeside clinic-1');
    expect((await find('LAKESIDE CLINIC', partnerAdmin)).map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      'device lakeside clinic',
      'organisation Lakeside Clinic',
      'device at-lakeside clinic-1',
    ]);
  });
});

describe('refusals', () => {
  test('returns 401 to anonymous callers, 403 to an empty role and 400 for empty or long texts', async () => {
    expect((await search('x')).statusCode).toBe(401);
    expect((await search('x', await t.user({ organisationId: client, role: '' }))).statusCode).toBe(403);
    for (const text of ['', '  ', 'x'.repeat(201)]) expect((await search(text, analyst)).statusCode).toBe(400);
  });

  test('matches hostile texts literally', async () => {
    await devices(client, '100%_real\\thing', 'İstanbul 😀');
    for (const text of ['%', '_', '\\', "'", "' or 1=1 --", '\u{10FFFF}', '‮', '((((', '*'.repeat(200)]) {
      const found = (await find(text, analyst)).filter(({ kind }) => kind === 'device');
      expect([text, found.every(({ title }) => title.includes(text))]).toEqual([text, true]);
    }
    expect(await titles('device', '%_real\\', analyst)).toEqual(['100%_real\\thing']);
    expect(await titles('device', '😀', analyst)).toEqual(['İstanbul 😀']);
    expect(await titles('device', 'İstanbul', analyst)).toEqual(['İstanbul 😀']);
  });
});

test('finds prefixes and substrings quickly among 100,000 devices of 200 organisations', async () => {
  const parent = await t.organisation({ isPartner: true });
  const administrator = await t.user({ organisationId: parent, role: 'Administrator' });
  await scoped(
    t.db,
    'system',
    async (tx) => {
      await sql`insert into organisations (id, name, parent_id) select 10000 + n, 'Client ' || n, ${parent} from generate_series(1, 200) n`.execute(
        tx,
      );
      await sql`insert into devices (organisation_id, name, device_type)
      select 10000 + o, 'WS-' || o || '-' || n, 'workstation' from generate_series(1, 200) o, generate_series(1, 500) n`.execute(
        tx,
      );
    },
    { statementTimeoutMs: 0 },
  );
  // A common prefix, one of a single organisation, a rare substring and a missing text.
  for (const [text, count] of [
    ['ws', 5],
    ['ws-17-4', 5],
    ['-77-499', 1],
    ['nowhere', 0],
  ] as const) {
    const started = performance.now();
    expect(await titles('device', text, administrator)).toHaveLength(count);
    const tookMs = performance.now() - started;
    expect([text, tookMs < 1000]).toEqual([text, true]);
  }
  // The index works beneath row-level security: its comparisons are leakproof.
  const plan = await scoped(t.db, { organisationIds: [10001] }, async (tx) => {
    const { rows } = await sql<Record<string, string>>`
      explain select id from devices d where organisation_id = 10001 and name_key >= 'ws-1-4' and name_key < 'ws-1-5'`.execute(
      tx,
    );
    return rows.map((row) => Object.values(row)[0]).join('\n');
  });
  expect(plan).toMatch(/Index Cond: .*name_key >= 'ws-1-4'/);
}, 60_000);
