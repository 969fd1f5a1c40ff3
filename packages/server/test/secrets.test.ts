/** No plaintext secret in the database: each kind is created by its real call, then every row of every table is searched for all of them. */
import { authApi } from '@parapet/contract/auth.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { TOTP } from 'otpauth';
import { beforeAll, expect, test, vi } from 'vitest';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { mailsTo, makeAccount, post, signIn } from './accounts.ts';
import type { TestUser } from './app.ts';
import { caseMailsWorld } from './caseMails.fixture.ts';
import { runAs } from './database.ts';
import { secretKey } from './keys.ts';
import { useFixture } from './use.ts';

const world = useFixture(caseMailsWorld, (fixture) => fixture.close());
let admin: TestUser;
/** Description → text that must not be found. */
const secrets = new Map<string, string>([['master key', secretKey]]);

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(world.t.db, 'system', work);
const tokenIn = (text: string, pattern: RegExp): string => {
  const token = pattern.exec(text)?.[1];
  expect(token).toMatch(/[\w-]{43}$/);
  return token as string;
};

/** Searches all texts in plain form and in binary columns. Reads whole rows, so that no column is missed. */
async function found(): Promise<string[]> {
  const { ownerUrl } = world.t.database;
  const rowsOf = async (sql: string) => (await runAs(ownerUrl, sql))[0]?.rows ?? [];
  const tables: { name: string }[] = await rowsOf(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(50);
  const rows: { name: string; text: string }[] = await rowsOf(
    tables.map(({ name }) => `select '${name}' as name, t::text as text from ${name} t`).join(' union all '),
  );
  expect(rows.length).toBeGreaterThan(100);
  const places = new Set<string>();
  for (const [what, secret] of secrets) {
    const bytes = Buffer.from(secret);
    const forms = [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')];
    for (const { name, text } of rows) if (forms.some((form) => text.includes(form))) places.add(`${what} in ${name}`);
  }
  return [...places];
}

beforeAll(async () => {
  const { t, partner } = world;
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
});

test('finds none while emails are queued and after delivery', async () => {
  const { t, partner, client, aCase, escalate, linksOf, deliver, server } = world;

  const person = await makeAccount(t, client);
  await post(t, `/user/forgot-password/${encodeURIComponent(person.email)}`, {});
  const reset = await vi.waitFor(async () => {
    const [mail] = await mailsTo(t, person.email);
    return tokenIn(mail?.text ?? '', /passwordReset\/([\w-]{43})/);
  });
  secrets.set('reset link', reset);

  const invited = { firstName: 'I', lastName: 'N', emailAddress: 'invited@acme.example', phoneNumber: '' };
  const body = { ...invited, UserRoleID: 5, clientOrganizationID: client, sendInvitation: true };
  expect((await t.call(usersApi.create, { body }, admin)).statusCode).toBe(200);
  const [invitation] = await mailsTo(t, invited.emailAddress);
  secrets.set('invitation', tokenIn(invitation?.text ?? '', /passwordReset\/([\w-]{43})/));

  const { id: caseId } = await aCase();
  expect((await escalate(caseId)).statusCode).toBe(200);
  const links = await linksOf(caseId);
  expect(links).toHaveLength(4);
  for (const [at, { token }] of links.entries()) secrets.set(`answer ${at}`, token);

  const other = await makeAccount(t, client);
  const { url } = (await t.call(usersApi.makeLink, { params: { id: other.id } }, admin)).json();
  secrets.set('link made by an administrator', tokenIn(url, /passwordReset\/([\w-]{43})/));

  const enrolling = await makeAccount(t, client, { is_mfa_required: true });
  const { mfaChallenge: challenge } = (await signIn(t, enrolling.email)).json();
  secrets.set('second factor', challenge.qrSecret);
  expect(await found()).toEqual([]);
  const code = new TOTP({ secret: challenge.qrSecret }).generate();
  const answer = await t.call(authApi.completeMfa, { body: { nonce: challenge.nonce, code, password: challenge.password } });
  expect(answer.statusCode).toBe(200);

  const singleSignOn = {
    issuer: 'https://login.quay.example/v2',
    clientId: 'portal',
    clientSecret: 'client-secret-of-a-partner',
  };
  const policy = { isMfaCompulsory: true, allowsFirstMatchByEmail: false, singleSignOn };
  expect((await t.call(organisationsApi.updateSignInPolicy, { params: { id: partner }, body: policy }, admin)).statusCode).toBe(
    200,
  );
  secrets.set('client secret', singleSignOn.clientSecret);
  // Binary columns are shown as hex.
  secrets.set('signing key of tokens', (await t.keys.shared('access tokens')).toString('hex'));

  expect(await found()).toEqual([]);
  await deliver();
  expect(server.received.length).toBeGreaterThan(5);
  const states = await system((tx) => tx.selectFrom('mails').select(['state', 'sealed_links']).distinct().execute());
  expect(states).toEqual([{ state: 'sent', sealed_links: null }]);
  expect(await found()).toEqual([]);

  // The search itself works.
  secrets.set('a subject', 'Your account is ready');
  expect(await found()).toEqual(['a subject in public.mails']);
});
