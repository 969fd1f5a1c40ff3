/** The risk score: the preview of each edit before saving, rejected edits, saved edits, and the table of clients for staff. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
const total = (page: Page, kind: string) => page.getByRole('textbox', { name: `Total ${kind}` });
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('an administrator edits devices and practices, and the score follows while typing and persists after saving', async ({
  page,
  asPersona,
}) => {
  await asPersona('clientAdmin', '/apps/risk-score');
  const score = region(page, 'Risk score');
  const save = page.getByRole('button', { name: 'Save device counts' });
  await expect(score.getByRole('img', { name: /^Risk score \d+ of 1000/ })).toBeVisible();
  await expect(save).toBeDisabled();

  // Concurrent journeys add servers.
  await total(page, 'servers').fill('500');
  // Fewer than the devices that report: flagged, with nothing to save.
  await total(page, 'workstations').fill('0');
  await expect(region(page, 'Device coverage').getByRole('alert')).toContainText('the total cannot be lower');
  await expect(save).toBeDisabled();

  await total(page, 'workstations').fill('5,000');
  await expect(score).toContainText('With your changes');
  await save.click();
  await expectToast(page, 'Device counts saved');
  await expect(score).not.toContainText('With your changes');
  await page.reload();
  await expect(total(page, 'workstations')).toHaveValue('5,000');
  await total(page, 'workstations').fill('4,000');
  await save.click();
  await expectToast(page, 'Device counts saved');

  const practice = page.getByRole('checkbox', { name: 'Regular restore tests' });
  const wasDone = await practice.isChecked();
  await practice.setChecked(!wasDone);
  await expect(score).toContainText('With your changes');
  await page.getByRole('button', { name: 'Save best practices' }).click();
  await expectToast(page, 'Best practices saved');
  await practice.setChecked(wasDone);
  await page.getByRole('button', { name: 'Save best practices' }).click();
  await expect(page.getByRole('button', { name: 'Save best practices' })).toBeDisabled();
});

test('a manager sees the drill-down links and the history but no edit controls', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/risk-score');
  await expect(region(page, 'Best practices').getByText('Regular restore tests')).toBeVisible();
  await expect(region(page, 'Best practices').getByRole('checkbox')).toHaveCount(0);
  await expect(total(page, 'servers')).toHaveCount(0);
  await page.getByRole('button', { name: 'Risk score by day as a table' }).click();
  await expect(region(page, 'Risk score by day').getByRole('columnheader', { name: 'Best practices' })).toBeVisible();
  await region(page, 'Device coverage').getByRole('link').first().click();
  await expect(page).toHaveURL(/\/apps\/devices\?type=server&state=reporting/);
});

test('staff with All selected see the clients worst first and open one', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/risk-score?client=0');
  const grid = page.getByRole('grid', { name: 'Clients by risk score, worst first' });
  const rows = grid.getByRole('row').filter({ has: page.getByRole('link') });
  await expect(rows.first()).toBeVisible();
  const scores: number[] = [];
  for (const row of await rows.all()) scores.push(Number(await row.getByRole('gridcell').nth(1).innerText()));
  expect(scores.length).toBeGreaterThan(1);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  await expect(page.getByRole('button', { name: 'Save device counts' })).toHaveCount(0);
  await rows.first().getByRole('link').click();
  await expect(page).toHaveURL(/\/apps\/risk-score\?client=\d+/);
  await expect(page.getByRole('button', { name: 'Save device counts' })).toBeVisible();
});
