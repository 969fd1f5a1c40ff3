/**
 * Three shifts on one intrusion that reaches the portal by rsyslog and the bulk API: the provider’s analyst reads it, the reseller’s analyst
 * contains it and escalates it, and the client’s manager replies in the portal; then it is closed. The client is the journey’s own.
 */
import { readFile } from 'node:fs/promises';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { organisations } from '@parapet/world/organisations.ts';
import type { Page } from '@playwright/test';
import { casesOf, send } from './api.ts';
import { newClient, newManager } from './clients.ts';
import { expect, keepToken, portal, test, tokenOf } from './fixtures.ts';
import { isPageIdle } from './idle.ts';
import { cradle, fileServer, gate, intrude, stager } from './intrusion.ts';

const harbor = organisations.find(({ name }) => name.startsWith('Harbor'))!.id;
const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const tab = (page: Page, name: string | RegExp) => page.getByRole('navigation', { name: 'Case' }).getByRole('link', { name });

const ofToday = (client: number): Promise<CaseRow[]> => casesOf(portal.url, tokenOf('host'), client, Date.now() - 86_400_000);

test.describe.configure({ mode: 'serial' });

let client: number;
let manager: string;
let found: CaseRow;
let casePath: string;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  const host = tokenOf('host');
  const run = Date.now().toString(36);
  client = await newClient(portal.url, host, harbor, `Larch Logistics ${run}`, `security.${run}@larch.example`);
  manager = await newManager(portal.url, host, client, `greta.${run}@larch.example`);
  await intrude(portal, host, client);
  await expect.poll(async () => (await ofToday(client)).some(({ verdict }) => verdict !== null), { timeout: 90_000 }).toBe(true);
  found = (await ofToday(client)).find(({ verdict }) => verdict !== null)!;
  casePath = `/apps/case/${found.id}?client=${client}`;
});

async function setStatus(page: Page, status: string): Promise<void> {
  await button(page, /^Status: /).click();
  await page.getByRole('menuitem', { name: status, exact: true }).click();
}

/** Opens a path in the manager’s session. */
async function asManager(page: Page, path: string): Promise<void> {
  await keepToken(page, manager);
  await page.goto(path);
}

test('night: the provider’s analyst finds one case at the top of the list and takes it by key', async ({ page, asPersona }) => {
  await asPersona('superAnalyst', `/apps/cases/${client}`);
  const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText(`${gate}, ${fileServer}`);
  await page.getByRole('button', { name: 'Split view' }).click();
  const panel = page.getByRole('complementary', { name: new RegExp(`^Case ${found.id}`) });
  await expect(panel).toContainText(fileServer);
  await page.keyboard.press('a');
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully updated case!' })).toBeVisible();
  await expect.poll(async () => (await ofToday(client)).map(({ analyst }) => analyst)).toEqual(['P. Raman']);
});

