import { authApi, resetComplexityText } from '@parapet/contract/auth.ts';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { auditOf, liveSessions, mailsTo, makeAccount, password, post, signIn } from '../../../test/accounts.ts';
import { useTestApp, waitingMails } from '../../../test/app.ts';
import { untilLocked } from '../../../test/locks.ts';
import { scoped } from '../../core/db/scope.ts';
import { insertLink } from './links.store.ts';

const newPassword = 'Quiet-River-7-Lantern';
const invalidText = 'Password reset link is either invalid or has expired';
const t = useTestApp({ ...waitingMails, TRUST_PROXY: '1', PUBLIC_URL: 'https://portal.example', REGISTRATION: '1' });
let partner: number;
let client: number;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true, name: 'Quayside Guard' });
  client = await t.organisation({ parentId: partner });
  await scoped(t.db, 'system', (tx) =>
    tx.insertInto('brands').values({ organisation_id: partner, sub_domain: 'quay', name: 'Quayside Guard' }).execute(),
  );
});

const forgot = (email: string, headers: Record<string, string> = {}) =>
  post(t, `/user/forgot-password/${encodeURIComponent(email)}`, {}, headers);
const form = (token: string) => post(t, `/user/reset-pass-form/${token}`, {});
const reset = (token: string, word = newPassword) =>
  t.call(authApi.resetPassword, { body: { formData: { email: 'x', token }, newPassword: word } });
/** Token of the newest email, which is written after the response. */
async function mailedToken(email: string, count = 1): Promise<{ token: string; text: string }> {
  const mails = await vi.waitFor(async () => {
    const found = (await mailsTo(t, email)).filter(({ kind }) => kind === 'password.reset');
    expect(found).toHaveLength(count);
    return found;
  });
  const text = mails.at(-1)?.text ?? '';
  return { token: /\/passwordReset\/([\w-]{43})/.exec(text)?.[1] ?? '', text };
}

describe('password reset', () => {
  test('sets the password once, ends all sessions, emails a notice and is audited', async () => {
    const { id, email } = await makeAccount(t, client);
    await signIn(t, email);
    const answer = await forgot(email);
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Reset email has been sent' }]);
    const { token } = await mailedToken(email);
    const shown = await form(token);
    expect(shown.json()).toMatchObject({ email, token });
    const minutes = (Date.parse(shown.json().expirationDate) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(28);
    expect(minutes).toBeLessThanOrEqual(30.1);

    expect((await reset(token)).statusCode).toBe(200);
    expect(await liveSessions(t, id)).toEqual([]);
    expect((await signIn(t, email)).statusCode).toBe(400);
    expect((await signIn(t, email, newPassword)).statusCode).toBe(200);
    expect((await mailsTo(t, email)).map(({ kind }) => kind)).toEqual(['password.reset', 'password.changed']);
    expect(await auditOf(t, id)).toEqual([
      'user.signedIn',
      'user.passwordResetAsked',
      'user.passwordReset',
      'user.signInRefused',
      'user.signedIn',
    ]);
    for (const refused of [await reset(token), await form(token), await form('A'.repeat(43))])
      expect([refused.statusCode, refused.json().error]).toEqual([404, invalidText]);
  });

  test('stores no token in the link’s row or the audit log', async () => {
    const { email } = await makeAccount(t, client);
    await forgot(email);
    const { token } = await mailedToken(email);
    const rows = await scoped(t.db, 'system', async (tx) => [
      ...(await tx.selectFrom('one_time_links').selectAll().execute()),
      ...(await tx.selectFrom('audit').selectAll().execute()),
    ]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows.map((row) => Object.values(row).map(String)))).not.toContain(token);
  });

  test('responds alike for all accounts and emails only those with a password', async () => {
    const [known, deleted, alone] = [
      await makeAccount(t, client),
      await makeAccount(t, client, { is_deleted: true }),
      await makeAccount(t, client, { password_hash: null }),
    ];
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('user_identities')
        .values({ issuer: 'https://id.example', subject: 's', organisation_id: client, user_id: alone.id })
        .execute(),
    );
    // The known one is last: its email follows the others' lookups.
    const emails = [deleted.email, alone.email, 'unknown@acme.example', known.email];
    const answers = [];
    for (const email of emails) answers.push(await forgot(email));
    for (const answer of answers) expect([answer.statusCode, answer.body]).toEqual([200, answers[0]?.body]);
    await mailedToken(known.email);
    for (const email of emails.slice(0, -1)) expect(await mailsTo(t, email)).toEqual([]);
  });

  test('responds before the lookup of the account', async () => {
    const release = Promise.withResolvers<void>();
    const { email, id } = await makeAccount(t, client);
    // While the account’s row is locked, creating a link waits; the response must not.
    const holding = scoped(t.db, 'system', async (tx) => {
      await tx.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute();
      await release.promise;
    });
    expect((await forgot(email)).statusCode).toBe(200);
    expect(await mailsTo(t, email)).toEqual([]);
    release.resolve();
    await holding;
    await mailedToken(email);
  });

  test('limits every address to three emails an hour, also under concurrent requests', async () => {
    const { email } = await makeAccount(t, client);
    for (const address of [email, 'stranger@acme.example']) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => forgot(address)));
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 429, 429, 429]);
      expect((await forgot(address.toUpperCase())).statusCode).toBe(429);
    }
  });

  test.each([
    ['abc', 'Min character length is 4'],
    ['abcdef', 'Please provide a valid email address'],
    ['a@b.example\r\nBcc: c@d.example', 'Please provide a valid email address'],
    ['a@b.example,c@d.example', 'Please provide a valid email address'],
    ['"a"<c@d.example>', 'Please provide a valid email address'],
  ])('refuses %j as an address', async (email, text) => {
    const answer = await forgot(email);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toEqual({ resetEmail: [text] });
  });
});

