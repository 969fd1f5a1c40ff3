/** Exceptions and suppressions as one list, and the preview of a suppression. */
import { alertsOf, casesOf } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

test('a suppression is previewed by day before it is saved, and stands in one list with exceptions', async ({
  page,
  asPersona,
}) => {
  const host = tokenOf('host');
  const cases = await casesOf(portal.url, host, 10);
  // Hiding alerts of malicious cases takes a second person.
  const malicious = new Set(
    cases
      .filter(({ verdict, status }) => verdict === 'Malicious' || status === 'malicious')
      .flatMap(({ deviceNames }) => deviceNames),
  );
  const alerts = await alertsOf(portal.url, host, 10, 'pageSize=200');
  const alert = alerts.find(({ deviceName }) => deviceName && !malicious.has(deviceName));
  if (!alert?.deviceName) throw new Error('The world has alerts of a device without a malicious case.');
  await asPersona('host', `/apps/suppressions?client=10&new=1&device=${encodeURIComponent(alert.deviceName)}`);
  const reason = `One list ${Date.now().toString(36)}`;
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Suppress' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Preview, last 90 days' }).click();
  await expect(dialog.getByText(/^\d+ alerts? fewer, 0 more$/)).toBeVisible({ timeout: 60_000 });
  await expect(dialog.getByRole('table', { name: 'Alerts by day' })).toBeVisible();
  await expect(dialog.getByRole('list', { name: 'Examples' })).toContainText('Lost:');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('combobox', { name: 'Duration' }).click();
  await page.getByRole('option', { name: '1 day' }).click();
  await dialog.getByRole('button', { name: 'Suppress' }).click();
  await expect(dialog).toHaveCount(0);

  await page.goto('/apps/rules?client=10');
  await page.getByRole('link', { name: 'Exceptions' }).click();
  await expect(page.getByRole('heading', { name: 'Exceptions and suppressions' })).toBeVisible();
  const row = page.getByRole('row').filter({ hasText: reason });
  await expect(row).toContainText('Suppression');
  await row.click();
  await page.getByRole('button', { name: 'End suppression' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await page.goto('/apps/exceptions?client=10&state=ended');
  await expect(page.getByRole('row').filter({ hasText: reason }).first()).toBeVisible();
});
