/** Access log: reasons of staff, and what the client sees of them. */
import type { Browser } from '@playwright/test';
import { expect, keepToken, portal, test, tokenOf } from './fixtures.ts';

/** The access log as the client’s administrator sees it, beside the page of the analyst. */
async function accessLog(browser: Browser, query: string) {
  const page = await (await browser.newContext()).newPage();
  await keepToken(page, tokenOf('clientAdmin'));
  await page.goto(`${portal.url}/apps/accesslog?timeframe=thisWeek&${query}`);
  return page;
}

test('an analyst gives a reason for raw events, and the client’s administrator finds both', async ({ asPersona, browser }) => {
  const details = `Ticket ${Date.now()} <b>urgent</b>`;
  const page = await asPersona('partnerAnalyst', '/apps/events?client=10');
  const strip = page.getByRole('region', { name: 'Reason for a sensitive view' });
  await strip.getByRole('combobox', { name: 'Reason for access' }).click();
  await page.getByRole('option', { name: 'Other' }).click();
  await strip.getByRole('button', { name: 'Give reason' }).click();
  await expect(strip.getByRole('textbox', { name: 'Details' })).toHaveAccessibleDescription('Enter the reason.');
  await strip.getByRole('textbox', { name: 'Details' }).fill(details);
  await strip.getByRole('button', { name: 'Give reason' }).click();
  await expect(strip).toHaveCount(0);

  const log = await accessLog(browser, 'view=events');
  const row = log.getByRole('row').filter({ hasText: details });
  await expect(row).toContainText('Tomas Lindqvist, Harbor Managed IT');
  await expect(row).toContainText('Raw events');
  await row.click();
  await expect(log.getByRole('complementary', { name: 'Tomas Lindqvist' })).toContainText(details);
});

test('a reason is given once a shift from the toolbar', async ({ asPersona, browser }) => {
  const page = await asPersona('partnerAnalyst', '/apps/alerts?client=10&timeframe=thisWeek');
  await page.getByRole('button', { name: /access reason/i }).click();
  const dialog = page.getByRole('dialog', { name: 'Access reason' });
  await dialog.getByRole('combobox', { name: 'Reason for access' }).click();
  await page.getByRole('option', { name: 'Investigation' }).click();
  await dialog.getByRole('button', { name: 'Give reason' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Access reason: Investigation' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Access reason: Investigation' })).toBeVisible();

  const log = await accessLog(browser, 'reason=investigation');
  await expect(log.getByRole('row').filter({ hasText: 'Tomas Lindqvist' }).first()).toContainText('Alerts');
});
