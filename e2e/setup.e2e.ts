/** The setup checklist: on the dashboard of a Host, and of a new client with a test attack through its own intake. */
import { expect, ownTokenOf, portal, test } from './fixtures.ts';

const unique = () => Date.now().toString(36);

test('a host shows the checklist, tries a test email, and hides it', async ({ page, asPersona }) => {
  const token = await ownTokenOf('host');
  const answer = await fetch(`${portal.url}/api/v1/setup/0/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ step: 'hidden', isConfirmed: false }),
  });
  expect(answer.ok).toBe(true);
  await asPersona('host', '/apps/dashboard/0', token);
  const panel = page.getByRole('region', { name: 'Get started' });
  await expect(panel.getByRole('listitem').filter({ hasText: 'Create the first client' })).toContainText(/\d+ clients/);
  await panel.getByRole('button', { name: 'Send test email' }).click();
  await expect(page.getByRole('alert').filter({ hasText: /test email/i })).toBeVisible();
  await panel.getByRole('button', { name: 'Hide' }).click();
  await expect(panel).toBeHidden();
});

test('a host creates a client, and a test attack through its intake becomes a case', async ({ page, asPersona }) => {
  const name = `Reef coral ${unique()}`;
  await asPersona('host', '/apps/clientdetails/create/general?client=1', await ownTokenOf('host'));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Create client' }).click();
  await expect(page).toHaveURL(/\/apps\/clientdetails\/setup\?client=\d+$/);
  const steps = page.getByRole('list', { name: 'Setup steps' });
  const attack = steps.getByRole('listitem').filter({ hasText: 'Send a test attack' });
  await expect(attack.getByRole('img', { name: 'Open' })).toBeVisible();
  await attack.getByRole('button', { name: 'Send test attack' }).click();
  await expect(attack.getByRole('status')).toContainText(/Alert after \d/, { timeout: 30_000 });
  await expect(attack.getByRole('status')).toContainText(/Case after \d/, { timeout: 30_000 });
  await expect(attack.getByRole('img', { name: 'Done' })).toBeVisible();
  await attack.getByRole('link', { name: 'Case' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Decoded Text Piped into a Shell');
});
