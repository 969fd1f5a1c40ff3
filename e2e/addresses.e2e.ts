/** Client and timeframe in the address: completed, carried by links, restored by Back, the same for every reader (spec §2.1, §2.2). */
import type { Page } from '@playwright/test';
import { expect, portal, test } from './fixtures.ts';

const mainOf = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const clientOf = (page: Page) => page.getByRole('combobox', { name: 'Client' });
const timeframeOf = (page: Page) => page.getByRole('combobox', { name: 'Timeframe' });

async function chooseClient(page: Page, name: string) {
  await clientOf(page).click();
  await page.getByRole('option', { name, exact: true }).click();
}

async function chooseTimeframe(page: Page, name: string) {
  await timeframeOf(page).click();
  await page.getByRole('option', { name, exact: true }).click();
}

const hrefOf = (page: Page, name: string) => mainOf(page).getByRole('link', { name, exact: true }).getAttribute('href');

test('completes a bare address without a history entry', async ({ page, asPersona }) => {
  await asPersona('host', '/pages/faq');
  const entries = () => page.evaluate(() => history.length);
  const before = await entries();
  await page.goto('/apps/dashboard');
  await expect(page).toHaveURL('/apps/dashboard/0?timeframe=thisMonth');
  expect(await entries()).toBe(before + 1);
  await page.goBack();
  await expect(page).toHaveURL('/pages/faq');

  for (const [bare, complete] of [
    ['/', '/apps/dashboard/0?timeframe=thisMonth'],
    ['/apps/alerts?severity=high', '/apps/alerts/0?timeframe=thisMonth&severity=high'],
    ['/apps/alerts/ALD-DC-01', '/apps/alerts/ALD-DC-01?client=0&timeframe=thisMonth'],
    ['/apps/response', '/apps/response?client=0&timeframe=thisMonth'],
    ['/apps/risk-score?timeframe=lastMonth', '/apps/risk-score?client=0'],
    ['/apps/devices', '/apps/devices/0'],
    ['/apps/settings', '/apps/settings?client=0'],
  ] as const) {
    await page.goto(bare);
    await expect(page).toHaveURL(complete);
  }
});

test('walks back over five changes', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard');
  await chooseTimeframe(page, 'Last Seven Days');
  await chooseClient(page, 'Birch Dental Group');
  await chooseTimeframe(page, 'This Month');
  await mainOf(page).getByRole('link', { name: 'Alerts' }).click();
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await chooseClient(page, 'All');
  const addresses = [
    '/apps/dashboard/0?timeframe=thisMonth',
    '/apps/dashboard/0?timeframe=thisWeek',
    '/apps/dashboard/11?timeframe=thisWeek',
    '/apps/dashboard/11?timeframe=thisMonth',
    '/apps/alerts/11?timeframe=thisMonth',
    '/apps/alerts/0?timeframe=thisMonth',
  ];
  await expect(page).toHaveURL(addresses.at(-1)!);
  for (const address of addresses.slice(0, -1).toReversed()) {
    await page.goBack();
    await expect(page).toHaveURL(address);
  }
  await expect(clientOf(page)).toHaveValue('All');
  await expect(timeframeOf(page)).toHaveText('This Month');
  await page.goForward();
  await expect(timeframeOf(page)).toHaveText('Last Seven Days');
});

test('opens a copied link regardless of the cookies', async ({ page, context, asPersona }) => {
  const cookies = { selectedClient: '12', selectedTimeframe: 'lastOneYear' };
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: portal.url })));
  await asPersona('host', '/apps/dashboard');
  await expect(page).toHaveURL('/apps/dashboard/12?timeframe=lastOneYear');

  for (const link of [
    '/apps/alerts/0?timeframe=thisMonth',
    '/apps/alerts/ALD-DC-01?client=10&timeframe=thisWeek',
    '/apps/response?client=10&timeframe=thisMonth',
    '/apps/reporting?client=10&timeframe=May',
  ]) {
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: portal.url })));
    await page.goto(link);
    await expect(clientOf(page)).toHaveValue(link.includes('10') ? 'Alder Manufacturing' : 'All');
    await expect(page).toHaveURL(link);
  }
});

test('falls back to all clients when the remembered one is gone', async ({ page, context, asPersona }) => {
  await context.addCookies([{ name: 'selectedClient', value: '2147483', url: portal.url }]);
  await asPersona('partnerAnalyst', '/apps/dashboard');
  await expect(clientOf(page)).toHaveValue('All');
  await expect(page).toHaveURL('/apps/dashboard/0?timeframe=thisMonth');
});

test('carries client and timeframe in links', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard/11?timeframe=thisWeek');
  await expect(mainOf(page)).toBeVisible();
  for (const [name, href] of [
    ['Alerts', '/apps/alerts/11?timeframe=thisWeek'],
    ['Data Sources', '/apps/devices/11'],
    ['Risk Score', '/apps/risk-score?client=11'],
    ['Case Reviews', '/apps/casereviews?client=11&timeframe=thisWeek'],
    ['Settings', '/apps/settings?client=11'],
  ] as const) {
    expect(await hrefOf(page, name)).toBe(href);
  }
  // Even after a page without a timeframe.
  await mainOf(page).getByRole('link', { name: 'Risk Score' }).click();
  await expect(page).toHaveURL('/apps/risk-score?client=11');
  expect(await hrefOf(page, 'Alerts')).toBe('/apps/alerts/11?timeframe=thisWeek');
});

test('carries no client for people of one client', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/alerts/10?timeframe=thisWeek&severity=high');
  await expect(page).toHaveURL('/apps/alerts?timeframe=thisWeek&severity=high');
  expect(await hrefOf(page, 'Cases')).toBe('/apps/cases?timeframe=thisWeek');
  await page.goto('/apps/risk-score?client=10');
  await expect(page).toHaveURL('/apps/risk-score');
});

test('keeps the month of the reports apart from the timeframe', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/reporting');
  await expect(page).toHaveURL(/\/apps\/reporting\?timeframe=[A-Z][a-z]+$/);
  await timeframeOf(page).click();
  await page.getByRole('option').nth(3).click();
  const address = page.url();
  await mainOf(page).getByRole('link', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL('/apps/dashboard?timeframe=thisMonth');
  await expect(timeframeOf(page)).toHaveText('This Month');
  await mainOf(page).getByRole('link', { name: 'Reporting' }).click();
  await expect(page).toHaveURL(address);
});
