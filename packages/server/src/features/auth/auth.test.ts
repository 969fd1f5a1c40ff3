import { randomUUID } from 'node:crypto';
import { authApi } from '@parapet/contract/auth.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { decodeJwt, SignJWT } from 'jose';
import { sql, type Updateable } from 'kysely';
import { Client } from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { auditOf, mailsTo, makeAccount, signIn as makeSignIn, password, post } from '../../../test/accounts.ts';
import { useTestApp } from '../../../test/app.ts';
import { untilLocked } from '../../../test/locks.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { netOf } from '../../core/http/addresses.ts';
import { removeEnded } from './auth.store.ts';

const t = useTestApp({ TRUST_PROXY: '1', CUSTOMER_SUCCESS_URL: 'https://success.example/welcome' });
let client: number;

beforeAll(async () => {
  client = await t.organisation({ name: 'Acme' });
});

const account = async (fields: Parameters<typeof makeAccount>[2] & { organisationId?: number } = {}) => {
  const { organisationId = client, ...rest } = fields;
  return (await makeAccount(t, organisationId, rest)).email;
};
const signIn = (email: string, word?: string, address?: string) => makeSignIn(t, email, word, address);

const clientsWith = (token: string) =>
  t.application.app.inject({
    url: `/api/v1${organisationsApi.getAllClients.path}`,
    headers: { authorization: `Bearer ${token}` },
  });

