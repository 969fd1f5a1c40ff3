/** The application shell: drawer, toolbar, client and timeframe, light and dark mode, keyboard shortcuts (spec §2.2, §4, §6, §9). */
import type { Page } from '@playwright/test';
import { expect, newUserToken, test } from './fixtures.ts';

const mainOf = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const clientOf = (page: Page) => page.getByRole('combobox', { name: 'Client' });
const timeframeOf = (page: Page) => page.getByRole('combobox', { name: 'Timeframe' });
const leftOfPage = async (page: Page) => (await page.getByRole('banner').boundingBox())?.x;
const isReady = (page: Page, title = 'Dashboard') => expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();

const thirtyDays = 30 * 86_400;
async function cookieOf(page: Page, name: string) {
  const cookie = (await page.context().cookies()).find((each) => each.name === name);
  return cookie && { value: cookie.value, days: Math.round((cookie.expires - Date.now() / 1000 - thirtyDays) / 60) / 1440 + 30 };
}

test('the drawer is 279 px wide, folds to 64 px of icons, opens on hover and keeps its state', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/dashboard', await newUserToken('fold'));
  await isReady(page);
  expect(await leftOfPage(page)).toBe(279);
  await expect(page.getByText('Noor Ahlers', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Fold the navigation' }).click();
  await page.mouse.move(900, 500);
  await expect.poll(() => leftOfPage(page)).toBe(64);
  await expect(page.getByText('Noor Ahlers', { exact: true })).toHaveCount(0);
  // Icons only, with accessible names.
  await expect(mainOf(page).getByRole('link', { name: 'Alerts' })).toBeVisible();

  await page.reload();
  await isReady(page);
  expect(await leftOfPage(page)).toBe(64);
  // Opens on hover over the page, which keeps its place.
  await mainOf(page).getByRole('link', { name: 'Alerts' }).hover();
  await expect(page.getByText('Noor Ahlers', { exact: true })).toBeVisible();
  expect(await leftOfPage(page)).toBe(64);
  await page.mouse.move(900, 500);
  await expect(page.getByText('Noor Ahlers', { exact: true })).toHaveCount(0);

  await mainOf(page).getByRole('link', { name: 'Alerts' }).hover();
  await page.getByRole('button', { name: 'Keep the navigation open' }).click();
  await expect.poll(() => leftOfPage(page)).toBe(279);
  await expect(page.getByRole('alert').filter({ hasText: 'User data saved with api' }).first()).toBeVisible();
});

test('below 960 px the drawer lies over the page', async ({ page, asPersona }) => {
  await page.setViewportSize({ width: 900, height: 800 });
  await asPersona('manager');
  await isReady(page);
  expect(await leftOfPage(page)).toBe(0);
  await expect(mainOf(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await mainOf(page).getByRole('link', { name: 'Data Sources' }).click();
  await isReady(page, 'Data Sources');
  await expect(mainOf(page)).toHaveCount(0);
});

test('the navigation lists the existing pages and marks the open one', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/alerts');
  await isReady(page, 'Alerts');
  await expect(mainOf(page)).toMatchAriaSnapshot(`
    - navigation "Main":
      - list:
        - listitem:
          - heading "Analytics" [level=2]
          - list "Analytics":
            - listitem:
              - link "Dashboard"
            - listitem:
              - link "Data Sources"
        - listitem:
          - heading "Security" [level=2]
          - list "Security":
            - listitem:
              - link "Alerts"
        - listitem:
          - heading "Management" [level=2]
          - list "Management":
            - listitem:
              - link "Settings"
            - listitem:
              - link "FAQ"
  `);
  const current = mainOf(page).getByRole('link', { name: 'Alerts' });
  await expect(current).toHaveAttribute('aria-current', 'page');
  await expect(mainOf(page).getByRole('link', { name: 'Dashboard' })).not.toHaveAttribute('aria-current');
});

test('the footer shows the brand, the product and the contact', async ({ page, asPersona }) => {
  await asPersona('manager');
  const footer = page.getByRole('contentinfo');
  await expect(footer.getByText('Parapet', { exact: true })).toBeVisible();
  await expect(footer.getByRole('link', { name: 'Contact' })).toHaveAttribute('href', /^mailto:/);
  await footer.getByRole('link', { name: 'FAQ' }).click();
  await isReady(page, 'FAQ');
});

test('the provider’s staff choose among all clients: All first, then each partner with its clients', async ({
  page,
  asPersona,
}) => {
  await asPersona('host');
  await expect(clientOf(page)).toHaveValue('All');
  await clientOf(page).click();
  // Another journey creates organisations with this name concurrently.
  await expect(page.getByRole('option').filter({ hasNotText: /reef/i })).toHaveText([
    'All',
    'Parapet Security',
    'Fir Biotech',
    'Harbor Managed IT',
    'Alder Manufacturing',
    'Birch Dental Group',
    'Cedar Credit Union',
    'Summit Cyber',
    'Dogwood Logistics',
    'Elm School District',
  ]);
  // spec §6: partners bold, their clients indented.
  await expect(page.getByRole('option', { name: 'Harbor Managed IT' })).toHaveCSS('font-weight', '700');
  await expect(page.getByRole('option', { name: 'Birch Dental Group' })).toHaveCSS('font-weight', '400');
  const indent = (name: string) =>
    page.getByRole('option', { name }).evaluate((option) => Number.parseFloat(getComputedStyle(option).paddingLeft));
  expect(await indent('Birch Dental Group')).toBeGreaterThan(await indent('Harbor Managed IT'));

  await page.getByRole('option', { name: 'Birch Dental Group' }).click();
  await expect(page).toHaveURL('/apps/dashboard/11?timeframe=thisMonth');
  await expect(page.getByText('Activity for Birch Dental Group')).toBeVisible();
  // Navigation keeps the client.
  await mainOf(page).getByRole('link', { name: 'Data Sources' }).click();
  await expect(page).toHaveURL('/apps/devices/11');
  await expect(page.getByText('Data sources for Birch Dental Group')).toBeVisible();
});

test('a partner’s staff choose among their own clients only', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst');
  await clientOf(page).click();
  await expect(page.getByRole('option')).toHaveText([
    'All',
    'Harbor Managed IT',
    'Alder Manufacturing',
    'Birch Dental Group',
    'Cedar Credit Union',
  ]);
  await page.goto('/apps/dashboard/20');
  await expect(page.getByText('Client not found, or you don’t have access to it.')).toBeVisible();
  await expect(clientOf(page)).toBeVisible();
});

for (const persona of ['partnerManager', 'clientAdmin', 'manager'] as const) {
  test(`${persona} is locked to their own organisation`, async ({ page, asPersona }) => {
    await asPersona(persona, '/apps/dashboard/11');
    await expect(page).toHaveURL('/apps/dashboard?timeframe=thisMonth');
    await isReady(page);
    await expect(timeframeOf(page)).toBeVisible();
    await expect(clientOf(page)).toHaveCount(0);
  });
}

test('the timeframe menu has the options of spec §2.2 in order, persists 30 days with the client and hides where unused', async ({
  page,
  asPersona,
}) => {
  await asPersona('host');
  await expect(timeframeOf(page)).toHaveText('This Month');
  expect(await cookieOf(page, 'selectedTimeframe')).toBeUndefined();
  await timeframeOf(page).click();
  await expect(page.getByRole('option')).toHaveText([
    'This Month',
    'Last Seven Days',
    'Last Month',
    'Last 6 Months',
    'Last 12 Months',
  ]);
  await page.getByRole('option', { name: 'Last 6 Months' }).click();
  await expect(page).toHaveURL(/timeframe=lastSixMonths/);
  expect(await cookieOf(page, 'selectedTimeframe')).toEqual({ value: 'lastSixMonths', days: 30 });
  await clientOf(page).click();
  await page.getByRole('option', { name: 'Cedar Credit Union' }).click();
  await expect(page).toHaveURL('/apps/dashboard/12?timeframe=lastSixMonths');
  expect(await cookieOf(page, 'selectedClient')).toEqual({ value: '12', days: 30 });

  await mainOf(page).getByRole('link', { name: 'Data Sources' }).click();
  await isReady(page, 'Data Sources');
  await expect(timeframeOf(page)).toHaveCount(0);
});

test('the address wins over the cookie, and the selection survives a reload, a restart and Back', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/alerts/12?timeframe=lastOneYear');
  await expect(clientOf(page)).toHaveValue('Cedar Credit Union');
  await expect(timeframeOf(page)).toHaveText('Last 12 Months');
  await expect.poll(() => cookieOf(page, 'selectedClient')).toEqual({ value: '12', days: 30 });

  // The cookies apply when the address names neither.
  await page.goto('/apps/dashboard');
  await expect(page).toHaveURL('/apps/dashboard/12?timeframe=lastOneYear');
  await expect(clientOf(page)).toHaveValue('Cedar Credit Union');
  // The address wins and updates the cookies.
  await page.goto('/apps/dashboard/20?timeframe=lastMonth');
  await expect(clientOf(page)).toHaveValue('Dogwood Logistics');
  await expect(timeframeOf(page)).toHaveText('Last Month');
  await expect.poll(() => cookieOf(page, 'selectedTimeframe')).toEqual({ value: 'lastMonth', days: 30 });
  await page.reload();
  await expect(clientOf(page)).toHaveValue('Dogwood Logistics');
  await expect(timeframeOf(page)).toHaveText('Last Month');

  await timeframeOf(page).click();
  await page.getByRole('option', { name: 'Last Seven Days' }).click();
  await expect(page).toHaveURL('/apps/dashboard/20?timeframe=thisWeek');
  await clientOf(page).click();
  await page.getByRole('option', { name: 'All', exact: true }).click();
  await expect(page).toHaveURL('/apps/dashboard/0?timeframe=thisWeek');
  await page.goBack();
  await expect(clientOf(page)).toHaveValue('Dogwood Logistics');
  await expect(timeframeOf(page)).toHaveText('Last Seven Days');
  await page.goBack();
  await expect(timeframeOf(page)).toHaveText('Last Month');
  await page.goForward();
  await expect(timeframeOf(page)).toHaveText('Last Seven Days');
});

