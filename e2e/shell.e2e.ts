/** The frame around every page: drawer, toolbar, client and timeframe, light and dark, keys (spec §2.2, §4, §6, §9). */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const mainOf = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const clientOf = (page: Page) => page.getByRole('combobox', { name: 'Client' });
const timeframeOf = (page: Page) => page.getByRole('combobox', { name: 'Timeframe' });
const leftOfPage = async (page: Page) => (await page.getByRole('banner').boundingBox())?.x;
const isReady = (page: Page, title = 'Dashboard') =>
  expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();

const thirtyDays = 30 * 86_400;
async function cookieOf(page: Page, name: string) {
  const cookie = (await page.context().cookies()).find((each) => each.name === name);
  return cookie && { value: cookie.value, days: Math.round((cookie.expires - Date.now() / 1000 - thirtyDays) / 60) / 1440 + 30 };
}

test('the drawer is 279 px wide, folds to 64 px of icons, opens under the pointer, and stays as it was left', async ({
  page,
  asPersona,
}) => {
  await asPersona('host');
  await isReady(page);
  expect(await leftOfPage(page)).toBe(279);
  await expect(page.getByText('host@parapet.example')).toBeVisible();

  await page.getByRole('button', { name: 'Fold the navigation' }).click();
  await page.mouse.move(900, 500);
  await expect.poll(() => leftOfPage(page)).toBe(64);
  await expect(page.getByText('host@parapet.example')).toHaveCount(0);
  // Only icons, but still named.
  await expect(mainOf(page).getByRole('link', { name: 'Alerts' })).toBeVisible();

  await page.reload();
  await isReady(page);
  expect(await leftOfPage(page)).toBe(64);
  // Open under the pointer, over the page, which does not move.
  await mainOf(page).getByRole('link', { name: 'Alerts' }).hover();
  await expect(page.getByText('host@parapet.example')).toBeVisible();
  expect(await leftOfPage(page)).toBe(64);
  await page.mouse.move(900, 500);
  await expect(page.getByText('host@parapet.example')).toHaveCount(0);

  await mainOf(page).getByRole('link', { name: 'Alerts' }).hover();
  await page.getByRole('button', { name: 'Keep the navigation open' }).click();
  await expect.poll(() => leftOfPage(page)).toBe(279);
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

test('the navigation holds the pages that exist, and marks the open one', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/alerts');
  await isReady(page, 'Alerts');
  await expect(mainOf(page)).toMatchAriaSnapshot(`
    - navigation "Main":
      - heading "Analytics" [level=2]
      - list "Analytics":
        - listitem:
          - link "Dashboard"
        - listitem:
          - link "Data Sources"
      - heading "Security" [level=2]
      - list "Security":
        - listitem:
          - link "Alerts"
      - heading "Management" [level=2]
      - list "Management":
        - listitem:
          - link "FAQ"
  `);
  const current = mainOf(page).getByRole('link', { name: 'Alerts' });
  await expect(current).toHaveAttribute('aria-current', 'page');
  await expect(mainOf(page).getByRole('link', { name: 'Dashboard' })).not.toHaveAttribute('aria-current');
});

test('footer: the brand, what it is, and how to reach somebody', async ({ page, asPersona }) => {
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
  await expect(page.getByRole('option')).toHaveText([
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
  await expect(page).toHaveURL('/apps/dashboard/11');
  await expect(page.getByText('What happened at Birch Dental Group')).toBeVisible();
  // It goes along from page to page.
  await mainOf(page).getByRole('link', { name: 'Data Sources' }).click();
  await expect(page).toHaveURL('/apps/devices/11');
  await expect(page.getByText('What sends events for Birch Dental Group')).toBeVisible();
});

test('a partner’s staff choose among their own clients, everybody else is locked to their organisation', async ({
  page,
  context,
  asPersona,
}) => {
  await asPersona('partnerAnalyst');
  await clientOf(page).click();
  await expect(page.getByRole('option')).toHaveText([
    'All',
    'Harbor Managed IT',
    'Alder Manufacturing',
    'Birch Dental Group',
    'Cedar Credit Union',
  ]);
  // Another partner's client is none of theirs.
  await page.goto('/apps/dashboard/20');
  await expect(page.getByText('There is no such client, or you may not see it.')).toBeVisible();

  for (const [persona, own] of [
    ['partnerManager', 2],
    ['manager', 10],
  ] as const) {
    const tab = await context.newPage();
    await page.close();
    page = tab;
    await context.clearCookies();
    await page.goto('/login');
    await page.evaluate(() => localStorage.clear());
    await page.evaluate((token) => localStorage.setItem('jwt_access_token', token), tokenFor(persona));
    await page.goto('/apps/dashboard/11');
    await expect(page).toHaveURL(`/apps/dashboard/${own}`);
    await isReady(page);
    await expect(timeframeOf(page)).toBeVisible();
    await expect(clientOf(page)).toHaveCount(0);
  }
});