test('night: the story names who did what from where to what, and the stage it reached', async ({ page, asPersona }) => {
  await asPersona('superAnalyst', casePath);
  await expect(page.getByText('Critical alerts, judged malicious with high confidence')).toBeVisible();
  const story = region(page, 'Story');
  await expect(story).toContainText(`someone at “198.51.100.23” guessed a password and signed in as “mpelt” on “${gate}”.`);
  // One person under two names, on two machines.
  await expect(story).toContainText('the same person’s account “LARCH\\mpelt”');
  for (const text of [
    'used hidden or encoded commands with “powershell.exe”',
    'read stored passwords with “rundll32.exe”',
    'sent data to a web service with “rclone.exe”',
    'cleared event logs with “wevtutil.exe”',
    'The furthest stage seen is moving data out.',
    'No response action is in effect.',
  ])
    await expect(story).toContainText(text);
  await story.getByRole('link', { name: /rundll32/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('LSASS');
});

test('night: graph, table and lanes agree with the story', async ({ page, asPersona }) => {
  await asPersona('superAnalyst', casePath);
  const graph = region(page, 'Attack graph');
  await expect(graph.getByRole('button', { name: /^Process powershell\.exe/ })).toBeVisible();
  await graph.getByRole('button', { name: 'Table', exact: true }).click();
  const rows = graph.getByRole('table', { name: 'Attack graph' }).getByRole('row');
  for (const [source, action, target] of [
    ['198.51.100.23', 'signed in as', 'mpelt'],
    ['mpelt', 'signed in to', gate],
    ['cmd.exe', 'started', 'powershell.exe'],
    ['powershell.exe', 'started', 'rclone.exe'],
  ] as const)
    await expect(rows.filter({ hasText: source }).filter({ hasText: action }).filter({ hasText: target }).first()).toBeVisible();
  const lanes = page.getByRole('list', { name: 'Attack steps by tactic' });
  await expect(lanes.getByRole('heading', { level: 3 })).toHaveText([
    'Credential Access',
    'Defense Evasion',
    'Execution',
    'Discovery',
    'Exfiltration',
  ]);
});

test('night: the encoded command is readable in the alert, the timeline and the artifacts', async ({ page, asPersona }) => {
  await asPersona('superAnalyst', casePath);
  await page
    .getByRole('list', { name: 'Attack steps by tactic' })
    .getByRole('link', { name: /^Encoded PowerShell/ })
    .click();
  await expect(page.getByText(cradle).first()).toBeVisible();
  await page.goto(`${casePath}&tab=timeline`);
  await expect(page.getByText(cradle).first()).toBeVisible();
  await tab(page, 'Artifacts').click();
  const artifact = page.getByRole('row').filter({ hasText: new URL(stager).hostname });
  await expect(artifact).toContainText('Decoded from process.command_line');
});

test('night: a hunt goes from a word to a saved search, an export and the case', async ({ page, asPersona }) => {
  await asPersona('superAnalyst', `/apps/events?client=${client}`);
  const field = page.getByRole('combobox', { name: 'Search events, then Enter' });
  await field.fill('rclone');
  await field.press('Enter');
  const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') });
  await expect(rows.first()).toContainText('rclone');
  await field.fill('rclone and event.code: 1');
  await field.press('Enter');
  await expect(page).toHaveURL(/event\.code/);
  await isPageIdle(page);
  // Behind an open menu the rows have no role.
  const shown = await rows.count();
  expect(shown).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'Views' }).click();
  const name = page.getByRole('textbox', { name: 'Save current view as' });
  await name.fill(`Rclone ${client}`);
  await name.press('Enter');
  await expect(page.getByRole('button', { name: `Rclone ${client}`, exact: true })).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'NDJSON', exact: true }).click();
  const line = page.getByRole('list', { name: 'Exports of the last day' }).getByRole('listitem').first();
  await expect(line.getByRole('status')).toContainText(/^\d+ events?, .* until /);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    line.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const exported = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(exported).toHaveLength(shown);
  for (const event of exported) expect(JSON.stringify(JSON.parse(event))).toContain('rclone');
  await page.keyboard.press('Escape');

  await rows.first().getByRole('gridcell').nth(1).click();
  const alerts = page.getByRole('region', { name: 'Alerts of this event' });
  await alerts
    .getByRole('link', { name: `Case ${found.id}` })
    .first()
    .click();
  await expect(region(page, 'Story')).toContainText('sent data to a web service with “rclone.exe”.');
});

test('morning: the reseller’s analyst takes over, notes a suspicion and asks the client', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  await button(page, 'Assign to me').click();
  await expect(button(page, 'Analyst: T. Lindqvist')).toBeVisible();
  await tab(page, /^Notes/).click();
  await page.getByRole('textbox', { name: 'New note' }).fill('Night shift suspects contracts were taken.');
  await page.getByRole('form', { name: 'New note' }).getByRole('button', { name: 'Save', exact: true }).click();
  await tab(page, /^Email/).click();
  await button(page, 'Escalate to client').click();
  const mail = page.getByRole('dialog', { name: 'Escalate this case to the client?' });
  await mail.getByRole('textbox', { name: 'Message' }).fill('Did Mara Pelt work on the file server this morning?');
  await mail.getByRole('button', { name: 'Send' }).click();
  await expect(button(page, 'Status: Escalated')).toBeVisible();
});

