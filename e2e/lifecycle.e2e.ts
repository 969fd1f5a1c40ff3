/** Lifecycle of one client and one of its users, one test after the other: MFA by policy, password, MFA reset, a move between partners. */
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { roleIds, subscriptionLevelIds } from '@parapet/contract/rules/values.ts';
import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { send, signIn } from './api.ts';
import { expect, keepToken, ownTokenOf, portal, storedToken, test } from './fixtures.ts';

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

test.describe.configure({ mode: 'serial' });

const tag = Date.now().toString(36);
const name = `Larch ${tag}`;
const email = `sam.${tag}@larch.example`;
let host: string;
let client: ClientDetails;
let user: { id: number };
let token: string;

test.beforeAll(async () => {
  host = await ownTokenOf('host');
  const nothing = { street: '', suite: '', city: '', state: '', zipCode: '' };
  client = await made<ClientDetails>(host, '/clientorganization', {
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
  user = await made<{ id: number }>(host, '/user', {
    firstName: 'Sam',
    lastName: 'Larch',
    emailAddress: email,
    UserRoleID: roleIds.manager,
    clientOrganizationID: client.id,
    password: first,
    confirmPassword: first,
  });
});

test('a user of a new client sets up MFA at the first sign-in', async ({ page }) => {
  // MFA is mandatory outside the demo’s organisations.
  await login(page, email, first);
  await button(page, 'Next').click();
  const secret = ((await page.getByTitle('Secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  await button(page, 'Next').click();
  await field(page, 'Code').fill(new TOTP({ secret }).generate());
  await page.keyboard.press('Enter');
  await expect(button(page, 'User menu of Sam Larch')).toBeVisible();
  token = (await storedToken(page)) ?? '';
});

test('a user changes the password and cannot delete the account', async ({ page }) => {
  await keepToken(page, token);
  await page.goto(`/apps/profile/${user.id}`);
  await expect(page.getByRole('heading', { name: 'Delete User' })).toHaveCount(0);
  await field(page, 'New password').fill(second);
  await field(page, 'Confirm new password').fill(first);
  await button(page, 'Change password').click();
  await expect(field(page, 'Confirm new password')).toHaveAccessibleDescription(
    "The passwords you entered don't match, please try again",
  );
  await field(page, 'Confirm new password').fill(second);
  await button(page, 'Change password').click();
  await expectToast(page, 'Password changed successfully');
});

test('an MFA reset by the Host ends the user’s sessions and requires a new setup', async ({ page, asPersona, browser }) => {
  await asPersona('host', `/apps/profile/${user.id}?client=${client.id}`, host);
  await button(page, 'Reset MFA').click();
  await page.getByRole('dialog', { name: 'Reset MFA?' }).getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'MFA Reset Successfully');
  await expect(button(page, 'Reset MFA')).toBeDisabled();
  expect((await send(portal.url, token, `/user/${client.id}/${user.id}`)).status).toBe(401);
  const theirs = await browser.newPage({ baseURL: portal.url });
  await login(theirs, email, second);
  await expect(theirs.getByRole('heading', { name: 'Open an authenticator app' })).toBeVisible();
  await theirs.close();
});

test('a moved client leaves its old partner and appears under the new one', async ({ page, asPersona }) => {
  const [harbor, summit] = [await signIn(portal.url, 'partnerAdmin'), await signIn(portal.url, 'otherPartnerAdmin')];
  const seen = async (as: string) => (await send(portal.url, as, `/clientorganization/${client.id}/details`)).status;
  expect([await seen(harbor), await seen(summit)]).toEqual([200, 403]);
  await asPersona('host', `/apps/clientdetails/general?client=${client.id}`, host);
  await button(page, 'Move to another partner').click();
  const moving = page.getByRole('dialog', { name: `Move ${name} to another partner?` });
  await expect(moving.getByRole('button', { name: 'Yes' })).toBeDisabled();
  await moving.getByRole('combobox', { name: 'New partner' }).click();
  await page.getByRole('option', { name: 'Summit Cyber' }).click();
  await moving.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, `${name} moved to Summit Cyber`);
  await expect(page.getByText('Client of Summit Cyber')).toBeVisible();
  expect([await seen(harbor), await seen(summit)]).toEqual([403, 200]);
});

test('a user of a deactivated client cannot sign in', async ({ page, asPersona, browser }) => {
  await asPersona('host', `/apps/clientdetails/general?client=${client.id}`, host);
  await button(page, 'Deactivate').click();
  await page
    .getByRole('dialog', { name: `Deactivate ${name}?` })
    .getByRole('button', { name: 'Yes' })
    .click();
  await expectToast(page, `${name} deactivated`);
  const theirs = await browser.newPage({ baseURL: portal.url });
  await login(theirs, email, second);
  await expect(field(theirs, 'Email')).toHaveAccessibleDescription('Incorrect email address or password.');
  await theirs.close();
});
