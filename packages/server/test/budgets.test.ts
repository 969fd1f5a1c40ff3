/** Request and refusal budgets per person, key and address: response, audit row, metric and email. */
import { randomUUID } from 'node:crypto';
import { accountApi } from '@parapet/contract/account.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { type TestUser, useTestApp } from './app.ts';
import { runAs } from './database.ts';

// Slow hashes on a loaded machine; no password here is correct.
vi.mock(import('../src/core/passwords.ts'), async (original) => ({ ...(await original()), verifyPassword: async () => false }));

const metricsToken = 'a token of the tests';
const t = useTestApp({ API_CALLS_A_MINUTE: '60', API_REFUSALS_A_MINUTE: '10', METRICS_TOKEN: metricsToken });
beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
});

const list = (user: TestUser) => t.call(tagsApi.list, { query: { selectedClientOrgID: user.organisationId } }, user);
const times = async (count: number, call: () => Promise<{ statusCode: number }>) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await call()).statusCode);
  return seen;
};
const audited = (action: string, organisationId: number) =>
  scoped(
    t.db,
    'system',
    async (tx) =>
      (
        await sql<{
          userId: number | null;
          target: string;
          after: object;
        }>`select actor_user_id as "userId", target, after from audit
        where action = ${action} and organisation_id = ${organisationId} order by id`.execute(tx)
      ).rows,
  );
const mails = (organisationId: number) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('mails')
      .select(['kind', 'to_addresses', 'subject', 'text'])
      .where('organisation_id', '=', organisationId)
      .orderBy('id')
      .execute(),
  );
