/** Identities: an analyst merges two user names of a client, and undoes it. */
import { expect, test } from './fixtures.ts';

test('an analyst merges two names of one person, which the list shows, and undoes it', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/identities?client=10');
  const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await expect(rows.first()).toBeVisible();
  const names = await rows.evaluateAll((all) => all.map((row) => row.querySelector('a')?.textContent ?? ''));
  const [name = '', sameAs = ''] = names.filter((each) => each.endsWith('@alder.example'));
  await page.getByRole('button', { name: 'Merge identities' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge identities' });
  await dialog.getByRole('textbox', { name: 'User name' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Same person as' }).fill(sameAs);
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Married; the old mailbox stays.');
  await dialog.getByRole('button', { name: /Save|Create|Merge/ }).click();
  await expect(dialog).toHaveCount(0);
  const joined = rows.filter({ hasText: name }).filter({ hasText: sameAs });
  await expect(joined).toHaveCount(1);

  const summary = page.getByText(/^Identity rules/);
  await expect(summary).toContainText('on');
  await summary.click();
  await page.getByRole('button', { name: 'Undo merge' }).click();
  await page.getByRole('dialog', { name: 'Undo this merge?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(joined).toHaveCount(0);
  await expect(rows.filter({ hasText: name }).first()).toBeVisible();
});
