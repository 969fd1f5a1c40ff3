/** Response actions on devices and accounts without a case: requested, approved, executed manually, verified, undone. */
import type { Page } from '@playwright/test';
import { getJson, lastDays, signIn } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

/** Harbor’s Cedar Credit Union: none of its devices runs the agent. */
const client = 12;
const expectToast = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** Workstations without response requests. */
async function freeDevices(): Promise<string[]> {
  const token = tokenOf('host');
  const { results } = await getJson<{ results: { name: string; hasAgent: boolean }[] }>(
    portal.url,
    token,
    `/devices/${client}/${lastDays(7)}?type=workstation&pageSize=50`,
  );
  const requested = await getJson<{ results: { target: string }[] }>(
    portal.url,
    token,
    `/response/${client}/${lastDays(360)}?pageSize=200`,
  );
  const taken = new Set(requested.results.map(({ target }) => target.toLowerCase()));
  return results.filter(({ name, hasAgent }) => !hasAgent && !taken.has(name.toLowerCase())).map(({ name }) => name);
}

async function request(page: Page, device: string): Promise<void> {
  await page.goto(`/apps/response?client=${client}`);
  await page.getByRole('button', { name: 'Request response' }).click();
  const dialog = page.getByRole('dialog', { name: 'Request response' });
  await dialog.getByRole('combobox', { name: 'Device' }).fill(device);
  await expect(dialog.getByText('No agent on this device: manual task.')).toBeVisible();
  await page.keyboard.press('Escape');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The journey wants it.');
  await dialog.getByRole('button', { name: 'Request response', exact: true }).click();
  await expect(dialog).toHaveCount(0);
}

const panel = (page: Page) => page.getByRole('complementary', { name: /^Response \d+/ });

test('an account that systems depend on is blocked only after its warning was confirmed', async ({ asPersona }) => {
  const page = await asPersona('host');
  await page.goto(`/apps/response?client=${client}&new=1&ask=blockUser&target=root`);
  const dialog = page.getByRole('dialog', { name: 'Request response' });
  await expect(dialog.getByRole('alert')).toContainText('root is the superuser of the host.');
  const send = dialog.getByRole('button', { name: 'Request response', exact: true });
  await send.click();
  await expect(dialog.getByText('Read the warning below and confirm it.')).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'I have read this and want to continue' }).check();
  await send.click();
  await expect(dialog).toHaveCount(0);
  await expectToast(page, 'Block user: root was requested');
});

test('a host isolates a device manually without a case, confirms it and releases it', async ({ asPersona }) => {
  const [device = ''] = await freeDevices();
  const page = await asPersona('host');
  await request(page, device);
  await expectToast(page, `Isolate device: ${device} was requested`);
  await expect(panel(page)).toContainText('Approved');
  await expect(panel(page).getByRole('region', { name: 'Manual steps' })).toContainText(device);

  // A request counts as done only after confirmation.
  await panel(page).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('textbox', { name: 'How it was verified' }).fill('Its port is shut.');
  await inDialog(page, 'Yes').click();
  await expectToast(page, 'Device has been successfully isolated');
  await expect(panel(page)).toContainText('Verified');
  await expect(panel(page).getByRole('region', { name: 'History' })).toContainText('Its port is shut.');

  // Undoing is a separate request that ends the first one.
  await panel(page).getByRole('link', { name: 'Open' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Isolate device ${device}`);
  const first = page.url();
  await page.getByRole('button', { name: 'Undo' }).click();
  await inDialog(page, 'Yes').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Unisolate device ${device}`);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('textbox', { name: 'How it was verified' }).fill('It answers again.');
  await inDialog(page, 'Yes').click();
  await expectToast(page, 'Device has been successfully unisolated');
  await page.goto(first);
  await expect(page.getByRole('article')).toContainText('Released');
});

test('a protected device is isolated only after two other people approve', async ({ asPersona, browser }) => {
  const device = (await freeDevices()).at(-1) ?? '';
  const page = await asPersona('host', `/apps/response?client=${client}&tab=protected`);
  // Part of the demo.
  await expect(page.getByRole('list', { name: 'Protected assets' })).toContainText('svc-backup');
  const form = page.getByRole('form', { name: 'Add protected asset' });
  await form.getByRole('textbox', { name: 'Name' }).fill(device);
  await form.getByRole('textbox', { name: 'Reason' }).fill('The journey needs it.');
  await form.getByRole('button', { name: 'Protect asset' }).click();
  await expect(page.getByRole('list', { name: 'Protected assets' })).toContainText(device);

  await request(page, device);
  await expectToast(page, 'waits for approval');
  await expect(panel(page)).toContainText('Needs 2 approvals');
  await expect(panel(page).getByRole('button', { name: 'Approve' })).toBeDisabled();
  await expect(panel(page)).toContainText('You requested it yourself');
  const id = Number(/peek=(\d+)/.exec(page.url())?.[1]);

  for (const persona of ['partnerAnalyst', 'partnerAdmin']) {
    const token = await signIn(portal.url, persona);
    const other = await (await browser.newContext()).newPage();
    await other.addInitScript((value) => localStorage.setItem('jwt_access_token', value), token);
    await other.goto(`${portal.url}/apps/response/${id}`);
    await other.getByRole('button', { name: 'Approve' }).click();
    await inDialog(other, 'Yes').click();
    await expectToast(other, /^Approved/);
    await expect(other.getByRole('button', { name: 'Approve', disabled: false })).toHaveCount(0);
    await other.context().close();
  }
  await page.reload();
  await expect(panel(page).getByRole('button', { name: 'Cancel request' })).toBeVisible();
  await expect(panel(page)).toContainText('Approved');
  await panel(page).getByRole('button', { name: 'Cancel request' }).click();
  await inDialog(page, 'Yes').click();
  await expectToast(page, 'Cancelled');
  await expect(panel(page)).toContainText('Released');
});

test('a manager without permission reads the rules and sees the reason', async ({ asPersona }) => {
  const page = await asPersona('manager', '/apps/response?tab=rules');
  await expect(page.getByText('Managed by administrators of your partner or provider.', { exact: false })).toBeVisible();
  await expect(page.getByRole('form')).toHaveCount(0);
  await page.getByRole('navigation', { name: 'Response' }).getByRole('link', { name: 'Requests' }).click();
  await expect(page.getByRole('button', { name: 'Request response' })).toBeDisabled();
});
