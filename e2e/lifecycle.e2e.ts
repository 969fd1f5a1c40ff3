/** Lifecycle of one client and one of its users: MFA by policy, password, MFA reset, a move between partners. */

import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { roleIds, subscriptionLevelIds } from '@parapet/contract/rules/values.ts';
import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { send, signIn } from './api.ts';
import { expect, ownTokenOf, portal, storedToken, test } from './fixtures.ts';

const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const [first, second] = ['Quiet-Harbour-47!', 'Louder-Harbour-48!'];

async function made<T>(token: string, path: string, body: object): Promise<T> {
  const answer = await send(portal.url, token, path, body);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function login(page: Page, email: string, password: string) {
  await page.goto('/login');
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await button(page, 'Login').click();
}

test('a new client’s user sets up MFA, changes the password and recovers from an MFA reset, and the client moves', async ({
  page,
  asPersona,
  browser,
}) => {
  const tag = Date.now().toString(36);
  const name = `Larch ${tag}`;
  const host = await ownTokenOf('host');
  const nothing = { street: '', suite: '', city: '', state: '', zipCode: '' };
  const client = await made<ClientDetails>(host, '/clientorganization', {
    general: {
      name,
      phoneNumber: '',
      emailAddress: '',
      websiteURL: '',
      industry: '',
      addressData: nothing,
      subscriptionLevelID: subscriptionLevelIds.monitor,
    },
    isPartner: false,
    partnerClientOrgID: 2,
  });
  const email = `sam.${tag}@larch.example`;
  const user = await made<{ id: number }>(host, '/user', {
    firstName: 'Sam',
    lastName: 'Larch',
    emailAddress: email,
    UserRoleID: roleIds.manager,
    clientOrganizationID: client.id,
    password: first,
    confirmPassword: first,
  });

  // MFA is mandatory outside the demo’s organisations.
  const own = await browser.newPage({ baseURL: portal.url });
  await login(own, email, first);
  await button(own, 'Next').click();
  const secret = ((await own.getByTitle('Secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  await button(own, 'Next').click();
  await field(own, 'Code').fill(new TOTP({ secret }).generate());
  await own.keyboard.press('Enter');
  await expect(button(own, 'User menu of Sam Larch')).toBeVisible();
  const token = await storedToken(own);

  await own.goto(`/apps/profile/${user.id}`);
  await expect(own.getByRole('heading', { name: 'Delete User' })).toHaveCount(0);
  await field(own, 'New password').fill(second);
  await field(own, 'Confirm new password').fill(first);
  await button(own, 'Change password').click();
  await expect(field(own, 'Confirm new password')).toHaveAccessibleDescription(
    "The passwords you entered don't match, please try again",
  );
  await field(own, 'Confirm new password').fill(second);
  await button(own, 'Change password').click();
  await expectToast(own, 'Password changed successfully');

  // The provider’s Host resets MFA: the user’s sessions end, and the next sign-in sets it up again.
  await asPersona('host', `/apps/profile/${user.id}?client=${client.id}`, host);
  await button(page, 'Reset MFA').click();
  await page.getByRole('dialog', { name: 'Reset MFA?' }).getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'MFA Reset Successfully');
  await expect(button(page, 'Reset MFA')).toBeDisabled();
  expect((await send(portal.url, token ?? '', `/user/${client.id}/${user.id}`)).status).toBe(401);
  await login(own, email, second);
  await expect(own.getByRole('heading', { name: 'Open an authenticator app' })).toBeVisible();

  // The moved client disappears from its old partner and appears under the new one.
  const [harbor, summit] = [await signIn(portal.url, 'partnerAdmin'), await signIn(portal.url, 'otherPartnerAdmin')];
  const seen = async (as: string) => (await send(portal.url, as, `/clientorganization/${client.id}/details`)).status;
  expect([await seen(harbor), await seen(summit)]).toEqual([200, 403]);
  await page.goto(`/apps/clientdetails/general?client=${client.id}`);
  await button(page, 'Move to another partner').click();
  const moving = page.getByRole('dialog', { name: `Move ${name} to another partner?` });
  await expect(moving.getByRole('button', { name: 'Yes' })).toBeDisabled();
  await moving.getByRole('combobox', { name: 'New partner' }).click();
  await page.getByRole('option', { name: 'Summit Cyber' }).click();
  await moving.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, `${name} moved to Summit Cyber`);
  await expect(page.getByText('Client of Summit Cyber')).toBeVisible();
  expect([await seen(harbor), await seen(summit)]).toEqual([403, 200]);

  await button(page, 'Deactivate').click();
  await page
    .getByRole('dialog', { name: `Deactivate ${name}?` })
    .getByRole('button', { name: 'Yes' })
    .click();
  await expectToast(page, `${name} deactivated`);
  await own.goto('/login');
  await field(own, 'Email').fill(email);
  await field(own, 'Password').fill(second);
  await button(own, 'Login').click();
  await expect(field(own, 'Email')).toHaveAccessibleDescription('Incorrect email address or password.');
  await own.close();
});
