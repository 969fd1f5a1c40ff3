/** Tags of data sources: created, assigned, used as a filter, removed and deleted, with the texts of spec §8. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const rowsOf = (page: Page) =>
  page
    .getByRole('grid', { name: 'Data sources' })
    .getByRole('row')
    .filter({ has: page.getByRole('checkbox', { name: 'Select row' }) });
const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
const nameOf = (page: Page, row: number) => rowsOf(page).nth(row).getByRole('gridcell').nth(1).innerText();
const newName = () => `Branch ${Date.now().toString(36)}`;

async function openTagging(page: Page, rows: number[]) {
  for (const row of rows) await rowsOf(page).nth(row).getByRole('checkbox').check();
  await page.getByRole('button', { name: rows.length === 1 ? 'Tag 1 data source' : `Tag ${rows.length} data sources` }).click();
}

test('an administrator creates, assigns, filters by, removes and deletes a tag', async ({ page, asPersona }) => {
  const tag = newName();
  await asPersona('clientAdmin', '/apps/devices');
  await expect(rowsOf(page).first()).toBeVisible();
  const [one, two] = [await nameOf(page, 0), await nameOf(page, 1)];

  await openTagging(page, [0, 1]);
  const dialog = page.getByRole('dialog', { name: 'Tag 2 data sources' });
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'New tag' }).fill(tag);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expectToast(page, 'Successfully saved tag!');
  // A new tag is assigned to the selection.
  await expect(dialog.getByRole('checkbox', { name: tag })).toBeChecked();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Successfully tagged device(s)!');
  await expect(dialog).toHaveCount(0);
  await expect(rowsOf(page).nth(0)).toContainText(tag);
  await expect(rowsOf(page).nth(1)).toContainText(tag);

  await page.getByRole('button', { name: 'Tag', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: tag }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/tag=\d+/);
  await expect(rowsOf(page)).toHaveCount(2);
  expect([await nameOf(page, 0), await nameOf(page, 1)]).toEqual([one, two]);
  await page.reload();
  await expect(rowsOf(page)).toHaveCount(2);

  await openTagging(page, [0]);
  const single = page.getByRole('dialog', { name: `Tag ${one}` });
  await single.getByRole('checkbox', { name: tag }).uncheck();
  await single.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Successfully tagged device(s)!');
  await expect(rowsOf(page)).toHaveCount(1);
  expect(await nameOf(page, 0)).toBe(two);

  await openTagging(page, [0]);
  const last = page.getByRole('dialog', { name: `Tag ${two}` });
  await last.getByRole('button', { name: `Delete tag ${tag}` }).click();
  const sure = page.getByRole('dialog', { name: 'Delete the tag?' });
  await expect(sure).toContainText(tag);
  await sure.getByRole('button', { name: 'No' }).click();
  await expect(sure).toHaveCount(0);
  await expect(last.getByRole('checkbox', { name: tag })).toBeVisible();
  await last.getByRole('button', { name: `Delete tag ${tag}` }).click();
  await sure.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Successfully deleted tag!');
  await expect(last.getByRole('checkbox', { name: tag })).toHaveCount(0);
  await last.getByRole('button', { name: 'Cancel' }).click();
  await page.goto('/apps/devices');
  await expect(rowsOf(page).first()).toBeVisible();
  await expect(page.getByRole('grid')).not.toContainText(tag);
});

test('a duplicate tag name is rejected, and save errors use the specification’s texts', async ({ page, asPersona }) => {
  const tag = newName();
  await asPersona('manager', '/apps/devices');
  await openTagging(page, [2]);
  const dialog = page.getByRole('dialog', { name: /^Tag / });
  const name = dialog.getByRole('textbox', { name: 'New tag' });
  const add = dialog.getByRole('button', { name: 'Add' });
  await expect(add).toBeDisabled();

  const failing = '**/api/v1/tags/*';
  const broken = (route: import('@playwright/test').Route) => route.fulfill({ status: 500, json: { error: 'It broke.' } });
  await page.route(failing, broken);
  await name.fill(tag);
  await add.click();
  await expectToast(page, 'Failed to save tag!');
  // The input is kept.
  await expect(name).toHaveValue(tag);
  await page.unroute(failing);
  await add.click();
  await expectToast(page, 'Successfully saved tag!');
  await expect(name).toHaveValue('');

  await name.fill(` ${tag.toUpperCase()} `);
  await add.click();
  await expect(name).toHaveAccessibleDescription('A tag with this name already exists.');
  await name.fill('x'.repeat(61));
  await add.click();
  await expect(name).toHaveAccessibleDescription('A tag has at most 60 characters.');

  await page.route(failing, broken);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Failed to tag device(s)!');
  await dialog.getByRole('button', { name: `Delete tag ${tag}` }).click();
  await page.getByRole('dialog', { name: 'Delete the tag?' }).getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Failed to delete tag!');
  await page.unroute(failing);
  await dialog.getByRole('button', { name: `Delete tag ${tag}` }).click();
  await page.getByRole('dialog', { name: 'Delete the tag?' }).getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Successfully deleted tag!');
});

test('an analyst without permission sees why tags cannot be changed', async ({ page, asPersona }) => {
  await asPersona('analyst', '/apps/devices');
  await rowsOf(page).first().getByRole('checkbox').check();
  await expect(page.getByRole('button', { name: 'Tag 1 data source' })).toBeDisabled();
  await expect(page.getByRole('note')).toHaveText('Your role can see tags, not change them.');
});

test('data sources of several clients cannot be tagged together', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/devices/0?text=-DC-01');
  await rowsOf(page).nth(0).getByRole('checkbox').check();
  await rowsOf(page).nth(1).getByRole('checkbox').check();
  await expect(page.getByRole('button', { name: 'Tag 2 data sources' })).toBeDisabled();
  await expect(page.getByRole('note')).toHaveText('Tags belong to one client; these data sources belong to several.');
});

test('a manager searches data sources, filters them by type and opens their alerts', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/devices');
  await expect(rowsOf(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Type', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Server' }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/type=server/);
  await page.getByRole('searchbox', { name: 'Search data sources' }).fill('DC-01');
  await expect(page).toHaveURL(/text=DC-01/);
  await expect(rowsOf(page)).toHaveCount(1);
  await expect(rowsOf(page).first()).toContainText('Server');
  const link = rowsOf(page)
    .first()
    .getByRole('link', { name: /alerts of/ });
  const count = (await link.innerText()).trim();
  await link.click();
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByText(`of ${count}`)).toBeVisible();
  await page.goBack();
  await expect(rowsOf(page)).toHaveCount(1);
  await page.getByRole('searchbox', { name: 'Search data sources' }).fill('no such device');
  await expect(page.getByText('No matching data sources')).toBeVisible();
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await expect(rowsOf(page).nth(3)).toBeVisible();
});
