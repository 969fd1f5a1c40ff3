/** Rules: an analyst previews an exception for one client and adds it. */
import { expect, test } from './fixtures.ts';

test('an analyst adds an exception with the numbers of its preview', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/rules?client=10&sort=alerts&order=desc');
  await expect(page.getByRole('heading', { name: 'Rules', level: 1 })).toBeVisible();
  const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') });
  const title = await rows.first().getByRole('link').innerText();
  await rows.first().getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);

  await page.getByRole('link', { name: 'Clients and exceptions' }).click();
  await page.getByRole('button', { name: 'Add exception' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add exception' });
  await dialog.getByRole('textbox', { name: 'Field' }).fill('user.name');
  await dialog.getByRole('textbox', { name: 'Values' }).fill('nightly-inventory');
  await dialog.getByRole('button', { name: 'Preview, last 30 days' }).click();
  await expect(dialog.getByText(/^\d+ alerts? fewer, 0 more$/)).toBeVisible({ timeout: 60_000 });
  await expect(dialog.getByText(/alerts before, \d+ after\. .* events judged/)).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Inventory of the client, every night.');
  await dialog.getByRole('button', { name: 'Add exception' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Exceptions' }).getByText('nightly-inventory')).toBeVisible();
});

test('a host previews a rule switched off, and its address opens the same change', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/rules?client=10&sort=alerts&order=desc');
  const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await rows.nth(3).getByRole('link').click();
  await page.getByRole('link', { name: 'Clients and exceptions' }).click();
  await page.getByRole('button', { name: /^(Add|Change) override$/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Change override' });
  const state = dialog.getByRole('combobox', { name: 'State' });
  await state.click();
  await page.getByRole('option', { name: 'Off' }).click();
  await dialog.getByRole('button', { name: 'Preview, last 30 days' }).click();
  await expect(dialog.getByText(/^\d+ alerts? fewer, 0 more/)).toBeVisible({ timeout: 60_000 });
  await page.reload();
  await expect(state).toHaveText('Off');
  await expect(dialog.getByText(/^\d+ alerts? fewer, 0 more/)).toBeVisible();
});

test('a host makes a draft of a search, with its conditions and log source', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/events?client=10');
  const field = page.getByRole('combobox', { name: 'Search events, then Enter' });
  await field.fill('event.code: (4624 or 4625) and not user: absent');
  await field.press('Enter');
  await expect(page.getByRole('region', { name: /^Hits/ })).toContainText(/[\d,]+ events?/);
  await page.getByRole('link', { name: 'Make rule' }).click();
  await expect(page.getByRole('heading', { name: 'New rule', level: 1 })).toBeVisible();
  const editor = page.getByRole('textbox', { name: 'Rule' });
  await expect(editor).toContainText("- '4625'");
  await expect(editor).toContainText('product: windows');
  await expect(editor).toContainText('selection_2');
  await page.getByRole('button', { name: 'Save draft' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save draft' });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Logons of this client.');
  await dialog.getByRole('button', { name: 'Save draft' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'New rule', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/tab=versions/);
});
