import { authApi } from '@parapet/contract/auth.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { decodeJwt, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { hashPassword } from './passwords.ts';

const password = 'Correct-Horse-9-Battery';
let t: TestApp;
let client: number;
let number = 0;

beforeAll(async () => {
  t = await testApp({ TRUST_PROXY: '1' });
  client = await t.organisation({ name: 'Acme' });
});
afterAll(() => t.close());

async function account(
  fields: { role?: string; isDeleted?: boolean; needsMfa?: boolean; organisationId?: number } = {},
): Promise<string> {
  const email = `person${++number}@acme.example`;
  const hash = await hashPassword(password);
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('users')
      .values({
        organisation_id: fields.organisationId ?? client,
        email,
        first_name: 'Ada',
        last_name: 'Byron',
        role: fields.role ?? 'Manager',
        password_hash: hash,
        is_deleted: fields.isDeleted ?? false,
        is_mfa_required: fields.needsMfa ?? false,
      })
      .execute(),
  );
  return email;
}

/** Each from an address of its own, so that tests do not slow each other down. */
const signIn = (email: string, word = password, address = `192.0.2.${++number % 250}`) =>
  t.house.app.inject({
    method: 'POST',
    url: '/api/v1/auth/authenticate',
    payload: { email, password: word },
    headers: { 'x-forwarded-for': address },
  });

const clientsWith = (token: string) =>
  t.house.app.inject({ url: `/api/v1${organisationsApi.getAllClients.path}`, headers: { authorization: `Bearer ${token}` } });

describe('signing in', () => {
  test('answers the user with every field of the specification', async () => {
    const email = await account();
    const answer = await signIn(email.toUpperCase());
    expect(answer.statusCode).toBe(200);
    const { user } = answer.json();
    expect(user).toMatchObject({
      displayName: 'Ada Byron',
      emailAddress: email,
      role: ['Manager'],
      isPartner: false,
      clientOrganizationID: client,
      data: { settings: {}, shortcuts: [] },
    });
    expect(decodeJwt(user.accessToken)).toMatchObject({ iss: 'parapet', aud: 'portal', sub: String(user.id) });
    expect(answer.body).not.toContain(password);
    expect(answer.body).not.toContain('argon2');
  });

  test('a wrong password, an unknown and a deleted account answer alike', async () => {
    const [known, deleted] = [await account(), await account({ isDeleted: true })];
    const answers = [await signIn(known, 'wrong password'), await signIn('nobody@acme.example'), await signIn(deleted)];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(400);
      expect({ ...answer.json(), requestId: '' }).toEqual({ ...answers[0]?.json(), requestId: '' });
    }
    expect(Object.keys(answers[0]?.json().errors)).toEqual(['email', 'password']);
  });

  test('an account with a second factor is not let in by its password alone', async () => {
    const answer = await signIn(await account({ needsMfa: true }));
    expect(answer.statusCode).toBe(403);
    expect(answer.body).not.toContain('accessToken');
  });

  test('five wrong passwords slow the account down for that address, not for its owner elsewhere', async () => {
    const email = await account();
    for (let i = 0; i < 5; i++) await signIn(email, 'wrong password', '198.51.100.1');
    const slowed = await signIn(email, password, '198.51.100.1');
    expect(slowed.statusCode).toBe(429);
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    expect((await signIn(email, password, '198.51.100.2')).statusCode).toBe(200);
  });

  test('an address is limited to 20 tries a minute', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 22; i++) statuses.push((await signIn(`x${i}@acme.example`, 'short pass', '198.51.100.9')).statusCode);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
    expect(statuses.slice(0, 15)).not.toContain(429);
  });

  test('texts of the specification at the fields', async () => {
    const answer = await t.house.app.inject({
      method: 'POST',
      url: '/api/v1/auth/authenticate',
      payload: { email: 'a@b', password: 'short' },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toEqual({ email: ['Min character length is 4'], password: ['Min character length is 8'] });
  });

  test('leaves an audit row, the refused one too', async () => {
    const email = await account();
    await signIn(email, 'wrong password');
    const { user } = (await signIn(email)).json();
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').select('action').where('target', '=', String(user.id)).orderBy('id').execute(),
    );
    expect(rows.map((row) => row.action)).toEqual(['user.signInRefused', 'user.signedIn']);
  });
});

describe('the stored token', () => {
  test('signs in again and is renewed; the session stays the same', async () => {
    const { user } = (await signIn(await account())).json();
    const answer = await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } });
    expect(answer.statusCode).toBe(200);
    expect(decodeJwt(answer.json().user.accessToken).sid).toBe(decodeJwt(user.accessToken).sid);
  });

  test('is worth nothing after logout, on any call', async () => {
    const { user } = (
      await signIn(await account({ role: 'Administrator', organisationId: await t.organisation({ isPartner: true }) }))
    ).json();
    expect((await clientsWith(user.accessToken)).statusCode).toBe(200);
    await t.call(authApi.logout, {}, { token: user.accessToken });
    expect((await clientsWith(user.accessToken)).statusCode).toBe(401);
    expect((await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } })).statusCode).toBe(401);
  });

  test('a token that we did not sign, or signed for something else, is refused', async () => {
    const { user } = (await signIn(await account())).json();
    const { sid } = decodeJwt(user.accessToken);
    const [head, body] = user.accessToken.split('.');
    const none = `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')}.${body}.`;
    const foreign = await new SignJWT({ sid })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setSubject(String(user.id))
      .setIssuer('parapet')
      .setAudience('portal')
      .setExpirationTime('1h')
      .sign(new Uint8Array(32));
    for (const token of [none, foreign, `${head}.${body}.AAAA`, 'x', '']) expect((await clientsWith(token)).statusCode).toBe(401);
  });

  test('a role change, a move and a deletion hold from the next request on', async () => {
    const partner = await t.organisation({ isPartner: true });
    const email = await account({ role: 'Administrator', organisationId: partner });
    const { user } = (await signIn(email)).json();
    const change = (fields: object) =>
      scoped(t.db, 'system', (tx) => tx.updateTable('users').set(fields).where('email', '=', email).execute());
    expect((await clientsWith(user.accessToken)).json().results).toHaveLength(1);
    await t.organisation({ parentId: partner });
    expect((await clientsWith(user.accessToken)).json().results).toHaveLength(2);
    await change({ role: 'Manager' });
    expect((await clientsWith(user.accessToken)).statusCode).toBe(403);
    await change({ role: 'Administrator' });
    expect((await clientsWith(user.accessToken)).statusCode).toBe(200);
    await change({ is_deleted: true });
    expect((await clientsWith(user.accessToken)).statusCode).toBe(401);
  });

  test('a session ends after an hour without use and after twelve hours', async () => {
    const { user } = (await signIn(await account())).json();
    const { sid } = decodeJwt(user.accessToken);
    const age = (fields: object) =>
      scoped(t.db, 'system', (tx) => tx.updateTable('sessions').set(fields).where('id', '=', String(sid)).execute());
    await age({ last_seen_at: new Date(Date.now() - 61 * 60_000) });
    expect((await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } })).statusCode).toBe(401);
    await age({ last_seen_at: new Date(), expires_at: new Date(Date.now() - 1000) });
    expect((await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } })).statusCode).toBe(401);
  });
});

test('passwords: more sign-ins at once than two cores can verify are refused, none is lost', async () => {
  const email = await account();
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => signIn(email, password, `203.0.113.${i}`)));
  const statuses = answers.map((answer) => answer.statusCode);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(20);
});
