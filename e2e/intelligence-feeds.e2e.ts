/** A Host reads indicators of a TAXII server and of a MISP instance, sees refusals in words, and removes the feeds with their lists. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const mark = Date.now().toString(36);

async function fillIn(page: Page, kind: string, name: string) {
  await page.getByRole('button', { name: 'Add feed' }).click();
  const form = page.getByRole('dialog', { name: 'Add feed' });
  await form.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: kind, exact: true }).click();
  await form.getByRole('button', { name: 'Fill in' }).click();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  return form;
}

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this feed?' });
  await dialog.getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('listitem', { name })).toHaveCount(0);
}

test('a Host adds a TAXII feed, tests it and sees when its indicators were read', async ({ asPersona }) => {
  test.slow();
  const name = `TAXII ${mark}`;
  const page = await asPersona('host', '/apps/intelligence');
  const form = await fillIn(page, 'TAXII 2.1', name);
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect(form.getByText('3 indicators on the first page, more follow.')).toBeVisible();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();

  const feed = page.getByRole('list', { name: 'Feeds' }).getByRole('listitem', { name });
  await expect(feed.getByText('Reading')).toBeVisible();
  await expect(feed.getByRole('definition').first()).toHaveText('7');
  await expect(feed.locator('time').first()).toBeVisible();
  await expect(feed).toContainText('1 entry left out. The newest: "Courier notice 8"');
  await expect(page.getByRole('list', { name: 'Lists' }).getByRole('listitem', { name })).toContainText('7');

  await feed.getByRole('button', { name: `Change ${name}` }).click();
  const change = page.getByRole('dialog', { name: 'Change feed' });
  await change.getByRole('textbox', { name: 'Collection ID' }).fill('another');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(feed.getByText('Retrying')).toBeVisible();
  await expect(feed.getByText(/The TAXII server returned 404: No collection/)).toBeVisible();
  await feed.getByRole('button', { name: `Pause ${name}` }).click();
  await expect(feed.getByText('Paused')).toBeVisible();
  await remove(page, name);
});

test('a Host sees a refused key of MISP in words, and corrects it', async ({ asPersona }) => {
  const name = `MISP ${mark}`;
  const page = await asPersona('host', '/apps/intelligence');
  const form = await fillIn(page, 'MISP', name);
  await form.getByRole('textbox', { name: 'Key' }).fill('wrong');
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect(form.getByText(/MISP returned 403: Authentication failed/).first()).toBeVisible();
  await form.getByRole('button', { name: 'Save' }).click();
  const feed = page.getByRole('list', { name: 'Feeds' }).getByRole('listitem', { name });
  await expect(feed.getByText('Access refused')).toBeVisible();
  await expect(feed.getByText(/MISP returned 403: Authentication failed/)).toBeVisible();
  await feed.getByRole('button', { name: `Change ${name}` }).click();
  const change = page.getByRole('dialog', { name: 'Change feed' });
  await change.getByRole('textbox', { name: 'Key' }).fill('misp-key');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(feed.getByText('Reading')).toBeVisible();
  await expect(feed.getByRole('definition').first()).toHaveText('3');
  await remove(page, name);
});
