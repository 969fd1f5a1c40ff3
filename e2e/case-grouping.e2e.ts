/** Case grouping: a Host narrows a window for one client, sees its numbers over the past, and makes it live for the next alert. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { casesOf, send, signIn } from './api.ts';
import { newClient } from './clients.ts';
import { expect, keepToken, ownTokenOf, portal, test, tokenOf } from './fixtures.ts';

const run = Date.now().toString(36);
const why = 'Shifts on shared consoles are separate work.';

/** Password hashes are read by sudo on a device twice, two hours apart, by different people. */
async function ship(key: string, device: string, users: readonly [string, string]): Promise<void> {
  const now = Date.now();
  const lines = [
    { hours: 3, user: users[0] },
    { hours: 1, user: users[1] },
  ].flatMap(({ hours, user }) => [
    '{"create":{"_index":"syslog"}}',
    JSON.stringify({
      '@timestamp': new Date(now - hours * hourMs).toISOString(),
      host: device,
      programname: 'sudo',
      message: `${user} : TTY=pts/0 ; PWD=/home/${user} ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow`,
    }),
  ]);
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  expect(await answer.json()).toMatchObject({ errors: false });
}

test('a host narrows a window for a client, and the next alerts are grouped by it', async ({ page, asPersona, browser }) => {
  test.setTimeout(180_000);
  const host = await ownTokenOf('host');
  const client = await newClient(portal.url, host, 3, `Reef grouping ${run}`, 'soc@reef.example');
  const { key } = (await (await send(portal.url, host, `/ingestkeys/${client}`, { name: 'journey' })).json()) as { key: string };
  const alertsByCase = async () => (await casesOf(portal.url, host, client)).map(({ alertCount }) => alertCount).sort();
  await ship(key, `reef-console-${run}`, ['mpelt', 'jbrandt']);
  await expect.poll(alertsByCase, { timeout: 60_000 }).toEqual([2]);

  await asPersona('host', `/apps/casegrouping?client=${client}`);
  await expect(page.getByText(`for Reef grouping ${run}`)).toBeVisible();
  const rule = page.getByRole('group', { name: 'The same device within 24 hours', exact: true });
  await rule.getByRole('button', { name: 'Edit' }).click();
  const window = page.getByRole('spinbutton', { name: 'Window, minutes' });
  await window.fill('2');
  await expect(page.getByText('Enter 5 to 10,080.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Preview', exact: true })).toBeDisabled();
  await window.fill('60');
  await page.getByRole('switch', { name: 'The same device within 3 days, and it is severe' }).click();
  const differences = page.getByRole('list', { name: 'Differences from the inherited set' });
  await expect(differences.getByRole('listitem')).toHaveCount(2);

  await page.getByRole('combobox', { name: 'Range' }).click();
  await page.getByRole('option', { name: 'Last 7 days' }).click();
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await expect(page.getByText('0 cases fewer, 0 more, 0 joined, 1 split')).toBeVisible({ timeout: 60_000 });
  await expect(
    page.getByText(/^1 case before, 2 after\. Analyst time: 20 min more, at 20 min per case\. 2 alerts of 1 client grouped/),
  ).toBeVisible();

  await page.getByRole('textbox', { name: 'Reason' }).fill(why);
  await page.getByRole('button', { name: 'Save draft' }).click();
  const versions = page.getByRole('list', { name: 'Versions' });
  await expect(versions.getByText('Draft', { exact: true })).toBeVisible();
  const dialog = page.getByRole('dialog');
  for (const action of ['Run in shadow', 'Go live']) {
    await versions.getByRole('button', { name: action }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(why);
    await dialog.getByRole('button', { name: action }).click();
    await expect(dialog).toHaveCount(0);
  }
  await expect(versions.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByRole('list', { name: 'History' }).getByText(/^State: shadow → live, version 1/)).toBeVisible();

  const other = await (await browser.newContext()).newPage();
  await keepToken(other, await signIn(portal.url, 'providerAdmin'));
  await other.goto(`${portal.url}/apps/casegrouping?client=${client}`);
  const changed = other.getByRole('group', { name: 'The same device within an hour', exact: true }).first();
  await expect(changed.getByText('Window: 24 hours → an hour')).toBeVisible();
  await expect(other.getByRole('list', { name: 'Versions' }).getByText('Live', { exact: true })).toBeVisible();
  await other.context().close();

  await ship(key, `reef-terminal-${run}`, ['hovik', 'ranste']);
  await expect.poll(alertsByCase, { timeout: 60_000 }).toEqual([1, 1, 2]);
});

for (const persona of ['partnerAdmin', 'clientAdmin'] as const)
  test(`a ${persona} has no page of case grouping`, async ({ page }) => {
    await keepToken(page, persona === 'clientAdmin' ? tokenOf(persona) : await signIn(portal.url, persona));
    await page.goto('/apps/casegrouping');
    await expect(page.getByText('Case grouping is managed by the provider')).toBeVisible();
    await expect(page.getByRole('switch')).toHaveCount(0);
    await page.goto('/apps/settings');
    await expect(page.getByRole('main')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Case grouping' })).toHaveCount(0);
  });