describe('link', () => {
  test('uses the partner’s stored domain, never a header', async () => {
    const { email } = await makeAccount(t, client);
    await forgot(email, { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' });
    const { text } = await mailedToken(email);
    expect(text).toContain('https://quay.portal.example/passwordReset/');
    expect(text).not.toContain('evil');
    expect(text).not.toContain('Parapet');
  });

  test('goes to the new address when it changes during the request', async () => {
    const { id, email } = await makeAccount(t, client);
    const held = Promise.withResolvers<void>();
    const changing = scoped(t.db, 'system', async (tx) => {
      await tx
        .updateTable('users')
        .set({ email: `new.${email}` })
        .where('id', '=', id)
        .execute();
      await held.promise;
    });
    await forgot(email);
    await untilLocked(t.database.db);
    held.resolve();
    await changing;
    await mailedToken(`new.${email}`);
    expect(await mailsTo(t, email)).toEqual([]);
  });

  test('expires when a newer one is created', async () => {
    const { email } = await makeAccount(t, client);
    await forgot(email);
    const first = await mailedToken(email);
    await forgot(email);
    const second = await mailedToken(email, 2);
    expect((await form(first.token)).statusCode).toBe(404);
    expect((await form(second.token)).statusCode).toBe(200);
  });

  test('sets exactly one password under concurrent use', async () => {
    const { id, email } = await makeAccount(t, client);
    const token = await scoped(t.db, 'system', (tx) => insertLink(tx, { userId: id, organisationId: client, kind: 'reset' }));
    const words = ['Quiet-River-1-Lantern', 'Quiet-River-2-Lantern', 'Quiet-River-3-Lantern', 'Quiet-River-4-Lantern'];
    const answers = await Promise.all(words.map((word) => reset(token, word)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404, 404, 404]);
    const winner = words[answers.findIndex(({ statusCode }) => statusCode === 200)];
    expect((await signIn(t, email, winner)).statusCode).toBe(200);
  });

  test('expires after 30 minutes, an invitation after seven days, and with the account', async () => {
    const make = async (kind: 'reset' | 'invitation') => {
      const { id } = await makeAccount(t, client, { password_hash: null });
      return { id, token: await scoped(t.db, 'system', (tx) => insertLink(tx, { userId: id, organisationId: client, kind })) };
    };
    const age = (id: number, interval: number) =>
      scoped(t.db, 'system', async (tx) => {
        const row = await tx
          .selectFrom('one_time_links')
          .select('expires_at')
          .where('user_id', '=', id)
          .executeTakeFirstOrThrow();
        await tx
          .updateTable('one_time_links')
          .set({ expires_at: new Date(row.expires_at.getTime() - interval) })
          .where('user_id', '=', id)
          .execute();
      });
    const [link, invitation, gone] = [await make('reset'), await make('invitation'), await make('invitation')];
    await age(link.id, 31 * 60_000);
    expect((await form(link.token)).json().error).toBe(invalidText);
    await age(invitation.id, 6.9 * 86_400_000);
    expect((await form(invitation.token)).statusCode).toBe(200);
    await age(invitation.id, 0.2 * 86_400_000);
    expect((await reset(invitation.token)).statusCode).toBe(404);
    await scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', gone.id).execute());
    expect((await form(gone.token)).json().error).toBe(invalidText);
  });

  test('sets the first password of an invitation and is revoked by a reset', async () => {
    const { id, email } = await makeAccount(t, client, { password_hash: null });
    const link = (kind: 'reset' | 'invitation') =>
      scoped(t.db, 'system', (tx) => insertLink(tx, { userId: id, organisationId: client, kind }));
    const [invitation, other] = [await link('invitation'), await link('reset')];
    expect((await form(invitation)).statusCode).toBe(200);
    expect((await reset(other)).statusCode).toBe(200);
    expect((await form(invitation)).statusCode).toBe(404);
    expect((await signIn(t, email, newPassword)).statusCode).toBe(200);
  });

  test('refuses a weak password and stays valid', async () => {
    const { id } = await makeAccount(t, client);
    const token = await scoped(t.db, 'system', (tx) => insertLink(tx, { userId: id, organisationId: client, kind: 'reset' }));
    for (const word of [
      'short-1!A',
      'nocapitals-at-all-1!',
      'Password-2026-Password',
      'Quayside-Guard-2026!',
      `Aa1!${'x'.repeat(61)}`,
    ]) {
      const answer = await reset(token, word);
      expect([answer.statusCode, answer.json().errors.newPassword[0]]).toEqual([400, resetComplexityText]);
    }
    expect((await reset(token, password)).statusCode).toBe(200);
  });
});

test('emails account requests to the administrators of the host’s partner and creates nothing', async () => {
  const admin = await makeAccount(t, partner, { role: 'Administrator' });
  const { email: known } = await makeAccount(t, client);
  const users = () => scoped(t.db, 'system', (tx) => tx.selectFrom('users').select('id').execute());
  const before = (await users()).length;
  const register = (email: string) =>
    post(
      t,
      '/auth/register',
      { firstName: '<b>Eve</b>', lastName: 'Ng', email, company: 'Ng & Co' },
      { host: 'quay.portal.example' },
    );
  for (const email of [known, 'new@ng.example']) {
    const answer = await register(email);
    expect([answer.statusCode, answer.json()]).toEqual([200, { access_token: null }]);
  }
  const mails = await vi.waitFor(async () => {
    const found = await mailsTo(t, admin.email);
    expect(found).toHaveLength(2);
    return found;
  });
  expect(mails[0]?.html).toContain('&lt;b&gt;Eve');
  expect((await users()).length).toBe(before);
  for (let i = 0; i < 2; i++) expect((await register('new@ng.example')).statusCode).toBe(200);
  expect((await register('new@ng.example')).statusCode).toBe(429);
});
