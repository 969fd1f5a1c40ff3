/** The dashboard and the attack indicators: every number links to a list with as many rows. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const whole = (text: string | null) => Number((text ?? '').replaceAll(',', ''));
/** The displayed number, or the exact one in its tooltip when it is abbreviated. */
const numberOf = async (link: Locator) => {
  const text = await link.innerText();
  return /[KMBT]/.test(text) ? whole(await link.locator('[title]').first().getAttribute('title')) : whole(text);
};
/** The total in the open list’s pager. */
const listed = async (page: Page) =>
  whole(
    (
      await page
        .getByText(/ of [\d,]+$/)
        .first()
        .innerText()
    ).split(' of ')[1] ?? null,
  );

test('a manager opens lists from the dashboard’s numbers, with as many rows', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/dashboard?timeframe=lastSixMonths');
  const rules = page.getByRole('region', { name: 'Alerts by rule' });
  await expect(rules.getByRole('row').nth(1)).toBeVisible();
  // The header and at most ten rules (spec §9); a silent source is no attack (spec §5).
  expect(await rules.getByRole('row').count()).toBeLessThanOrEqual(11);
  await expect(rules).not.toContainText('Service Interruption');
  const first = rules.getByRole('row').nth(1).getByRole('link');
  const count = await numberOf(first);
  await first.click();
  await expect(page).toHaveURL(/rule=/);
  await expect.poll(() => listed(page)).toBe(count);
  await page.goBack();

  await rules.getByRole('link', { name: 'NIST' }).click();
  await expect(page).toHaveURL(/view=nist/);
  await expect(rules.getByRole('row')).toHaveCount(6);
  await rules.getByRole('button', { name: 'Next' }).click();
  await expect(rules).toContainText('Page 2 of');
  await page.reload();
  await expect(rules).toContainText('Page 2 of');

  await expect(page.getByRole('region', { name: 'Clients, worst first' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Needs attention' })).toHaveCount(0);
});

test('a host finds the worst client and its open cases', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard/0?timeframe=lastSixMonths');
  const clients = page.getByRole('region', { name: 'Clients, worst first' });
  const worst = clients.getByRole('row').nth(1);
  await expect(worst).toBeVisible();
  const cases = worst.getByRole('cell').nth(1).getByRole('link');
  const count = await numberOf(cases);
  await cases.click();
  await expect(page).toHaveURL(/\/apps\/cases\/\d+\?/);
  await expect.poll(() => listed(page)).toBe(count);
});

test('a manager walks the matrix by keyboard and opens a technique’s alerts', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/attack-indicators?timeframe=lastOneYear&show=seen');
  const matrix = page.getByRole('group', { name: /^Techniques by tactic/ });
  const first = matrix.getByRole('link').first();
  await first.focus();
  await page.keyboard.press('ArrowRight');
  const cell = page.locator('[data-cell]:focus');
  const sentence = (await cell.getAttribute('aria-label')) ?? '';
  expect(sentence).not.toBe(await first.getAttribute('aria-label'));
  const count = whole(/: ([\d,]+) alerts?/.exec(sentence)?.[1] ?? null);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/technique=T\d{4}/);
  await expect.poll(() => listed(page)).toBe(count);
  await page.goBack();

  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('before');
  await expect(page).toHaveURL(/compare=before/);
  await page.getByRole('button', { name: 'Techniques by tactic as a table' }).click();
  await expect(page.getByRole('columnheader', { name: 'Before' })).toBeVisible();

  await page.getByRole('link', { name: 'Coverage', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Log source coverage' })).toContainText('Live');
  const techniques = page.getByRole('region', { name: 'Techniques' });
  await techniques.getByRole('searchbox', { name: 'Search techniques' }).fill('T1003.001');
  await expect(techniques.getByRole('row')).toHaveCount(2);
  await expect(techniques.getByRole('row', { name: /^T1003\.001 LSASS Memory/ })).toContainText('windows / security');
  const [proved] = await Promise.all([
    page.waitForEvent('download'),
    techniques.getByRole('button', { name: 'Navigator layer: proved' }).click(),
  ]);
  expect(proved.suggestedFilename()).toBe('attack-layer-proved.json');
  await page.getByRole('link', { name: 'Controls', exact: true }).click();
  await expect(page.getByRole('region', { name: 'NIST SP 800-53 controls' }).getByRole('row').nth(1)).toBeVisible();

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Navigator layer', exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('attack-layer.json');
});
