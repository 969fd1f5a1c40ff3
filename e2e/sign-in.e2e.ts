/** Sign-in, sign-out and route guards (spec §2.1, §2.3, §4, §5, §8). */
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import type { Page } from '@playwright/test';
import { send } from './api.ts';
import { expect, keepToken, ownTokenOf, portal, storedToken, test } from './fixtures.ts';

const formOf = (page: Page) => ({
  email: page.getByRole('textbox', { name: 'Email' }),
  password: page.getByRole('textbox', { name: 'Password' }),
  button: page.getByRole('button', { name: 'Login', exact: true }),
});

async function fillAndSend(page: Page, email: string, password: string) {
  const form = formOf(page);
  await form.email.fill(email);
  await form.password.fill(password);
  await form.button.click();
}

/** An expired token of the portal’s shape. */
const expiredToken = () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'HS256', typ: 'at+jwt' })}.${part({ sub: '1', iat: now - 7200, exp: now - 3600 })}.c2lnbmF0dXJl`;
};

test('a guest is redirected from every page to the sign-in and afterwards to the requested page', async ({ page }) => {
  for (const path of ['/', '/apps/dashboard', '/apps/devices/10', '/apps/alert/7', '/apps/alerts/DC-01']) {
    await page.goto(path);
    await expect(page).toHaveURL('/login');
  }
  const wanted = '/apps/alerts?timeframe=lastMonth&severity=high&sort=rule';
  await page.goto(wanted);
  await expect(page).toHaveURL('/login');
  // The remembered path survives a reload of the sign-in page.
  await page.reload();
  await fillAndSend(page, personaOf('analyst').email, personaPassword);
  await expect(page).toHaveURL(/\/apps\/alerts/);
  expect(new URL(page.url()).search).toBe('?timeframe=lastMonth&severity=high&sort=rule');
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
});

test('the sign-in page shows the texts of spec §2.3 and §5 and nothing of the shell', async ({ page }) => {
  await page.goto('/login');
  const { email, password, button } = formOf(page);
  await expect(page.getByText('Please sign in to access the SOC management and analytics portal.')).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.getByRole('contentinfo')).toHaveCount(0);
  await expect(page.getByRole('combobox')).toHaveCount(0);

  await expect(email).toBeFocused();
  await expect(button).toBeDisabled();
  await email.fill('abc');
  await password.focus();
  await expect(email).toHaveAccessibleDescription('Min character length is 4');
  await password.fill('1234567');
  await email.focus();
  await expect(password).toHaveAccessibleDescription('Min character length is 8');
  await expect(button).toBeDisabled();
  await email.fill('abcd');
  await expect(email).toHaveAccessibleDescription('');
  await expect(button).toBeDisabled();
  await password.fill('12345678');
  await expect(password).toHaveAccessibleDescription('');
  await expect(button).toBeEnabled();

  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
});

test('a rejected sign-in shows at both fields and as a notification', async ({ page }) => {
  await page.goto('/login');
  await fillAndSend(page, 'nobody@alder.example', 'not the password');
  const { email, password, button } = formOf(page);
  const refusal = /Incorrect email address or password/;
  await expect(page.getByRole('alert').filter({ hasText: refusal })).toBeVisible();
  await expect(email).toHaveAccessibleDescription(refusal);
  await expect(password).toHaveAccessibleDescription(refusal);
  await expect(email).toHaveAttribute('aria-invalid', 'true');
  expect(await storedToken(page)).toBeNull();
  // Editing the form clears the previous error.
  await password.fill('another password');
  await expect(password).toHaveAccessibleDescription('');
  await expect(button).toBeEnabled();
});

test('a click on a persona fills the form, and a sign-in in one tab applies to all', async ({ page, context }) => {
  const other = await context.newPage();
  await other.goto('/login');
  await page.goto('/login');
  await page.getByRole('button', { name: 'Ruth Aldana Administrator' }).click();
  const { email, password, button } = formOf(page);
  await expect(email).toHaveValue(personaOf('clientAdmin').email);
  await expect(password).toHaveValue(personaPassword);
  // Enter submits the form.
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/apps\/dashboard/);
  await expect(page.getByRole('button', { name: 'User menu of Ruth Aldana' })).toBeVisible();
  await expect(other).toHaveURL(/\/apps\/dashboard/);
  await expect(other.getByRole('button', { name: 'User menu of Ruth Aldana' })).toBeVisible();
});

test('the splash screen stays until the token check ends', async ({ page, asPersona }) => {
  let letPass = () => {};
  const held = new Promise<void>((resolve) => {
    letPass = resolve;
  });
  await page.route('**/api/v1/auth/access-token', async (route) => {
    await held;
    await route.continue();
  });
  await asPersona('analyst', '/apps/alerts');
  await expect(page.getByRole('status').filter({ hasText: 'Loading...' })).toBeVisible();
  await expect(page.getByRole('main')).toHaveCount(0);
  await expect(page).toHaveURL('/apps/alerts');
  letPass();
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await expect(page.getByText('Loading...')).toHaveCount(0);
});

test('an expired token signs out with its reason and remembers the path', async ({ page, asPersona }) => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await asPersona('analyst', '/apps/devices', expiredToken());
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('status').filter({ hasText: 'access_token expired' })).toBeVisible();
  expect(await storedToken(page)).toBeNull();
  expect(requests).not.toContain('/api/v1/auth/access-token');
});

test('a token that the server rejects leads to the sign-in', async ({ page, asPersona }) => {
  await asPersona('analyst', '/apps/dashboard', 'no.token.atall');
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('status').filter({ hasText: 'Failed to login with token.' })).toBeVisible();
  expect(await storedToken(page)).toBeNull();
});

test('a failing server at start-up shows an error with a retry', async ({ page, asPersona }) => {
  const failing = '**/api/v1/auth/access-token';
  await page.route(failing, (route) => route.fulfill({ status: 503, json: { error: 'The portal is being restarted.' } }));
  await asPersona('manager', '/apps/alerts?timeframe=lastMonth');
  const error = page.getByRole('alert');
  await expect(error.getByRole('heading', { name: 'Couldn’t start the portal' })).toBeVisible();
  await expect(error.getByText('The portal is being restarted.')).toBeVisible();
  await page.unroute(failing);
  await error.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/timeframe=lastMonth/);
});

test('addresses redirect by role and sign-in state', async ({ page, asPersona }) => {
  await page.goto('/there/is/no/such/page');
  await expect(page).toHaveURL('/pages/errors/error-404');
  await expect(page.getByRole('heading', { name: 'Page not found', level: 1 })).toBeAttached();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Login' })).toBeVisible();
  await page.goto('/pages/faq');
  await expect(page.getByRole('heading', { name: 'FAQ', level: 1 })).toBeVisible();

  await asPersona('manager', '/');
  await expect(page).toHaveURL(/\/apps\/dashboard/);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await page.goto('/apps/no-such-app');
  await expect(page).toHaveURL('/pages/errors/error-404');
  // The sign-in page redirects signed-in users.
  await page.goto('/login');
  await expect(page).toHaveURL(/\/apps\/dashboard/);
  await page.goto('/apps/alert');
  await expect(page).toHaveURL('/apps/alerts?timeframe=thisMonth');
});

test('the sign-in page opens the remembered path after a sign-in in another tab', async ({ page, context }) => {
  await page.goto('/apps/devices');
  await expect(page).toHaveURL('/login');
  const other = await context.newPage();
  await keepToken(other, await ownTokenOf('manager'));
  await other.goto('/apps/dashboard');
  await expect(page).toHaveURL(/\/apps\/devices/);
});

test('a logout ends the session, its cookie and every tab', async ({ page, context, asPersona }) => {
  const token = await ownTokenOf('host');
  await asPersona('host', '/apps/dashboard/10', token);
  await expect(page.getByRole('combobox', { name: 'Client' })).toHaveValue('Alder Manufacturing');
  const cookieNames = async () => (await context.cookies()).map((cookie) => cookie.name);
  await expect.poll(cookieNames).toContain('selectedClient');
  const other = await context.newPage();
  await other.goto('/apps/alerts/10');
  await expect(other.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();

  await page.getByRole('button', { name: 'User menu of Harriet Okafor' }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/login');
  await expect(other).toHaveURL('/login');
  // A regular sign-out shows no error.
  await expect(page.getByText('You have been signed out')).toHaveCount(0);
  expect(await storedToken(page)).toBeNull();
  expect(await cookieNames()).not.toContain('selectedClient');
  await expect.poll(async () => (await send(portal.url, token, '/tags?selectedClientOrgID=0')).status).toBe(401);
  await page.goBack();
  await expect(page).toHaveURL('/login');
});

test('a session ended elsewhere is retried once, then leads to the sign-in', async ({ page, asPersona }) => {
  const token = await ownTokenOf('analyst');
  await asPersona('analyst', '/apps/devices', token);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 401) refused.push(`${response.url()} ${response.request().postData() ?? ''}`);
  });
  expect((await send(portal.url, token, '/auth/logout', {})).status).toBe(200);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('status').filter({ hasText: 'Invalid access_token' })).toBeVisible();
  expect(await storedToken(page)).toBeNull();
  // The first request rejected twice ends the session; other requests may not reach their retry.
  const tries = [...Map.groupBy(refused, (path) => path).values()].map((same) => same.length);
  expect(Math.max(...tries)).toBe(2);
});
