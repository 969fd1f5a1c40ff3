/** Password reset end to end: requested, emailed by the worker to a real mail server, completed by the link and used to sign in. */
import { authApi } from '@parapet/contract/auth.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeAccount, password, post, signIn } from '../../../test/accounts.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { scoped } from '../../core/db/scope.ts';

const newPassword = 'Quiet-River-7-Lantern';
let server: Awaited<ReturnType<typeof startMailServer>>;
let t: TestApp;

beforeAll(async () => {
  server = await startMailServer();
  t = await testApp({
    PORTAL_ROLES: 'api,worker',
    SMTP_URL: server.url,
    TRUST_PROXY: '1',
    PUBLIC_URL: 'https://portal.example',
    MAIL_FROM: 'post@portal.example',
  });
});
afterAll(async () => {
  await t.close();
  await server.close();
});

test('resets a password by the link that the mail server received', async () => {
  const partner = await t.organisation({ isPartner: true, name: 'Quayside Guard' });
  await scoped(t.db, 'system', (tx) =>
    tx.insertInto('brands').values({ organisation_id: partner, sub_domain: 'quay', name: 'Quayside Guard' }).execute(),
  );
  const { email } = await makeAccount(t, await t.organisation({ parentId: partner }));

  expect((await post(t, `/user/forgot-password/${encodeURIComponent(email)}`, {})).json()).toEqual({
    message: 'Reset email has been sent',
  });
  await vi.waitFor(() => expect(server.received).toHaveLength(1), { timeout: 10_000 });
  const [mail] = server.received;
  expect(mail?.to).toEqual([email]);
  expect(mail?.raw).toMatch(/^From: Quayside Guard <post@portal\.example>$/m);
  // Soft breaks of quoted-printable removed; once in the text, once in the button.
  const text = mail?.raw.replace(/=\r\n/g, '').replaceAll('=3D', '=') ?? '';
  const links = [...text.matchAll(/https:\/\/quay\.portal\.example\/passwordReset\/([\w-]{43})(?![\w-])/g)].map(
    ([, token]) => token,
  );
  expect(links.length).toBeGreaterThanOrEqual(2);
  expect(new Set(links).size).toBe(1);
  const token = links[0] as string;

  const form = (await post(t, `/user/reset-pass-form/${token}`, {})).json();
  expect(form).toMatchObject({ email, token });
  const answer = await t.call(authApi.resetPassword, { body: { formData: form, newPassword } });
  expect(answer.statusCode).toBe(200);
  expect((await signIn(t, email, password)).statusCode).toBe(400);
  expect((await signIn(t, email, newPassword)).json().user.emailAddress).toBe(email);

  // Includes the notice of the change.
  await vi.waitFor(() => expect(server.received).toHaveLength(2), { timeout: 10_000 });
  expect(server.received[1]).toMatchObject({ to: [email], raw: expect.stringMatching(/^Subject: Your password was set$/m) });
  const states = () => scoped(t.db, 'system', (tx) => tx.selectFrom('mails').select('state').execute());
  await vi.waitFor(async () => expect(await states()).toEqual([{ state: 'sent' }, { state: 'sent' }]));
});
