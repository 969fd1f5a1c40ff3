/** Step-up authentication and the calls that require it. */
import { randomUUID } from 'node:crypto';
import { keyScopes } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { authApi, wrongCodeText } from '@parapet/contract/auth.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { signInAgainText, usersApi } from '@parapet/contract/users.ts';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { auditOf, liveSessions, makeAccount, password, post, signIn } from '../../../test/accounts.ts';
import { ageSessions, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp({ TRUST_PROXY: '1', MAX_SESSIONS_PER_USER: '3' });
let client: number;

beforeAll(async () => {
  client = await t.organisation({ name: 'Acme' });
});
afterEach(() => vi.useRealTimers());

const tokenOf = async (email: string): Promise<string> => (await signIn(t, email)).json().user.accessToken;
const stepUp = (token: string, body: object) => t.call(authApi.stepUp, { body }, { token });
const makeUser = (token: string) =>
  t.call(
    usersApi.create,
    {
      body: {
        firstName: 'New',
        lastName: 'User',
        emailAddress: `${randomUUID()}@acme.example`,
        phoneNumber: '',
        UserRoleID: 3,
        clientOrganizationID: client,
        sendInvitation: true,
      },
    },
    { token },
  );

const codeOf = (secret: string, stepsFromNow = 0) =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + stepsFromNow * 30_000,
  });

/** Administrator signed in with password and code. Freezes the time, so that time steps are distinct. */
async function withSecondFactor() {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 10_000 });
  const made = await makeAccount(t, client, { role: 'Administrator', is_mfa_required: true });
  const { nonce, password: continuation, qrSecret } = (await signIn(t, made.email)).json().mfaChallenge;
  const done = await post(t, authApi.completeMfa.path, { nonce, code: codeOf(qrSecret, -1), password: continuation });
  return { ...made, secret: qrSecret as string, token: done.json().user.accessToken as string };
}

test('requires the password before a stale session creates a user', async () => {
  const { id, email } = await makeAccount(t, client, { role: 'Administrator' });
  const token = await tokenOf(email);
  await ageSessions(t, id);

  const refused = await makeUser(token);
  expect([refused.statusCode, refused.json().error]).toEqual([403, signInAgainText]);
  expect(refused.json().stepUp).toEqual(['password']);

  const wrong = await stepUp(token, { password: 'Not-The-Password-1' });
  expect([wrong.statusCode, wrong.json().errors]).toEqual([400, { password: ['Incorrect password.'] }]);
  expect((await makeUser(token)).statusCode).toBe(403);

  const right = await stepUp(token, { password });
  expect(right.statusCode).toBe(200);
  expect(Date.parse(right.json().freshUntil) - Date.now()).toBeGreaterThan(9 * 60_000);
  expect((await makeUser(token)).statusCode).toBe(200);
  expect((await auditOf(t, id)).filter((action) => action.startsWith('user.step'))).toEqual([
    'user.stepUpRefused',
    'user.steppedUp',
  ]);
});

test('limits a proof to its own session', async () => {
  const { id, email } = await makeAccount(t, client, { role: 'Administrator' });
  const [one, other] = [await tokenOf(email), await tokenOf(email)];
  await ageSessions(t, id);
  expect((await stepUp(one, { password })).statusCode).toBe(200);
  expect((await makeUser(other)).statusCode).toBe(403);
});

test('slows down after wrong passwords like sign-in', async () => {
  const { email } = await makeAccount(t, client, { role: 'Administrator' });
  const token = await tokenOf(email);
  // Concurrent, so that no pause elapses between them.
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => stepUp(token, { password: `Wrong-Password-${i}` })));
  const codes = answers.map(({ statusCode }) => statusCode).sort();
  expect(codes.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
  expect(codes.at(-1)).toBe(429);
});

describe('with MFA', () => {
  test('refuses the password alone and accepts each code once', async () => {
    const { id, secret, token } = await withSecondFactor();
    expect((await makeUser(token)).statusCode).toBe(200);
    await ageSessions(t, id);
    const refused = await makeUser(token);
    expect([refused.statusCode, refused.json().stepUp]).toEqual([403, ['code']]);
    expect((await stepUp(token, { password })).statusCode).toBe(200);
    expect((await makeUser(token)).statusCode).toBe(403);

    const wrong = await stepUp(token, { code: codeOf(secret, 40) });
    expect([wrong.statusCode, wrong.json().errors]).toEqual([400, { code: [wrongCodeText] }]);
    const code = codeOf(secret);
    expect((await stepUp(token, { code })).statusCode).toBe(200);
    expect((await makeUser(token)).statusCode).toBe(200);
    expect((await stepUp(token, { code })).statusCode).toBe(400);
  });

  test('accepts the password where only a recent sign-in is required', async () => {
    const { id, token } = await withSecondFactor();
    await ageSessions(t, id);
    const makeKey = () => t.call(ingestKeysApi.create, { params: { client }, body: { name: 'collector' } }, { token });
    const refused = await makeKey();
    expect([refused.statusCode, refused.json().stepUp]).toEqual([403, ['password', 'code']]);
    expect((await stepUp(token, { password })).statusCode).toBe(200);
    expect((await makeKey()).statusCode).toBe(200);
  });
});

test('treats a session without a proof as stale', async () => {
  const { id, email } = await makeAccount(t, client, { role: 'Administrator' });
  const token = await tokenOf(email);
  await scoped(t.db, 'system', (tx) => tx.updateTable('sessions').set({ proven_at: null }).where('user_id', '=', id).execute());
  expect((await makeUser(token)).statusCode).toBe(403);
});

test('accepts exactly one proof, never from an API key or without a session', async () => {
  const { email } = await makeAccount(t, client, { role: 'Administrator' });
  const token = await tokenOf(email);
  expect((await stepUp(token, {})).statusCode).toBe(400);
  expect((await stepUp(token, { password, code: '123456' })).statusCode).toBe(400);
  const key = await t.call(accountApi.createApiKey, { body: { name: 'key', scopes: [...keyScopes] } }, { token });
  expect((await stepUp(key.json().key, { password })).statusCode).toBe(403);
  expect((await t.call(authApi.stepUp, { body: { password } })).statusCode).toBe(401);
});

test('guards email address and role, not the own phone number', async () => {
  const { id, email } = await makeAccount(t, client, { role: 'Administrator' });
  const token = await tokenOf(email);
  await ageSessions(t, id);
  const update = async (fields: object) =>
    (await t.call(usersApi.update, { params: { id }, body: { clientOrganizationID: client, ...fields } }, { token })).statusCode;
  expect(await update({ phoneNumber: '+49 30 1234' })).toBe(200);
  expect(await update({ emailAddress: `new-${email}` })).toBe(403);
  expect(await update({ currentUserRoleID: 3 })).toBe(403);
});

test('ends and audits the least recently used session beyond the limit', async () => {
  const { id, email } = await makeAccount(t, client);
  const first = await tokenOf(email);
  const [{ id: firstId } = { id: '' }] = await liveSessions(t, id);
  await tokenOf(email);
  await tokenOf(email);
  expect((await t.call(accountApi.sessions, {}, { token: first })).json().total).toBe(3);
  const fourth = await tokenOf(email);
  expect((await t.call(accountApi.sessions, {}, { token: first })).statusCode).toBe(401);
  expect((await t.call(accountApi.sessions, {}, { token: fourth })).json().total).toBe(3);
  const rows = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select(['action', 'after']).where('target', '=', firstId).execute(),
  );
  expect(rows).toEqual([{ action: 'session.ended', after: { reason: 'More than 3 sessions at once' } }]);
});
