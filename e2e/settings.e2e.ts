/** The user’s appearance settings and account (spec §2.2, §3). */

import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';
import { send, signInAs } from './api.ts';
import { expect, keepToken, newUser, newUserPassword, newUserToken, portal, storedToken, test } from './fixtures.ts';
import { isPageIdle } from './idle.ts';

const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const isReady = (page: Page, title = 'Settings') => expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
const groundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

let token: string | undefined;
/** A session of this worker’s user, reset to the defaults. The user is shared because sign-ins per address are rate-limited. */
async function ownToken(data: object = { settings: {}, shortcuts: [] }): Promise<string> {
  token ??= await newUserToken('likes');
  const saved = await fetch(`${portal.url}/api/auth/user/update`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user: { data } }),
  });
  expect(saved.ok).toBe(true);
  return token;
}

async function open(page: Page, token: string, path: string) {
  await keepToken(page, token);
  await page.goto(path);
}

/** Another machine: a browser context with empty storage. */
async function elsewhere(browser: Browser, token: string, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: portal.url, viewport: { width: 1440, height: 900 }, timezoneId: 'UTC' });
  const page = await context.newPage();
  await open(page, token, path);
  return page;
}

test('a theme applies immediately, is saved and applies on another machine', async ({ page, browser }) => {
  const token = await ownToken();
  await open(page, token, '/apps/settings');
  await isReady(page);
  const before = await groundOf(page);
  await expect(page.getByRole('radio', { name: /\((default|legacy|light\d+|dark\d+)\)$/ })).toHaveCount(26);

  await page.getByRole('radio', { name: 'Always dark' }).check();
  await page.getByRole('radio', { name: 'Deep sea (dark12)' }).check();
  await expect.poll(() => groundOf(page)).not.toBe(before);
  const chosen = await groundOf(page);
  await expectToast(page, 'User data saved with api');

  await page.getByRole('radio', { name: /\(dark3\)$/ }).check();
  await expect.poll(() => groundOf(page)).not.toBe(chosen);
  await page.getByRole('radio', { name: 'Deep sea (dark12)' }).check();
  await page.reload();
  await isReady(page);
  expect(await groundOf(page)).toBe(chosen);

  const other = await elsewhere(browser, token, '/apps/dashboard');
  await isReady(other, 'Dashboard');
  expect(await groundOf(other)).toBe(chosen);
  await other.context().close();
});

test('invalid stored settings fall back to the defaults', async ({ page }) => {
  const token = await ownToken({
    settings: { lightTheme: 'light99', mode: 7, timeZone: 'Mars/Olympus', footer: null },
    shortcuts: ['gone', 'alerts', ''],
  });
  await page.addInitScript(() => {
    localStorage.setItem('portal-settings', '{"data":{"settings":[]');
    localStorage.setItem('portal-paint', '{"mode":"dark","dark":["url(x)",1]}');
  });
  await open(page, token, '/apps/dashboard?timeframe=nonsense');
  await isReady(page, 'Dashboard');
  await expect(page.getByRole('group', { name: 'Shortcuts' }).getByRole('link')).toHaveCount(1);
});

test('a user changes width, navigation, toolbar, footer and navbar of the layout', async ({ page }) => {
  await page.setViewportSize({ width: 1900, height: 900 });
  await open(page, await ownToken(), '/apps/settings');
  await isReady(page);
  const main = page.getByRole('main');
  const widthOf = async () => Math.round((await main.boundingBox())?.width ?? 0);
  expect(await widthOf()).toBe(1400);
  await page.getByRole('radio', { name: 'Full width' }).check();
  await expect.poll(widthOf).toBe(1900 - 279);
  await page.getByRole('radio', { name: 'Boxed' }).check();
  await expect
    .poll(async () => Math.round((await page.getByRole('navigation', { name: 'Main' }).boundingBox())?.x ?? 0))
    .toBeGreaterThan(240);

  await page.getByRole('radio', { name: 'Above the content' }).check();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await expect.poll(async () => (await navigation.boundingBox())?.height ?? 999).toBeLessThan(60);
  await expect(page.getByText('Noor Ahlers').first()).toBeVisible();

  const toolbar = page.getByRole('banner');
  await page.getByRole('radio', { name: 'Below', exact: true }).check();
  await expect.poll(async () => (await toolbar.boundingBox())?.y ?? 0).toBeGreaterThan(800);
  await page.getByRole('radio', { name: 'Always visible' }).check();
  await expect(page.getByRole('contentinfo')).toBeInViewport();

  await page.getByRole('checkbox', { name: 'Show the navigation' }).uncheck();
  await expect(navigation).toHaveCount(0);
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await page.getByRole('button', { name: 'Always show the navigation' }).click();
  await expect(navigation).toBeVisible();
  await expectToast(page, 'User data saved with api');
  await page.getByRole('button', { name: 'Restore defaults' }).click();
  await expect.poll(async () => (await toolbar.boundingBox())?.y).toBe(0);
});