describe('sign-in', () => {
  test('returns the user with every field of the specification', async () => {
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
    expect(decodeJwt(user.accessToken)).toMatchObject({ iss: 'portal', aud: 'portal', sub: String(user.id) });
    expect(answer.body).not.toContain(password);
    expect(answer.body).not.toContain('argon2');
  });

  test('refuses wrong passwords, unknown and deleted accounts alike', async () => {
    const [known, deleted] = [await account(), await account({ is_deleted: true })];
    const answers = [await signIn(known, 'wrong password'), await signIn('unknown@acme.example'), await signIn(deleted)];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(400);
      expect({ ...answer.json(), requestId: '' }).toEqual({ ...answers[0]?.json(), requestId: '' });
    }
    expect(Object.keys(answers[0]?.json().errors)).toEqual(['email', 'password']);
  });

  test('slows an account down after five wrong passwords from an address, not for its owner elsewhere', async () => {
    const email = await account();
    for (let i = 0; i < 5; i++) await signIn(email, 'wrong password', '198.51.100.1');
    const slowed = await signIn(email, password, '198.51.100.1');
    expect(slowed.statusCode).toBe(429);
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    expect((await signIn(email, password, '198.51.100.2')).statusCode).toBe(200);
  });

  test('counts an IPv6 network as one address', async () => {
    const email = await account();
    for (let i = 1; i <= 5; i++) await signIn(email, 'wrong password', `2001:db8:0:1::${i}`);
    expect((await signIn(email, password, '2001:db8:0:1:ffff:1:2:3')).statusCode).toBe(429);
    expect((await signIn(email, password, '2001:db8:0:2::1')).statusCode).toBe(200);
    expect(['2001:DB8::1', '2001:db8:0:0:1::', '::1', '::ffff:192.0.2.7', '192.0.2.7', 'fe80::1%eth0'].map(netOf)).toEqual([
      '2001:db8:0:0',
      '2001:db8:0:0',
      '0:0:0:0',
      '192.0.2.7',
      '192.0.2.7',
      'fe80:0:0:0',
    ]);
  });

  test('applies changes made while the password is verified', async () => {
    const during = async (change: Updateable<Tables['users']>) => {
      const email = await account();
      const held = Promise.withResolvers<void>();
      const changing = scoped(t.db, 'system', async (tx) => {
        await tx.updateTable('users').set(change).where('email', '=', email).execute();
        await held.promise;
      });
      const answer = signIn(email);
      // The password was right when read; the next step waits for the row.
      await untilLocked(t.database.db);
      held.resolve();
      await changing;
      return answer;
    };
    for (const change of [{ password_hash: 'another' }, { is_deleted: true }]) {
      const answer = await during(change);
      expect([answer.statusCode, Object.keys(answer.json().errors ?? {})]).toEqual([400, ['email', 'password']]);
    }
    const answer = await during({ is_mfa_required: true });
    expect(Object.keys(answer.json())).toEqual(['mfaChallenge']);
    await scoped(t.db, 'system', (tx) => tx.deleteFrom('mfa_challenges').execute());
  });

  test('matches email addresses by the lower case of JavaScript, not of PostgreSQL', async () => {
    const email = await account({ email: 'alice.of.auth@acme.example' });
    expect((await signIn(email.toUpperCase())).statusCode).toBe(200);
    expect((await signIn(email.replace('i', 'İ'))).statusCode).toBe(400);
  });

  test('signs in users with names of any length', async () => {
    const email = await account({ first_name: 'A'.repeat(200), last_name: 'B'.repeat(200) });
    const { user } = (await signIn(email)).json();
    expect(user.displayName).toHaveLength(401);
  });

  test('limits an address to 20 attempts a minute', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 22; i++) statuses.push((await signIn(`x${i}@acme.example`, 'short pass', '198.51.100.9')).statusCode);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
    expect(statuses.slice(0, 15)).not.toContain(429);
  });

  test('returns the texts of the specification at the fields', async () => {
    const answer = await t.application.app.inject({
      method: 'POST',
      url: '/api/v1/auth/authenticate',
      payload: { email: 'a@b', password: 'short' },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toEqual({ email: ['Min character length is 4'], password: ['Min character length is 8'] });
  });

  test('records accepted and refused sign-ins', async () => {
    const email = await account();
    await signIn(email, 'wrong password');
    const { user } = (await signIn(email)).json();
    expect(await auditOf(t, user.id)).toEqual(['user.signInRefused', 'user.signedIn']);
  });

  test('returns the partner’s logo and refuses users of deactivated partners and organisations', async () => {
    const partner = await t.organisation({ isPartner: true });
    const child = await t.organisation({ parentId: partner });
    const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
    await system((tx) =>
      tx
        .insertInto('brands')
        .values({ organisation_id: partner, sub_domain: 'quay', name: 'Quay', logo_light_version: 'abc' })
        .execute(),
    );
    const email = await account({ organisationId: child });
    const { user } = (await signIn(email)).json();
    expect(user.logoURL).toBe('/api/v1/brand/quay/light.png?v=abc');
    expect(user.partnerOrg).toMatchObject({
      clientOrganizationID: partner,
      partnerName: 'Quay',
      logo2URL: '',
      addressData: { city: '' },
    });
    await system((tx) => tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', partner).execute());
    expect((await signIn(email)).statusCode).toBe(400);
    expect((await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } })).statusCode).toBe(401);
  });

  test('runs the same statements for known and unknown accounts', async () => {
    // Observes every connection of the process, including writes after the response.
    const query = vi.spyOn(Client.prototype, 'query');
    const countOf = async (email: string) => {
      query.mockClear();
      expect((await signIn(email, 'wrong password')).statusCode).toBe(400);
      // Excludes the heartbeat of the bus.
      return query.mock.calls.filter(([text]) => (text as unknown) !== 'select 1').length;
    };
    const [known, deleted, alone] = [
      await account(),
      await account({ is_deleted: true }),
      await account({ password_hash: null }),
    ];
    const counts = [await countOf(known), await countOf(deleted), await countOf(alone), await countOf('unknown@acme.example')];
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeGreaterThan(5);
    query.mockRestore();
  });

  test('counts concurrent guesses against the same five', async () => {
    const email = await account();
    const answers = await Promise.all(Array.from({ length: 15 }, () => signIn(email, 'wrong password', '198.51.100.77')));
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(5);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
  });

  test('emails the owner once a day about a burst of wrong passwords', async () => {
    const email = await account();
    const guess = (times: number) => Promise.all(Array.from({ length: times }, () => signIn(email, 'Wrong-Horse-9-Battery')));
    const notices = async () => (await mailsTo(t, email)).map(({ kind, text }) => [kind, /^At least \d+ sign-ins/m.test(text)]);
    await guess(9);
    expect(await notices()).toEqual([]);
    await guess(6);
    await vi.waitFor(async () => expect(await notices()).toEqual([['user.wrongPasswords', true]]), { timeout: 30_000 });
    await guess(3);
    await signIn(`unknown.${email}`, 'Wrong-Horse-9-Battery');
    expect(await notices()).toHaveLength(1);
  });

  test('clears wrong passwords after a right one', async () => {
    const email = await account();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++)
        expect((await signIn(email, 'wrong password', `198.51.100.${20 + round}`)).statusCode).toBe(400);
      expect((await signIn(email, password, `198.51.100.${20 + round}`)).statusCode).toBe(200);
    }
  });
});

describe('own session', () => {
  test('saves bounded user data and ignores other fields', async () => {
    const { user } = (await signIn(await account())).json();
    const token = { token: user.accessToken };
    const data = { settings: { theme: 'dark3', folded: true }, shortcuts: ['alerts'] };
    const body = { user: { data, id: 1, role: ['Host'], clientOrganizationID: 1 } };
    const answer = await t.call(authApi.updateUserData, { body } as never, token);
    expect(answer.json()).toEqual({ data });
    const { user: again } = (await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } })).json();
    expect(again).toMatchObject({ data, role: ['Manager'], clientOrganizationID: client });
    const huge = { settings: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])), shortcuts: [] };
    expect((await t.call(authApi.updateUserData, { body: { user: { data: huge } } }, token)).statusCode).toBe(400);
  });

  test('links to customer success by its own ids, to paths of this origin only, without a token', async () => {
    const { user } = (await signIn(await account())).json();
    const urlFor = async (link?: string) =>
      (
        await t.call(
          authApi.customerSuccess,
          { query: { email: 'victim@acme.example', ...(link && { link }) } },
          { token: user.accessToken },
        )
      ).json().url;
    const base = `https://success.example/welcome?contactID=${user.id}&accountID=${client}&next=`;
    expect(await urlFor('/apps/cases?x=1')).toBe(`${base}%2Fapps%2Fcases%3Fx%3D1`);
    for (const link of [
      undefined,
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/..//evil.example',
    ])
      expect(await urlFor(link)).toBe(`${base}%2Fapps%2Fdashboard`);
  });

  test('refuses registration for any body while it is off', async () => {
    for (const payload of [{}, { firstName: 'A', lastName: 'B', email: 'a@b.example', company: 'C' }]) {
      const answer = await post(t, '/auth/register', payload);
      expect(answer.statusCode).toBe(403);
      expect(answer.json().error).toContain('by invitation');
    }
  });
});

