/** Devices and their collectors: state, merging, updates, enrolment tokens, agents, versions and rollout. */
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Enrolled } from '@parapet/contract/agentProtocol.ts';
import type { Page } from '@playwright/test';
import { send } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { isPageIdle } from './idle.ts';

const client = 10;
const unique = () => Date.now().toString(36) + randomBytes(2).toString('hex');
const expectToast = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const rowsOf = (page: Page, list: string) =>
  page
    .getByRole('grid', { name: list })
    .getByRole('row')
    .filter({ has: page.getByRole('checkbox', { name: 'Select row' }) });

/** Ships one event for each host. */
async function hostsThatSend(names: readonly string[], agent: object): Promise<void> {
  const lines = names.flatMap((name) => [
    JSON.stringify({ create: { _id: `${name}-${unique()}` } }),
    JSON.stringify({ '@timestamp': new Date().toISOString(), message: 'a line', host: { name }, agent }),
  ]);
  const made = await send(portal.url, tokenOf('clientAdmin'), `/ingestkeys/${client}`, { name: 'journey' });
  const { key } = (await made.json()) as { key: string };
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  expect(await answer.json()).toMatchObject({ errors: false });
}

/** Calls the agent protocol directly, without a running agent. */
async function agentSays<T>(path: string, key: string, body: object): Promise<T> {
  const answer = await fetch(`${portal.url}/agent/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
  });
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}

test('a manager opens devices from a figure, and from a device its alerts, people, collector and history', async ({
  page,
  asPersona,
}) => {
  await asPersona('manager', '/apps/devices');
  await expect(rowsOf(page, 'Data sources').first()).toBeVisible();
  await page.getByRole('link', { name: /^Silent/ }).click();
  await expect(page).toHaveURL(/state=silent/);
  await expect(rowsOf(page, 'Data sources').first()).toContainText(/Silent\s*for/);

  await page.goto('/apps/devices?text=ALD-DC-01');
  await rowsOf(page, 'Data sources').first().getByRole('link', { name: 'ALD-DC-01', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/apps/device/${client}/ALD-DC-01$`));
  await expect(page.getByRole('heading', { name: 'ALD-DC-01', level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Events by hour, last 7 days' })).toBeVisible();
  const tabs = page.getByRole('navigation', { name: 'Device', exact: true });
  await tabs.getByRole('link', { name: 'Alerts' }).click();
  await expect(page.getByRole('link', { name: /^All \d+\+? alerts$/ })).toBeVisible();
  await tabs.getByRole('link', { name: 'Users and processes' }).click();
  await expect(page.getByRole('table', { name: 'Users' }).getByRole('row').nth(1)).toBeVisible();
  await tabs.getByRole('link', { name: 'Configuration' }).click();
  await expect(page.getByText('Only administrators of your organisation can change this configuration.')).toBeVisible();
  await tabs.getByRole('link', { name: 'Timeline' }).click();
  await expect(
    page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.locator('time') })
      .first(),
  ).toBeVisible();
  await page.reload();
  await expect(tabs.getByRole('link', { name: 'Timeline' })).toHaveAttribute('aria-current', 'page');

  // Without a name the client’s devices are listed; an unknown name shows an empty state.
  await page.goto(`/apps/device/${client}`);
  await expect(page).toHaveURL('/apps/devices');
  await page.goto(`/apps/device/${client}/no%2Fsuch%20device`);
  await expect(page.getByText('Device not found')).toBeVisible();
});