test('a user finds and stars pages, and finds records by name and number', async ({ page, browser }) => {
  const token = await ownToken();
  await open(page, token, '/apps/dashboard');
  await isReady(page, 'Dashboard');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search for an app or page' });
  await expect(field).toBeFocused();
  await field.fill('audit');
  await expect(page.getByRole('option', { name: /^Audit log/ })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByRole('option', { name: /^Audit log.*starred/ })).toBeVisible();
  await field.fill('nothing is called this');
  await expect(page.getByText('No results..')).toBeVisible();
  await field.fill('ald-dc');
  await page
    .getByRole('option', { name: /^ALD-DC/i })
    .first()
    .click();
  await expect(page).toHaveURL(/\/apps\/device\/10\/ALD-DC/i);
  await expect(page.getByRole('heading', { name: /^ALD-DC/i, level: 1 })).toBeVisible();
  await expectToast(page, 'User data saved with api');

  const other = await elsewhere(browser, token, '/apps/dashboard');
  await other.getByRole('group', { name: 'Shortcuts' }).getByRole('link', { name: 'Audit log' }).click();
  await isReady(other, 'Audit log');
  await other.context().close();
});

test('time zone and clock format apply to every page', async ({ page }) => {
  await open(page, await ownToken(), '/apps/settings?tab=time');
  await isReady(page);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('kathmandu');
  await page.getByRole('option', { name: 'Asia/Kathmandu' }).click();
  await page.getByRole('radio', { name: '12 hours' }).check();
  await expect(page.getByText(/Current time:/)).toContainText(/[ap]m GMT\+5:45/i);
  await expectToast(page, 'User data saved with api');
  await page.goto('/apps/settings?tab=sign-ins');
  await expect(page.getByRole('table', { name: 'Sessions' })).toContainText('GMT+5:45');
});

test('a user lists sessions and ends one, then all others', async ({ page, browser }) => {
  const { email } = await newUser('sessions');
  const signIn = () => signInAs(portal.url, email, newUserPassword);
  await open(page, await signIn(), '/apps/settings?tab=sign-ins');
  const other = await elsewhere(browser, await signIn(), '/apps/settings');
  await isReady(other);
  await signIn();
  await page.reload();
  const rows = page
    .getByRole('table', { name: 'Sessions' })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') });
  await expect(rows).toHaveCount(3);
  await expect(rows.filter({ hasText: 'current session' })).toHaveCount(1);
  await rows.filter({ hasNotText: 'current session' }).first().getByRole('button').click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, '1 other session ended');
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'End all others' })).toBeDisabled();
  await other.reload();
  await expect(other).toHaveURL(/\/login/);
  expect(await storedToken(other)).toBeNull();
  await other.context().close();
});

test('an API key is shown once, works and is revoked', async ({ page }) => {
  await open(page, await ownToken(), '/apps/settings?tab=api-keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('textbox', { name: 'Key name' })).toHaveAccessibleDescription('Please fill in this field.');
  await page.getByRole('textbox', { name: 'Key name' }).fill('Monthly report');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.getByTestId('api-key').textContent()) ?? '';
  expect(key.length).toBeGreaterThan(20);
  const request = () => send(portal.url, key, '/tags/?selectedClientOrgID=10').then(({ status }) => status);
  expect(await request()).not.toBe(401);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByText('Monthly report')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Monthly report')).toBeVisible();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke Monthly report' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Key Monthly report revoked');
  expect(await request()).toBe(401);
});

