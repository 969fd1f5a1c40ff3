/** Dense lists for analysts, the split view with its keys, and the manager’s summary. */

import type { Locator, Page } from '@playwright/test';
import { casesOf, send } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

const lastMonth = 'timeframe=lastMonth';
const boxOf = async (locator: Locator) => (await locator.boundingBox())!;
const sapphire = (page: Page) => page.getByRole('button', { name: 'Ask Sapphire' });

test('an analyst sees 24 alerts with whole titles at 1440 × 900', async ({ page, asPersona }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await asPersona('partnerAnalyst', `/apps/alerts?${lastMonth}`);
  const grid = page.getByRole('grid', { name: 'Alerts' });
  const rows = grid.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await expect.poll(() => rows.count()).toBeGreaterThan(23);
  const frame = await boxOf(grid);
  const bottom = Math.min(900, frame.y + frame.height);
  const isWhole = async (row: Locator) => {
    const box = await boxOf(row);
    return box.y >= frame.y && box.y + box.height <= bottom + 0.5;
  };
  const seen = await Promise.all((await rows.all()).map(isWhole));
  expect(seen.filter(Boolean).length).toBeGreaterThanOrEqual(24);
  const cut = await grid
    .getByRole('gridcell')
    .getByRole('link')
    .evaluateAll((links) => links.filter((link) => link.scrollWidth > link.clientWidth + 1).map((link) => link.textContent));
  expect(cut).toEqual([]);
});

test('Sapphire’s button stands in the toolbar, wide and narrow', async ({ page, asPersona }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await asPersona('partnerAnalyst', `/apps/alerts?${lastMonth}`);
    await expect(page.getByRole('banner').first().getByRole('button', { name: 'Ask Sapphire' })).toBeVisible();
    const { x, width: size } = await boxOf(sapphire(page));
    expect(x + size).toBeLessThanOrEqual(width);
  }
});

test('an analyst splits the list, walks it by j and k, marks by one key and undoes', async ({ page, asPersona }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await asPersona('partnerAnalyst', `/apps/alerts?${lastMonth}&status=new`);
  await expect(page.getByRole('grid', { name: 'Alerts' })).toBeVisible();
  await page.getByRole('button', { name: 'Split view' }).click();
  const panel = page.getByRole('complementary', { name: /^Alert \d+$/ });
  await expect(panel).toBeVisible();
  const list = page.getByRole('list', { name: 'Alerts' });
  expect((await boxOf(panel)).width).toBeGreaterThan((await boxOf(list)).width);
  const idOf = () => new URL(page.url()).searchParams.get('peek');
  const first = idOf();
  await page.keyboard.press('j');
  await expect.poll(idOf).not.toBe(first);
  await page.keyboard.press('k');
  await expect.poll(idOf).toBe(first);

  const marked = page.waitForResponse(/\/updateAlerts$/i);
  await page.keyboard.press('e');
  expect((await marked).request().postDataJSON()).toEqual({ alertIDs: [Number(first)] });
  await expect.poll(idOf).not.toBe(first);
  const undone = page.waitForResponse(/\/reupdateAlerts$/i);
  await page.keyboard.press('z');
  expect((await undone).request().postDataJSON()).toEqual({ alertIDs: [Number(first)] });

  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid', { name: 'Alerts' })).toBeVisible();
});

test('an analyst takes a case of the split list by one key, and undoes', async ({ page, asPersona }) => {
  const token = tokenOf('partnerAnalyst');
  const found = (await casesOf(portal.url, token, 0, 0, { status: ['open', 'assigned', 'investigating', 'malicious'] })).at(-1)!;
  // A partner's analyst gives no case back to the provider's.
  await send(portal.url, token, '/caseDetails/analystChange', { caseID: found.id, analystUserAccountID: null });
  const analystOf = async () =>
    (await casesOf(portal.url, token, 0, 0, { text: `#${found.id}` })).find(({ id }) => id === found.id)?.analystUserAccountID;
  await page.setViewportSize({ width: 1440, height: 900 });
  await asPersona('partnerAnalyst', `/apps/cases?timeframe=allTime&text=%23${found.id}`);
  await expect(page.getByRole('grid', { name: 'Cases' })).toBeVisible();
  await page.getByRole('button', { name: 'Split view' }).click();
  await expect(page.getByRole('complementary', { name: new RegExp(`${found.incidentID}`) })).toBeVisible();
  const assigned = () =>
    page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/caseDetails/analystChange'));
  const taken = assigned();
  await page.keyboard.press('a');
  expect((await taken).ok()).toBe(true);
  await expect.poll(analystOf).toEqual(expect.any(Number));
  const undone = assigned();
  await page.keyboard.press('z');
  expect((await undone).request().postDataJSON()).toMatchObject({ analystUserAccountID: null });
  await expect.poll(analystOf).toBeNull();
});

test('a manager reads three answers whose numbers open lists with as many rows', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/dashboard?timeframe=lastSixMonths');
  for (const question of ['Are we safe?', 'What was done?', 'What must I do?']) {
    // Other journeys open and answer cases of the same client: compares again until figure and list are of one moment.
    await expect(async () => {
      await page.goto('/apps/dashboard?timeframe=lastSixMonths');
      const figure = page.getByRole('region', { name: question }).getByRole('link').last();
      await expect(figure).toHaveText(/^\d/);
      const [count = ''] = /^[\d,]+/.exec(await figure.innerText()) ?? [];
      await figure.click();
      await expect(page.getByRole('heading', { name: 'Cases', level: 1 })).toBeVisible();
      const total = count === '0' ? page.getByText('No matching cases') : page.getByText(new RegExp(` of ${count}$`)).first();
      await expect(total).toBeVisible({ timeout: 10_000 });
    }).toPass();
  }
  await page.goto('/apps/dashboard?timeframe=lastSixMonths');
  const main = page.getByRole('main');
  await expect(
    page
      .getByRole('region', { name: /^What happened/ })
      .getByRole('listitem')
      .first(),
  ).toBeVisible();
  await expect(page.getByRole('region', { name: 'Alerts by rule' }).getByRole('row').nth(1)).toBeVisible();
  await expect(main).not.toContainText(/\b(SLA|triage|unassigned|MTT[ACR])\b/i);
});
