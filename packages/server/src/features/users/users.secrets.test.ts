/** Passwords, MFA and links of the actor and of other users. */
import { keyScopes } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { post } from '../../../test/accounts.ts';
import type { TestUser } from '../../../test/app.ts';
import { password, usersWorld } from '../../../test/users.fixture.ts';
import { insertRow } from '../../core/db/rows.ts';
import { scoped } from '../../core/db/scope.ts';

const { t, partner, host, otherClient, aClient, stored, mails, actionsOn, isSignedIn, setUser, ageSession } = await usersWorld();
let client: number;
let admin: TestUser;
let partnerAdmin: TestUser;
beforeEach(async () => {
  ({ client, admin, partnerAdmin } = await aClient());
});
afterAll(() => t.close());

describe('password', () => {
  const setPassword = (id: number, user: TestUser, newPassword = password, clientOrganizationID = client) =>
    t.call(
      usersApi.changePassword,
      { params: { id }, body: { newPassword, confirmNewPassword: newPassword, clientOrganizationID } },
      user,
    );

  test('ends other sessions and links on a change and emails the user', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('sessions')
        .values({
          id: '00000000-0000-4000-8000-000000000001',
          organisation_id: client,
          user_id: person.id,
          expires_at: new Date(9e12),
        })
        .execute(),
    );
    const grant = { organisation_id: client, user_id: person.id, grant_id: crypto.randomUUID(), client: 'Assistant' };
    const assistant = await scoped(t.db, 'system', (tx) =>
      insertRow(tx, 'assistant_grants', { ...grant, redirect_host: '127.0.0.1', scopes: ['read'] }),
    );
    expect((await setPassword(person.id, person)).statusCode).toBe(200);
    expect(await isSignedIn(person)).toBe(true);
    const revoked = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('assistant_grants').where('revoked_at', 'is not', null).where('id', '=', assistant).select('id').execute(),
    );
    expect(revoked).toEqual([{ id: assistant }]);
    const ended = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('sessions').where('user_id', '=', person.id).where('revoked_at', 'is not', null).select('id').execute(),
    );
    expect(ended).toEqual([{ id: '00000000-0000-4000-8000-000000000001' }]);
    expect((await mails(person.email)).map(({ kind }) => kind)).toEqual(['user.passwordChanged']);
    expect((await actionsOn(person.id)).at(-1)).toEqual({
      action: 'user.passwordChanged',
      by: person.id,
      before: null,
      after: null,
    });

    expect((await setPassword(person.id, partnerAdmin)).statusCode).toBe(200);
    expect(await isSignedIn(person)).toBe(false);
    expect(await isSignedIn(partnerAdmin)).toBe(true);
  });

  test('requires a sign-in within ten minutes', async () => {
    await ageSession(admin, 11);
    const answer = await setPassword(admin.id, admin);
    expect([answer.statusCode, answer.json().error]).toEqual([403, 'Please sign in again to continue']);
    await ageSession(admin, 9);
    expect((await setPassword(admin.id, admin)).statusCode).toBe(200);
  });

  test('requires more than a client administrator, and the matching organisation', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    expect((await setPassword(person.id, admin)).statusCode).toBe(403);
    expect((await setPassword(person.id, partnerAdmin, password, partner)).statusCode).toBe(404);
    expect((await setPassword(person.id, partnerAdmin, password, otherClient)).statusCode).toBe(403);
    expect((await setPassword(admin.id, admin, 'Password-12345')).json().errors.newPassword).toEqual([
      expect.stringContaining('complexity'),
      expect.stringContaining('too common'),
    ]);
    expect((await stored(person.id)).password_hash).toBeNull();
  });
});

describe('MFA', () => {
  const reset = (id: number, user: TestUser) => t.call(usersApi.resetMfa, { params: { id } }, user);

  test('loses its secret and last step on a reset, and other sessions end', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    expect((await reset(person.id, host)).statusCode).toBe(409);
    await setUser(person.id, { is_mfa_set: true, mfa_secret: Buffer.from('sealed'), mfa_last_step: 5 });
    expect((await reset(person.id, partnerAdmin)).statusCode).toBe(403);
    expect((await reset(person.id, host)).statusCode).toBe(200);
    expect(await stored(person.id)).toMatchObject({
      is_mfa_set: false,
      mfa_secret: null,
      mfa_last_step: null,
      is_mfa_enrolment_due: true,
    });
    expect(await isSignedIn(person)).toBe(false);
    expect((await mails(person.email)).map(({ kind }) => kind)).toEqual(['user.mfaReset']);
  });

  test('requires a fresh sign-in to reset the own one', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    await setUser(person.id, { is_mfa_set: true });
    await ageSession(person, 11);
    expect((await reset(person.id, person)).statusCode).toBe(403);
    await ageSession(person, 1);
    expect((await reset(person.id, person)).statusCode).toBe(200);
    expect(await isSignedIn(person)).toBe(true);
  });
});

describe('link created by an administrator', () => {
  const makeLink = (id: number, by: TestUser) => t.call(usersApi.makeLink, { params: { id } }, by);
  const formOf = (url: string) => post(t, `/user/reset-pass-form/${url.split('/').at(-1)}`, {});

  test('sets the first password, revokes earlier links, and keeps its token out of log and database', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    const first = await makeLink(person.id, admin);
    expect(first.statusCode).toBe(200);
    expect((await formOf(first.json().url)).json()).toMatchObject({ email: person.email });
    const second = (await makeLink(person.id, admin)).json();
    expect(Date.parse(second.expiresAt)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    expect((await formOf(first.json().url)).statusCode).toBe(404);
    expect((await formOf(second.url)).statusCode).toBe(200);
    const entries = (await actionsOn(person.id)).filter(({ action }) => action === 'user.linkMade');
    expect(entries).toMatchObject([
      { by: admin.id, after: { kind: 'invitation' } },
      { by: admin.id, after: { kind: 'invitation' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(second.url.split('/').at(-1));
    // An invited user has no password to replace.
    expect(await mails(person.email)).toEqual([]);
  });

  test('resets a password by permitted administrators only and emails the owner', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    await setUser(person.id, { password_hash: 'x' });
    expect((await makeLink(person.id, admin)).statusCode).toBe(403);
    const made = await makeLink(person.id, partnerAdmin);
    expect(made.statusCode).toBe(200);
    expect(Date.parse(made.json().expiresAt)).toBeLessThan(Date.now() + 31 * 60_000);
    expect((await mails(person.email)).map(({ kind }) => kind)).toEqual(['user.linkMade']);
    expect((await makeLink(partnerAdmin.id, partnerAdmin)).statusCode).toBe(403);
    expect((await makeLink(host.id, partnerAdmin)).statusCode).toBe(404);
  });

  test('requires a fresh sign-in and refuses API keys', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    const { key } = (await t.call(accountApi.createApiKey, { body: { name: 'reports', scopes: [...keyScopes] } }, admin)).json();
    expect((await makeLink(person.id, { ...admin, token: key })).statusCode).toBe(403);
    await ageSession(admin, 11);
    const stale = await makeLink(person.id, admin);
    expect([stale.statusCode, stale.body]).toEqual([403, expect.stringContaining('sign in again')]);
  });
});