test('an administrator merges and unmerges duplicates and sees the outcome of an update', async ({ page, asPersona }) => {
  const name = `dup-${unique()}`;
  await hostsThatSend([`${name}-a`, `${name}-b`], { type: 'filebeat', version: '7.0.1' });
  await asPersona('clientAdmin', `/apps/devices?text=${name}`);
  const rows = rowsOf(page, 'Data sources');
  await expect(rows).toHaveCount(2);
  await rows.nth(0).getByRole('checkbox').check();
  await expect(page.getByRole('button', { name: 'Merge' })).toBeDisabled();
  await rows.nth(1).getByRole('checkbox').check();

  // The manual step is shown, without a success message.
  await page.getByRole('button', { name: 'Update', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  const outcome = page.getByRole('dialog', { name: 'Update results' });
  await expect(outcome).toContainText(`${name}-a`);
  await expect(outcome).toContainText('2 devices to update manually');
  await expect(page.getByText('Successfully updated device(s)!')).toHaveCount(0);
  await outcome.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Merge' }).click();
  const merging = page.getByRole('dialog', { name: 'Merge 2 data sources?' });
  await merging.getByRole('radio', { name: `${name}-a` }).check();
  await merging.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Devices merged');
  await expect(rows).toHaveCount(1);
  await rows
    .first()
    .getByRole('link', { name: `${name}-a` })
    .click();
  await expect(page.getByRole('heading', { name: 'Aliases' })).toBeVisible();
  await page.getByRole('button', { name: `Unmerge ${name}-b` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Device unmerged');
  await page.goto(`/apps/devices?text=${name}`);
  await expect(rows).toHaveCount(2);
});

test('an update’s success and failure use the specification’s texts', async ({ page, asPersona }) => {
  const name = `new-${unique()}`;
  await hostsThatSend([name], { type: 'winlogbeat', version: '999.0.0' });
  await asPersona('clientAdmin', `/apps/device/${client}/${name}`);
  const send = async () => {
    await page.getByRole('button', { name: 'Update', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  };
  await page.route('**/Devices/upgrade', (route) => route.fulfill({ status: 500, json: { error: 'It broke.' } }));
  await send();
  await expectToast(page, 'Failed to update device(s)!');
  await page.unroute('**/Devices/upgrade');
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Successfully updated device(s)!');
  await expect(page.getByRole('dialog')).toContainText('already up to date');
});

test('a token enrols an agent, which appears with its inventory and errors and is revoked', async ({ page, asPersona }) => {
  const name = `agent-${unique()}`;
  await asPersona('clientAdmin', '/apps/agents?tab=install');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByRole('textbox', { name: 'Token name' })).toHaveAccessibleDescription('Please fill in this field.');
  await page.getByRole('textbox', { name: 'Token name' }).fill(name);
  await page.getByRole('button', { name: 'Create token' }).click();
  const made = page.getByRole('dialog', { name: 'Token created' });
  const line = await made.getByRole('group', { name: 'Linux hosts, as root or with sudo' }).innerText();
  const token = /--token (pe_[\w-]+)/.exec(line)?.[1] ?? '';
  expect(line).toContain(`/agent/install.sh | sudo sh -s -- --server http`);
  await made.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByRole('listitem', { name })).toContainText('0 of 1');
  await expect(page.locator('body')).not.toContainText(token);

  const enrolment = { token, name, machineId: randomBytes(16).toString('hex'), platform: 'linux-x64', version: '0.9.0' };
  const { key } = await agentSays<Enrolled>('enrol', '', enrolment);
  await agentSays('check-in', key, {
    version: '0.9.0',
    inventoryHash: 'one',
    inventory: {
      system: {
        ...{ hostname: name, os: 'Debian GNU/Linux 13', kernel: '6.12.1', architecture: 'x64', processors: 4 },
        ...{ memoryBytes: 8 * 2 ** 30, bootedAt: new Date().toISOString() },
      },
      packages: Array.from({ length: 120 }, (_, index) => ({ name: `package-${index}`, version: '1.0', ecosystem: 'Debian' })),
      users: [{ name: 'root', uid: 0, shell: '/bin/bash', isLocked: true }],
      addresses: [{ interface: 'eth0', address: '192.0.2.7', mac: '00:53:00:00:00:07' }],
      listening: [{ protocol: 'tcp', address: '0.0.0.0', port: 22, process: 'sshd' }],
    },
    holding: { isIsolated: false, releaseInSeconds: null, blockedUsers: [] },
    buffer: { bytes: 3 * 2 ** 20, limitBytes: 3 * 2 ** 20, isFull: true, events: 900 },
    ...{ shipped: 1, dropped: { 'too-large': 2 }, errors: ['journal: permission denied'], lastSequence: 0 },
  });

  await page.goto(`/apps/agents?text=${name}`);
  const row = rowsOf(page, 'Collectors').first();
  await expect(row).toContainText('Online');
  await row.getByRole('gridcell').nth(2).click();
  const peek = page.getByRole('complementary', { name });
  await expect(peek).toContainText('journal: permission denied');
  await expect(peek).toContainText('2 × too-large');
  await peek.getByRole('link', { name: 'Open device' }).click();
  await page.getByRole('link', { name: 'Inventory' }).click();
  const packages = page.getByRole('table', { name: 'Packages' });
  await expect(packages).toContainText('package-1');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('package-119');
  await expect(packages.getByRole('row')).toHaveCount(2);

  await page.goto(`/apps/agents?text=${name}`);
  await row.getByRole('gridcell').nth(2).click();
  await peek.getByRole('button', { name: 'Revoke agent' }).click();
  await page.getByRole('dialog', { name: 'Revoke this agent?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(row).toContainText('Revoked');
  const refused = await fetch(`${portal.url}/agent/tasks`, { headers: { authorization: `Bearer ${key}` } });
  expect(refused.status).toBe(401);
});

test('a host publishes a signed version and rolls it out in stages', async ({ page, asPersona }) => {
  // Older than every agent, so that none installs it.
  const version = `0.0.${Math.floor(Date.now() / 1000) % 100_000}`;
  const bytes = Buffer.from(`// ${version}\n`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = Buffer.from(`${version} linux-arm64 ${sha256} ${bytes.length}`);
  const key = createPrivateKey(await readFile(join(portal.dataDir, 'agent-release.key'), 'utf8'));
  await asPersona('host', `/apps/agents?client=${client}&tab=releases`);
  const form = page.getByRole('form', { name: 'Publish version' });
  await form.getByRole('textbox', { name: 'Version' }).fill(version);
  await form.getByRole('combobox', { name: 'Platform' }).click();
  await page.getByRole('option', { name: 'Linux, ARM64' }).click();
  await form.getByRole('textbox', { name: 'Signature' }).fill('not a signature');
  await form.locator('input[type=file]').setInputFiles({ name: 'agent.mjs', mimeType: 'text/javascript', buffer: bytes });
  await form.getByRole('button', { name: 'Publish version' }).click();
  await expect(form.getByRole('textbox', { name: 'Signature' })).toHaveAccessibleDescription(/not by this portal’s release key/);
  await form.getByRole('textbox', { name: 'Signature' }).fill(sign(null, text, key).toString('base64url'));
  await form.getByRole('button', { name: 'Publish version' }).click();
  await expectToast(page, `Version ${version} for linux-arm64 published`);
  await expect(page.getByRole('table', { name: 'Versions' })).toContainText(sha256);

  await page.getByRole('combobox', { name: 'Version' }).click();
  await page.getByRole('option', { name: version }).click();
  await page.getByRole('button', { name: '1%', exact: true }).click();
  await page
    .getByRole('dialog', { name: `Roll out ${version} to 1%?` })
    .getByRole('button', { name: 'Yes' })
    .click();
  await expectToast(page, new RegExp(`Version ${version} is offered to \\d+ of the agents`));
  await expect(page.getByRole('button', { name: '1%', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog', { name: 'Stop the rollout?' }).getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, `Version ${version} is no longer offered`);
  await isPageIdle(page);
});

test('an analyst without permission sees the reason and the hosts’ state', async ({ page, asPersona }) => {
  await asPersona('analyst', '/apps/agents');
  await expect(rowsOf(page, 'Collectors').first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Intake since yesterday' })).toBeVisible();
  await page.getByRole('link', { name: 'Install and keys' }).click();
  await expect(page.getByText('Only administrators can connect hosts')).toBeVisible();
  await page.goto('/apps/agents?tab=releases');
  await expect(page.getByRole('heading', { name: 'Versions' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Publish version' })).toHaveCount(0);
});

test('a device that endpoint protection lists by its full name is one device, until a person separates it', async ({
  page,
  asPersona,
}) => {
  await hostsThatSend(['alder-w11-04'], { type: 'winlogbeat', version: '8.17.1' });
  await asPersona('clientAdmin', '/apps/devices?tab=connections');
  const name = `Defender ${unique()}`;
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Microsoft Defender for Endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Microsoft Defender for Endpoint' });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Add connection' }).click();
  await expect(page.getByRole('listitem', { name }).getByText('Receiving')).toBeVisible();

  const alias = page.getByRole('listitem').filter({ hasText: 'alder-w11-04.alder.example' });
  await expect(async () => {
    await page.goto(`/apps/device/${client}/alder-w11-04`);
    await expect(alias).toContainText('Same host name alder-w11-04: merged automatically');
  }).toPass();
  await alias.getByRole('button', { name: 'Unmerge' }).click();
  const question = page.getByRole('dialog', { name: 'Unmerge this device?' });
  await expect(question).toContainText('No rule merges it again.');
  await question.getByRole('button', { name: 'Yes' }).click();
  await expect(alias).toBeHidden();
  await page.goto(`/apps/device/${client}/alder-w11-04.alder.example`);
  await expect(page.getByRole('heading', { name: 'alder-w11-04.alder.example', level: 1 })).toBeVisible();
});
