/**
 * The first hour of an installation without demo: the first Host, the checklist, a client by wizard, a source that is waited for, a test attack that
 * becomes a case, more clients from a CSV file, and the offboarding of the first.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { type Portal, startPortal } from './portal.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const password = 'Quiet-Harbour-47!';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const step = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Setup steps' }).getByRole('listitem').filter({ hasText: text });

async function createHost({ dataDir }: Portal): Promise<string> {
  const words = ['--email', 'ada@reef.example', '--name', 'Ada Byron', '--organisation', 'Reef Security'];
  const child = spawn('npm', ['run', '-s', 'create-host', '--', ...words], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await new Promise((resolve) => child.once('close', resolve));
  return output.trim();
}

async function setUpSecondFactor(page: Page): Promise<void> {
  await button(page, 'Next').click();
  const secret = ((await page.getByTitle('Secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  await button(page, 'Next').click();
  await field(page, 'Code').fill(new TOTP({ digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate());
  await page.keyboard.press('Enter');
}

async function statusOf({ url }: Portal, key: string): Promise<number> {
  const event = { '@timestamp': new Date().toISOString(), message: 'session opened', host: { name: 'till-1' } };
  const answer = await fetch(`${url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `{"create":{}}\n${JSON.stringify(event)}\n`,
  });
  return answer.status;
}

async function signInAsFirstHost(page: Page, portal: Portal): Promise<void> {
  const link = await createHost(portal);
  expect(link.startsWith(`${portal.url}/passwordReset/`)).toBe(true);
  await page.goto(link);
  await field(page, 'New password').fill(password);
  await field(page, 'Confirm password').fill(password);
  await button(page, 'Reset password').click();
  await expect(page).toHaveURL(/\/login/);
  await field(page, 'Email').fill('ada@reef.example');
  await field(page, 'Password').fill(password);
  await button(page, 'Login').click();
  await setUpSecondFactor(page);
}

async function startChecklist(page: Page): Promise<void> {
  const panel = page.getByRole('region', { name: 'Get started' });
  await expect(panel).toBeVisible();
  await expect(step(page, 'Set the public address')).toContainText('Set PUBLIC_URL.');
  await expect(step(page, 'Set up your second factor').getByRole('img', { name: 'Done' })).toBeVisible();
  await step(page, 'Back up the database').getByRole('button', { name: 'Confirm' }).click();
  await expect(step(page, 'Back up the database').getByRole('img', { name: 'Done' })).toBeVisible();
}

/** By the wizard, with its checks; returns the client’s id. */
async function createClient(page: Page): Promise<string> {
  await step(page, 'Create the first client').getByRole('link', { name: 'New client' }).click();
  await button(page, 'Next').click();
  await expect(field(page, 'Name')).toHaveAccessibleDescription('Please fill in this field.');
  await field(page, 'Name').fill('Coral Foods');
  await button(page, 'Next').click();
  await field(page, 'First name').fill('Ana');
  await button(page, 'Next').click();
  await expect(field(page, 'Last name')).toHaveAccessibleDescription('Please fill in this field.');
  await field(page, 'Last name').fill('Diaz');
  await field(page, 'Administrator’s email').fill('ana@coral.example');
  await button(page, 'Next').click();
  await expect(page.getByRole('list', { name: 'Summary' })).toContainText('ana@coral.example');
  await button(page, 'Create client').click();
  await expect(page).toHaveURL(/\/apps\/clientdetails\/setup\?client=\d+$/);
  await expect(step(page, 'Invite the client’s administrator').getByRole('img', { name: 'Done' })).toBeVisible();
  return /client=(\d+)/.exec(page.url())?.[1] ?? '';
}