test('light or dark mode follows the system until one is chosen', async ({ page, asPersona }) => {
  const lightness = () =>
    page.evaluate(() => {
      const [red = 0, green = 0, blue = 0] =
        getComputedStyle(document.body)
          .backgroundColor.match(/[\d.]+/g)
          ?.map(Number) ?? [];
      return Math.round((red + green + blue) / 3);
    });
  await page.emulateMedia({ colorScheme: 'dark' });
  await asPersona('clientAdmin', '/apps/dashboard', await newUserToken('mode'));
  await isReady(page);
  expect(await lightness()).toBeLessThan(60);
  await page.getByRole('button', { name: 'Light colours' }).click();
  await expect.poll(lightness).toBeGreaterThan(220);
  await page.reload();
  await isReady(page);
  expect(await lightness()).toBeGreaterThan(220);
  await page.getByRole('button', { name: 'Dark colours' }).click();
  await expect.poll(lightness).toBeLessThan(60);
});

test('fullscreen opens and closes', async ({ page, asPersona }) => {
  await asPersona('manager');
  await page.getByRole('button', { name: 'Fullscreen', exact: true }).click();
  const leave = page.getByRole('button', { name: 'Leave fullscreen' });
  await expect(leave).toBeVisible();
  await leave.click();
  await expect(page.getByRole('button', { name: 'Fullscreen', exact: true })).toBeVisible();
});

