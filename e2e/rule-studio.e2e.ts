/**
 * Rule studio: a host imports 3,800 rules in the layout of the public collection, finds the noisy one, hides it for one client with the numbers of the
 * past, and a colleague sees it in force in another browser. A field that the rule reads no longer arrives from another client, and coverage turns until
 * it is back.
 */
import type { Page } from '@playwright/test';
import { zipSync } from 'fflate';
import { alertsOf, send, signIn } from './api.ts';
import { newClient } from './clients.ts';
import { breakAndHeal } from './coverage.ts';
import { expect, keepToken, ownTokenOf, portal, test } from './fixtures.ts';
import { shipStarts } from './sysmon.ts';

const count = 3_800;
const run = Date.now().toString(36);
const noisy = 1_234;
const idOf = (number: number) => `00000000-0000-4000-9100-${String(number).padStart(12, '0')}`;
const titleOf = (number: number) => `Studio ${run} tool ${number}`;
const folders = ['process_creation', 'builtin/security', 'powershell/powershell_script'];

/** Generated rules over process creation, each of another tool. */
const rule = (number: number) => `title: ${titleOf(number)}
id: ${idOf(number)}
status: test
description: Generated
license: DRL-1.1
author: A. Writer
tags:
  - attack.execution
  - attack.t1059
logsource:
  product: windows
  category: process_creation
detection:
  selection:
    Image|endswith: '\\studio-${run}-${number}.exe'
    CommandLine|contains: ' --tool-${number} '
  condition: selection
level: medium
`;
const archive = Buffer.from(
  zipSync(
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `sigma-main/rules/windows/${folders[at % folders.length]}/rule_${at + 1}.yml`,
        Buffer.from(rule(at + 1)),
      ]),
    ),
    { level: 1 },
  ),
);

/** Starts of the noisy rule's tool by a user, each on a device of its own. */
const starts = (user: string, devices: readonly string[]) =>
  devices.map((device) => ({
    at: Date.now() - 60_000,
    device,
    fields: {
      Image: `C:\\Tools\\studio-${run}-${noisy}.exe`,
      CommandLine: `studio-${run}-${noisy}.exe --tool-${noisy} now`,
      User: `REEF\\${user}`,
    },
  }));

const pack = `studio-${run}`;
const packOf = (page: Page) => page.getByRole('list', { name: 'Packs' }).getByRole('listitem', { name: pack });

/** Uploads the rules, and accepts them as live. */
async function importRules(page: Page): Promise<void> {
  await page.getByLabel('Select file').setInputFiles({ name: `${pack}.zip`, mimeType: 'application/zip', buffer: archive });
  await page.getByRole('button', { name: 'Upload for review' }).click();
  await page.getByRole('link', { name: `Review ${pack}` }).click({ timeout: 180_000 });
  await page.getByRole('button', { name: 'Accept' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText(`Accept up to 3,800 rules of ${pack}?`);
  await dialog.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: /^Live/ }).click();
  await dialog.getByLabel('Reason').fill('Public rules for Windows');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await expect(packOf(page).getByText('3,800 live')).toBeVisible({ timeout: 180_000 });
}

/** Opens the noisy rule by its alerts, and adds an exception with the numbers of the past. */
async function hideForClient(page: Page, client: number): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.goto(`/apps/rules?client=${client}&pack=${pack}&sort=alerts&order=desc`);
  const first = page
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') })
    .first();
  await expect(first).toContainText(titleOf(noisy), { timeout: 60_000 });
  await first.getByRole('link').click();
  await page.getByRole('link', { name: 'Clients and exceptions' }).click();
  await page.getByRole('button', { name: 'Add exception' }).click();
  await dialog.getByRole('textbox', { name: 'Field' }).fill('User|endswith');
  await dialog.getByRole('textbox', { name: 'Values' }).fill('\\svc-deploy');
  await dialog.getByRole('button', { name: 'Preview, last 30 days' }).click();
  await expect(dialog.getByText('8 alerts fewer, 0 more')).toBeVisible({ timeout: 120_000 });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Deployments by the client.');
  await dialog.getByRole('button', { name: 'Add exception' }).click();
  await expect(dialog).toHaveCount(0);
}

async function retire(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.goto('/apps/rulepacks');
  await page.getByRole('button', { name: `Change the state of ${pack}` }).click();
  await dialog.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: /^Retired/ }).click();
  await dialog.getByLabel('Reason').fill('The journey ends');
  await dialog.getByRole('button', { name: 'Change state' }).click();
  await expect(packOf(page).getByText('3,800 retired')).toBeVisible({ timeout: 180_000 });
}

/** One alert that the exception has hidden, in the list of exceptions. */
async function expectHidden(page: Page): Promise<void> {
  await expect(async () => {
    await page.reload();
    await expect(
      page
        .getByRole('row')
        .filter({ hasText: titleOf(noisy) })
        .locator('[data-field=hidden]'),
    ).toHaveText('1', {
      timeout: 4_000,
    });
  }).toPass({ timeout: 60_000 });
}

test('imports 3,800 rules, hides a noisy one for a client, and names the field that it lacks at another', async ({
  page,
  asPersona,
  browser,
}) => {
  test.setTimeout(900_000);
  const host = await ownTokenOf('host');
  const client = await newClient(portal.url, host, 3, `Reef studio ${run}`, 'soc@reef.example');
  const keyOf = async (organisation: number) =>
    ((await (await send(portal.url, host, `/ingestkeys/${organisation}`, { name: 'journey' })).json()) as { key: string }).key;
  const key = await keyOf(client);

  await asPersona('host', '/apps/rulepacks');
  await importRules(page);
  const alertsAt = async (devices: RegExp) =>
    (await alertsOf(portal.url, host, client, 'pageSize=100')).filter(({ deviceName }) => devices.test(deviceName ?? '')).length;
  const alerts = () => alertsAt(/^reef-build/i);
  // Events are judged by the rules of their moment.
  await expect(async () => {
    await shipStarts(key, starts('mallory', ['reef-first']));
    expect(await alertsAt(/^reef-first/i)).toBeGreaterThan(0);
  }).toPass({ timeout: 180_000, intervals: [5_000] });
  const devices = Array.from({ length: 8 }, (_, at) => `reef-build-${at + 1}`);
  await shipStarts(key, starts('svc-deploy', devices));
  await expect.poll(alerts, { timeout: 60_000 }).toBe(8);
  await hideForClient(page, client);

  const other = await (await browser.newContext()).newPage();
  await keepToken(other, await signIn(portal.url, 'providerAdmin'));
  await other.goto(`${portal.url}/apps/exceptions?client=${client}`);
  await expect(other.getByRole('row').filter({ hasText: titleOf(noisy) })).toContainText('Exception');
  await shipStarts(key, [...starts('svc-deploy', ['reef-build-9']), ...starts('mallory', ['reef-build-10'])]);
  await expect.poll(alerts, { timeout: 60_000 }).toBe(9);
  await expectHidden(other);
  await other.context().close();

  const broken = await newClient(portal.url, host, 3, `Reef fields ${run}`, 'soc@reef.example');
  await breakAndHeal(page, { key: await keyOf(broken), client: broken, rule: idOf(noisy) });
  await retire(page);
});