/** Waits for the first event; returns the ingest key. */
async function connectSource(page: Page, portal: Portal, client: string): Promise<string> {
  const source = step(page, 'Connect the first source');
  await expect(source).toContainText('No ingest key, enrolment token or connection exists yet.');
  await source.getByRole('link', { name: 'Ingest keys' }).click();
  await button(page, 'New key').click();
  await field(page, 'Key name').fill('Till');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = ((await page.getByRole('group', { name: 'Key', exact: true }).textContent()) ?? '').trim();
  await page.goto(`${portal.url}/apps/clientdetails/setup?client=${client}`);
  await expect(source.getByRole('status')).toHaveText('Waiting for the first event…');
  expect(await statusOf(portal, key)).toBe(200);
  // Without a reload.
  await expect(source.getByRole('img', { name: 'Done' })).toBeVisible();
  return key;
}

async function sendTestAttack(page: Page): Promise<void> {
  const attack = step(page, 'Send a test attack');
  await attack.getByRole('button', { name: 'Send test attack' }).click();
  await expect(attack.getByRole('status')).toContainText(/Alert after [\d.]+ s/, { timeout: 60_000 });
  await expect(attack.getByRole('status')).toContainText(/Case after [\d.]+ s/, { timeout: 60_000 });
  await attack.getByRole('link', { name: 'Case' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Decoded Text Piped into a Shell');
}

async function createClientsFromCsv(page: Page, portal: Portal): Promise<void> {
  await page.goto(`${portal.url}/apps/clientdetails/create/general?kind=csv`);
  await page.getByLabel('Choose a CSV file').setInputFiles({
    name: 'clients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Name;Website\nKelp Labs;\nAnemone;reef\n'),
  });
  const rows = page.getByRole('table', { name: 'Preview' }).getByRole('row');
  await expect(rows.nth(1)).toContainText('Will be created.');
  await expect(rows.nth(2)).toContainText('Website:');
  await button(page, 'Create 1 client').click();
  await expect(page.getByRole('heading', { name: 'Choose a client' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Kelp Labs' })).toBeVisible();
  await expect(page.getByText('Anemone')).toHaveCount(0);
}

async function offboard(page: Page, portal: Portal, client: string): Promise<void> {
  await page.goto(`${portal.url}/apps/clientdetails/offboarding?client=${client}`);
  const leaving = (text: string) =>
    page.getByRole('list', { name: 'Offboarding steps' }).getByRole('listitem').filter({ hasText: text });
  await expect(leaving('Remove agents')).toContainText('No agents are enrolled.');
  const download = page.waitForEvent('download');
  await button(page, 'Download archive').click();
  const archive = await readFile(await (await download).path());
  // Names of files stand in a ZIP as they are.
  for (const name of ['organisation.json', 'cases/00001.ndjson.gz', 'events/00001.ndjson.gz', 'manifest.json'])
    expect(archive.includes(name), name).toBe(true);
  await expect(leaving('Hand over the data').getByRole('img', { name: 'Done' })).toBeVisible();
  await button(page, 'End access').click();
  const dialog = page.getByRole('dialog', { name: 'End access of Coral Foods?' });
  await expect(dialog.getByRole('button', { name: 'Yes' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Name of the client' }).fill('Coral Foods');
  await dialog.getByRole('button', { name: 'Yes' }).click();
  // Erasure is offered next, and can wait.
  await page.getByRole('dialog', { name: 'Erasure of Coral Foods' }).getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('list', { name: 'Deactivated' })).toContainText('Coral Foods');
}

test('from no account to a client whose test attack became a case, and that is offboarded', { tag: '@survey' }, async ({
  page,
}) => {
  test.setTimeout(900_000);
  const portal = await startPortal({ env: { PORTAL_DEMO: '0' }, readyWithinMs: 400_000 });
  try {
    await signInAsFirstHost(page, portal);
    await startChecklist(page);
    const client = await createClient(page);
    const key = await connectSource(page, portal, client);
    await sendTestAttack(page);
    await createClientsFromCsv(page, portal);

    await page.goto(`${portal.url}/apps/dashboard/0`);
    await expect(step(page, 'Create the first client')).toContainText('2 clients');
    await expect(step(page, 'Send a test attack').getByRole('img', { name: 'Done' })).toBeVisible();

    await offboard(page, portal, client);
    expect(await statusOf(portal, key)).toBe(401);
  } finally {
    await portal.stop();
  }
});