test('the keys g a, g d and g s navigate, ? lists them, and typing in a field triggers none', async ({ page, asPersona }) => {
  await asPersona('manager');
  await isReady(page);
  const goBy = async (key: string, title: string) => {
    // The second key must follow within a second, which a busy machine may miss.
    await expect(async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible({ timeout: 5000 });
    }).toPass();
  };
  await goBy('a', 'Alerts');
  await goBy('s', 'Data Sources');
  await goBy('d', 'Dashboard');

  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(list.getByText('This list')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);

  await page.goto('/apps/alerts');
  await isReady(page, 'Alerts');
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search alerts' });
  await expect(search).toBeFocused();
  await page.keyboard.type('gd?');
  await expect(search).toHaveValue('gd?');
  await expect(page).toHaveURL(/text=gd/);
  await isReady(page, 'Alerts');
  await expect(list).toHaveCount(0);
});

test('the first Tab offers to skip to the page', async ({ page, asPersona }) => {
  await asPersona('manager');
  await isReady(page);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  // The fragment does not change the page.
  await isReady(page);
});

test('another page starts at its top', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/dashboard/10?timeframe=lastSixMonths');
  await isReady(page);
  await expect(page.getByRole('region', { name: 'Latest alerts' }).getByRole('link').nth(2)).toBeVisible();
  await page.mouse.wheel(0, 2000);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  await mainOf(page).getByRole('link', { name: 'Alerts' }).click();
  await isReady(page, 'Alerts');
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test('the user menu names the person’s own organisation, whatever client is selected', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard/10');
  await page.getByRole('button', { name: /^User menu of/ }).click();
  const menu = page.getByRole('menu', { name: 'User menu' });
  await expect(menu).toContainText('Host · Parapet Security');
  await expect(menu).not.toContainText('Alder');
});

test.describe('a page that cannot be fetched', () => {
  test.use({ provoked: /Failed to fetch|Failed to load resource|dynamically imported|CodeNotFetched|load this page/ });
  test('offline it fails inside the shell, and Retry opens it once the portal responds', async ({ page, context, asPersona }) => {
    await asPersona('manager');
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Vulnerability' });
    await expect(link).toBeVisible();
    await context.setOffline(true);
    await link.click();
    const failed = page.getByRole('alert').filter({ hasText: 'Couldn’t load this page' });
    await expect(failed).toBeVisible();
    await failed.getByRole('button', { name: 'Retry' }).click();
    await expect(failed.getByRole('button', { name: 'Retry' })).toBeEnabled();
    await expect(link).toBeVisible();
    await context.setOffline(false);
    await failed.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { name: 'Vulnerability', level: 1 })).toBeVisible();
  });

  test('a chunk that an update removed reloads the page once, and then fails inside the shell', async ({ page, asPersona }) => {
    await asPersona('manager');
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Vulnerability' });
    await expect(link).toBeVisible();
    const known = new Set(
      await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)),
    );
    let areMissing = true;
    await page.route(/\.js$/, (route) =>
      areMissing && !known.has(new URL(route.request().url()).pathname)
        ? route.fulfill({ status: 404, body: '' })
        : route.continue(),
    );
    const reloaded = page.waitForEvent('load');
    await link.click();
    await reloaded;
    const failed = page.getByRole('alert').filter({ hasText: 'Couldn’t load this page' });
    await expect(failed).toBeVisible();
    await expect(link).toBeVisible();
    areMissing = false;
    await failed.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { name: 'Vulnerability', level: 1 })).toBeVisible();
  });
});
