/** A client's administrator connects a cloud service, and its events become an alert. */
import { expect, test } from './fixtures.ts';

test('an administrator connects Okta and sees an alert from its events', async ({ asPersona }) => {
  const name = `Okta ${Date.now().toString(36)}`;
  const page = await asPersona('clientAdmin', '/apps/devices?tab=connections');
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Okta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Okta' });
  await expect(dialog.getByRole('region', { name: 'Instructions' }).getByRole('listitem').first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByText('System Log: can be read.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add connection' }).click();
  await expect(dialog).toBeHidden();

  const connection = page.getByRole('listitem', { name });
  await expect(connection.getByText('Receiving')).toBeVisible();
  await connection.getByRole('link').click();
  await page.goto('/apps/alerts?timeframe=last24Hours&text=identity+provider');
  await expect(page.getByText('Identity Provider Added to Okta').first()).toBeVisible();

  await page.goto('/apps/devices?tab=connections');
  await connection.getByRole('button', { name: `Pause ${name}` }).click();
  await expect(connection.getByText('Paused')).toBeVisible();
  await connection.getByRole('button', { name: `Resume ${name}` }).click();
  await expect(connection.getByText('Receiving')).toBeVisible();
  await connection.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this connection?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(connection).toBeHidden();
});

test('a vendor’s refusal is shown in the form', async ({ asPersona }) => {
  const page = await asPersona('clientAdmin', '/apps/devices?tab=connections');
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Okta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Okta' });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'API token' }).fill('0'.repeat(40));
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Okta returned 401: Invalid token provided');
});