const metric = async (line: string) =>
  Number(
    new RegExp(`^${line.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(
      (await t.application.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })).body,
    )?.[1] ?? 0,
  );

test('limits reads and changes per person without affecting others', async () => {
  const organisationId = await t.organisation();
  const [busy, other] = [
    await t.user({ organisationId, role: 'Administrator' }),
    await t.user({ organisationId, role: 'Administrator' }),
  ];
  expect(new Set(await times(60, () => list(busy)))).toEqual(new Set([200]));
  const answer = await list(busy);
  expect(answer.statusCode).toBe(429);
  expect(answer.json().code).toBe('tooManyRequests');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect((await list(other)).statusCode).toBe(200);
  // A change costs five reads.
  const save = () =>
    t.call(tagsApi.saveNew, { body: { clientOrganizationID: organisationId, name: randomUUID().slice(0, 20) } }, other);
  expect(await times(13, save)).toEqual([...Array(12).fill(200), 429]);
  await expect.poll(() => audited('alarm.calls', organisationId)).toMatchObject([{ userId: busy.id }, { userId: other.id }]);
  // Exceeding the budget with permitted calls sends no email.
  expect(await mails(organisationId)).toEqual([]);
});

test('limits keys separately from their owners', async () => {
  const owner = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  const made = await t.call(accountApi.createApiKey, { body: { name: 'a program' } }, owner);
  expect(made.statusCode).toBe(200);
  const key = { ...owner, token: made.json().key as string };
  expect((await times(61, () => list(key))).at(-1)).toBe(429);
  expect((await list(owner)).statusCode).toBe(200);
});

test('blocks a person after too many refused calls for the rest of the minute, with one alarm and one email', async () => {
  const organisationId = await t.organisation();
  const admin = await t.user({ organisationId, role: 'Administrator' });
  const guest = await t.user({ organisationId, role: 'Analyst' });
  const before = [
    await metric('portal_refused_calls_total{reason="forbidden"}'),
    await metric('portal_alarms_total{kind="refusals"}'),
  ];
  const refused = () => t.call(tagsApi.remove, { body: { id: 1 } }, guest);
  expect(await times(13, refused)).toEqual([...Array(10).fill(403), 429, 429, 429]);
  // Refusals by scope count too, and permitted calls are blocked as well.
  expect((await list(guest)).statusCode).toBe(429);
  expect((await list(admin)).statusCode).toBe(200);
  await expect.poll(() => mails(organisationId)).toHaveLength(1);
  expect(await audited('alarm.refusals', organisationId)).toEqual([
    { userId: guest.id, target: String(guest.id), after: { address: '127.0.0.1', limitPerMinute: 10, isMailed: true } },
  ]);
  // Further calls do not fill the audit log.
  expect(await audited('call.denied', organisationId)).toHaveLength(10);
  const [mail] = await mails(organisationId);
  expect(mail).toMatchObject({ kind: 'alarm.refusals', to_addresses: [admin.email], subject: 'Many refused requests' });
  expect(mail!.text).toContain(guest.email);
  expect(await metric('portal_refused_calls_total{reason="forbidden"}')).toBe(before[0]! + 11);
  expect(await metric('portal_alarms_total{kind="refusals"}')).toBe(before[1]! + 1);
});

test('counts missing ids and taken addresses as probing', async () => {
  const partnerId = await t.organisation({ isPartner: true });
  const organisationId = await t.organisation({ parentId: partnerId });
  const partnerAdmin = await t.user({ organisationId: partnerId, role: 'Administrator' });
  const prober = await t.user({ organisationId, role: 'Administrator' });
  let id = 0;
  const missing = () => t.call(tagsApi.remove, { body: { id: 900_000 + id++ } }, prober);
  expect(await times(6, missing)).toEqual(Array(6).fill(404));
  const taken = () =>
    t.call(
      usersApi.create,
      {
        body: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          emailAddress: partnerAdmin.email,
          UserRoleID: 5,
          clientOrganizationID: organisationId,
          sendInvitation: true,
        },
      },
      prober,
    );
  expect(await times(5, taken)).toEqual([...Array(4).fill(409), 429]);
  // Existing ids are blocked as well.
  expect((await list(prober)).statusCode).toBe(429);
  await expect.poll(() => audited('alarm.probing', organisationId)).toMatchObject([{ userId: prober.id }]);
  // The only administrator is the offender: the partner’s are notified.
  await expect.poll(() => mails(organisationId)).toMatchObject([{ kind: 'alarm.probing', to_addresses: [partnerAdmin.email] }]);
});

test('sends one email per subject and hour across processes', async () => {
  const organisationId = await t.organisation();
  const admin = await t.user({ organisationId, role: 'Administrator' });
  const guest = await t.user({ organisationId, role: 'Analyst' });
  // As the owner: the application cannot set the time of an entry.
  await runAs(
    t.database.ownerUrl,
    `insert into audit (organisation_id, action, target, after, at) values (${organisationId}, 'alarm.refusals', '${guest.id}',
      '{"isMailed": true}', now() - interval '59 minutes')`,
  );
  await times(11, () => t.call(tagsApi.remove, { body: { id: 1 } }, guest));
  await expect.poll(() => audited('alarm.refusals', organisationId)).toHaveLength(2);
  expect(await mails(organisationId)).toEqual([]);
  expect(admin.id).toBeGreaterThan(0);
});

test('limits anonymous callers per address, but not signed-in ones from there', async () => {
  const user = await t.user({ organisationId: await t.organisation(), role: 'Analyst' });
  const unknown = () =>
    t.application.app.inject({
      url: '/api/v1/tags?selectedClientOrgID=1',
      headers: { authorization: 'Bearer x' },
      remoteAddress: '203.0.113.5',
    });
  const seen = await times(102, unknown);
  expect([seen[0], seen[99], seen[100], seen[101]]).toEqual([401, 401, 429, 429]);
  const known = await t.application.app.inject({
    url: `/api/v1/tags?selectedClientOrgID=${user.organisationId}`,
    headers: { authorization: `Bearer ${user.token}` },
    remoteAddress: '203.0.113.5',
  });
  expect(known.statusCode).toBe(200);
  await expect.poll(() => audited('alarm.unknownCallers', 1)).toMatchObject([{ userId: null, target: '203.0.113.5' }]);
});

test('raises one alarm with emails for wrong passwords across an organisation’s accounts', async () => {
  const organisationId = await t.organisation();
  const admin = await t.user({ organisationId, role: 'Administrator' });
  const people = await Promise.all(Array.from({ length: 21 }, () => t.user({ organisationId, role: 'Analyst' })));
  // Of so many, more than ten fall within one minute.
  let last = 1;
  for (const { email } of people)
    await t.application.app.inject({
      method: 'POST',
      url: `/api/v1${authApi.authenticate.path}`,
      payload: { email, password: 'not the right one' },
      remoteAddress: `198.51.100.${last++}`,
    });
  await expect.poll(() => mails(organisationId)).toMatchObject([{ kind: 'alarm.signIns', to_addresses: [admin.email] }]);
  expect(await audited('alarm.signIns', organisationId)).toMatchObject([
    { target: `organisation ${organisationId}`, after: { limitPerMinute: 10 } },
  ]);
});

test('exempts shippers, which have their own admission control', async () => {
  const key = await t.ingestKey(await t.organisation());
  expect(new Set(await times(80, () => t.send(key, [{ message: randomUUID() }])))).toEqual(new Set([200]));
});