test('an offline notice appears, and changes made offline are saved after reconnecting', async ({ page, context }) => {
  await open(page, await ownToken(), '/apps/settings');
  await isReady(page);
  // A first message, so that the toast module is loaded before going offline.
  await page.getByRole('radio', { name: 'Full width' }).check();
  await expectToast(page, 'User data saved with api');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await context.setOffline(true);
  await expect(page.getByRole('status', { name: 'Notices' })).toContainText('You’re offline');
  await page.getByRole('radio', { name: 'Compact' }).check();
  await expectToast(page, 'Couldn’t reach the portal');
  await context.setOffline(false);
  await expectToast(page, 'User data saved with api');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Compact' })).toBeChecked();
});

test('a new version is announced, and maintenance closes the pages', async ({ page }) => {
  await open(page, await ownToken(), '/apps/settings');
  await isReady(page);
  await page.clock.install();
  let patch: object = { version: 'another' };
  await page.route('**/api/v1/brand', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...patch } });
  });
  await page.reload();
  await isReady(page);
  await expect(page.getByText('A new version is available')).toHaveCount(0);
  patch = { version: 'a newer one' };
  await page.clock.runFor(5 * 60_000 + 1000);
  await expect(page.getByText('A new version is available')).toBeVisible();
  patch = { maintenance: true };
  await page.reload();
  await expect(page.getByRole('heading', { name: /is under maintenance$/ })).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
});

test('axe finds nothing in any section or in the search, in every layout', { tag: '@survey' }, async ({ page }) => {
  const token = await ownToken();
  await open(page, token, '/apps/settings');
  await isReady(page);
  const isClean = async (what: string) => {
    await isPageIdle(page);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect
      .soft(
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 160)}`)),
        what,
      )
      .toEqual([]);
  };
  await page.getByRole('radio', { name: 'Always dark' }).check();
  await page.getByRole('radio', { name: 'Ember (dark6)' }).check();
  await isClean('look, dark');
  for (const tab of ['time', 'notifications', 'sign-ins', 'second-factor', 'api-keys', 'administration']) {
    await page.goto(`/apps/settings?tab=${tab}`);
    await isReady(page);
    await isClean(tab);
  }
  await page.goto('/apps/settings');
  await page.getByRole('radio', { name: 'Always light' }).check();
  await page.getByRole('radio', { name: 'Legacy (legacy)' }).check();
  await page.getByRole('radio', { name: 'Above the content' }).check();
  await page.getByRole('radio', { name: 'Below', exact: true }).check();
  await isClean('look, legacy, navigation above');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search for an app or page' }).fill('al');
  await expect(page.getByRole('option').nth(6)).toBeVisible();
  await isClean('search');
});

test('long and unusual names cause no horizontal scrolling, narrow or zoomed', async ({ page }) => {
  const name = `${'Ünïcødé'.repeat(20)} مرحبا بالعالم 👩‍💻 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘`.slice(0, 200);
  await page.route('**/api/v1/auth/access-token', async (route) => {
    const answer = await route.fetch();
    const { user } = (await answer.json()) as { user: object };
    await route.fulfill({ response: answer, json: { user: { ...user, displayName: name } } });
  });
  for (const [width, settings] of [
    [320, {}],
    [720, { layoutStyle: 'vertical', footer: 'fixed' }],
    [1000, { layoutStyle: 'vertical', toolbar: 'below' }],
    [1440, { layoutMode: 'boxed' }],
  ] as const) {
    const token = await ownToken({ settings, shortcuts: ['alerts', 'dashboard', 'devices'] });
    await keepToken(page, token);
    await page.setViewportSize({ width, height: 600 });
    await page.goto('/apps/settings');
    await isReady(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width);
    const menu = page.getByRole('button', { name: 'Open the navigation' });
    if (!(await menu.isVisible())) continue;
    await menu.click();
    const drawer = page.getByRole('dialog', { name: 'Navigation' });
    expect(await drawer.evaluate((each) => each.scrollWidth - each.clientWidth)).toBeLessThanOrEqual(0);
  }
});