describe('stored token', () => {
  test('signs in again and is renewed within the same session', async () => {
    const { user } = (await signIn(await account())).json();
    const answer = await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } });
    expect(answer.statusCode).toBe(200);
    expect(decodeJwt(answer.json().user.accessToken).sid).toBe(decodeJwt(user.accessToken).sid);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute(),
    );
    expect(rows).toHaveLength(1);
  });

  test('stops working after logout', async () => {
    const { user } = (
      await signIn(await account({ role: 'Administrator', organisationId: await t.organisation({ isPartner: true }) }))
    ).json();
    expect((await clientsWith(user.accessToken)).statusCode).toBe(200);
    await t.call(authApi.logout, {}, { token: user.accessToken });
    expect((await clientsWith(user.accessToken)).statusCode).toBe(401);
    expect((await t.call(authApi.accessToken, { body: { accessToken: user.accessToken } })).statusCode).toBe(401);
  });

  test('requires our signature, issuer, audience and type', async () => {
    const { user } = (await signIn(await account())).json();
    const { sid } = decodeJwt(user.accessToken);
    const [head, body] = user.accessToken.split('.');
    const none = `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')}.${body}.`;
    const foreign = await new SignJWT({ sid })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setSubject(String(user.id))
      .setIssuer('portal')
      .setAudience('portal')
      .setExpirationTime('1h')
      .sign(new Uint8Array(32));
    for (const token of [none, foreign, `${head}.${body}.AAAA`, 'x', '']) expect((await clientsWith(token)).statusCode).toBe(401);
  });

  test('reflects role changes, moves and deletions from the next request on', async () => {
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

  test('ends after an idle hour and after twelve hours', async () => {
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

test('refuses sign-ins beyond the verification queue and loses none', async () => {
  const email = await account();
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => signIn(email, password, `203.0.113.${i}`)));
  const statuses = answers.map((answer) => answer.statusCode);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(20);
});

test('sweeps expired rows and keeps live ones', async () => {
  const email = await account();
  const { user } = (await signIn(email)).json();
  const at = (ms: number) => new Date(Date.now() + ms);
  await scoped(t.db, 'system', async (tx) => {
    const whose = { organisation_id: client, user_id: user.id };
    const times = [
      ['old', -2 * hourMs],
      ['new', hourMs],
    ] as const;
    for (const [name, ms] of times) {
      const key = Buffer.from(name);
      const expires_at = at(ms);
      await tx
        .insertInto('one_time_links')
        .values({ ...whose, token_hash: key, kind: 'reset', expires_at })
        .execute();
      await tx
        .insertInto('mfa_challenges')
        .values({ ...whose, nonce_hash: key, password_hash: key, expires_at })
        .execute();
      await tx
        .insertInto('sign_on_codes')
        .values({ ...whose, code_hash: key, browser_hash: key, expires_at })
        .execute();
      await tx
        .insertInto('sign_on_starts')
        .values({ state_hash: key, organisation_id: null, browser_hash: key, nonce: '', verifier: '', expires_at })
        .execute();
    }
    const attempts = [
      { kind: 'password', at: at(-25 * hourMs) },
      { kind: 'reset', at: at(-23 * hourMs) },
      { kind: 'password.known', at: at(-80 * 24 * hourMs) },
      { kind: 'password.known', at: at(-91 * 24 * hourMs) },
    ];
    await tx
      .insertInto('attempts')
      .values(attempts.map((attempt) => ({ ...attempt, key: Buffer.from('sweep') })))
      .execute();
    await tx
      .insertInto('sessions')
      .values({ id: randomUUID(), ...whose, expires_at: at(-31 * 24 * hourMs) })
      .execute();
    await removeEnded(tx);
    for (const table of ['one_time_links', 'mfa_challenges', 'sign_on_codes', 'sign_on_starts'] as const) {
      const { rows } = await sql<{
        keys: Buffer[];
      }>`select array_agg(${sql.ref(keys[table])}) as keys from ${sql.table(table)}`.execute(tx);
      expect([table, rows[0]?.keys.map(String)]).toEqual([table, ['new']]);
    }
    const left = await tx.selectFrom('attempts').select('kind').where('key', '=', Buffer.from('sweep')).orderBy('kind').execute();
    expect(left.map(({ kind }) => kind)).toEqual(['password.known', 'reset']);
    expect(await tx.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute()).toHaveLength(1);
  });
});
const keys = {
  one_time_links: 'token_hash',
  mfa_challenges: 'nonce_hash',
  sign_on_codes: 'code_hash',
  sign_on_starts: 'state_hash',
} as const;