test('noon: the client’s manager reads what happened and answers in the portal, which a toast announces', async ({
  page,
  browser,
}) => {
  const analyst = await (await browser.newContext()).newPage();
  await keepToken(analyst, tokenOf('partnerAnalyst'));
  await analyst.goto(`${portal.url}/apps/dashboard`);
  await expect(analyst.getByRole('button', { name: /new client answers?$/ })).toBeVisible();
  await asManager(page, '/apps/dashboard');
  const safe = region(page, 'Are we safe?');
  await expect(safe).toBeVisible();
  await expect(region(page, 'Questions to you')).toContainText('Was this expected?');
  await page.getByRole('link', { name: /^Answer: / }).click();
  await expect(region(page, 'Story')).toContainText(`signed in as “mpelt” on “${gate}”`);
  await expect(page.getByText('Did Mara Pelt work on the file server this morning?').first()).toBeVisible();
  const question = region(page, 'Question to you');
  await question.getByRole('button', { name: 'Not expected' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Your answer has been sent.' })).toBeVisible();
  await expect(question).toHaveCount(0);
  await expect(
    analyst.getByRole('alert').filter({ hasText: `The client answered case ${found.id}: not expected` }),
  ).toBeVisible();
  await analyst.context().close();
  await page.goto(`/apps/case/${found.id}?tab=notes`);
  await expect(page.getByText('No notes have been shared with you.')).toBeVisible();
  await expect(page.getByText('Night shift suspects')).toHaveCount(0);
});

test('afternoon: the answer rings the analyst’s bell, who isolates the server and confirms it', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/dashboard');
  await page.getByRole('button', { name: /new client answers?$/ }).click();
  const bell = page.getByRole('dialog', { name: 'Client answers' });
  await expect(bell.getByRole('listitem').filter({ hasText: `Case ${found.id}` })).toContainText('not expected');
  await bell.getByRole('link', { name: new RegExp(`^Case ${found.id}`) }).click();
  await expect(button(page, 'Status: Malicious')).toBeVisible();
  // By default, isolating a server requires a second approver.
  const rule = { action: 'isolate', deviceType: 'server', hours: 'always', approvers: 'nobody' };
  expect((await send(portal.url, tokenOf('host'), `/approvalrules/${client}`, rule)).ok).toBe(true);
  await button(page, `Isolate ${fileServer}`).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  const ledger = page.getByRole('list', { name: 'Responses' });
  await ledger.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Its port is shut; no answer to ping.');
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expect(ledger).toContainText('Verified');
  await tab(page, 'Story').click();
  await expect(region(page, 'Story')).toContainText(`“${fileServer}” was isolated from the network, verified on`);
});

test('afternoon: the analyst closes with a resolution, and every open point is asked for', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  await setStatus(page, 'Closed');
  const dialog = page.getByRole('dialog', { name: `Close case ${found.id}?` });
  await expect(dialog.getByRole('listitem').filter({ hasText: / not seen/ })).toBeVisible();
  await expect(dialog.getByText(/No verified containment|has not answered/)).toHaveCount(0);
  await expect(dialog.getByRole('button', { name: 'Close case' })).toBeDisabled();
  await dialog.getByRole('combobox', { name: 'Resolution' }).click();
  await page.getByRole('option', { name: 'True positive', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The server was rebuilt, and the password changed.');
  for (const box of await dialog.getByRole('textbox', { name: /\. Why/ }).all()) await box.fill('Done by the client on site.');
  await dialog.getByRole('button', { name: 'Close case' }).click();
  await expect(button(page, 'Status: Closed')).toBeVisible();
  await expect(page.getByText('True positive').first()).toBeVisible();
});

test('evening: the manager sees the end of it on the home page', async ({ page }) => {
  await asManager(page, '/apps/dashboard');
  await expect(region(page, 'Are we safe?')).toContainText('No open incidents');
  await expect(region(page, 'Questions to you')).toContainText('No open questions.');
  await expect(region(page, /^What happened/)).toContainText('It was confirmed as an attack.');
});
