/** Retention, legal hold and erasure of a client: a Host requests, an administrator of the partner is the second person, and the certificate verifies. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { signIn } from './api.ts';
import { newClient } from './clients.ts';
import { expect, keepToken, ownTokenOf, portal, test } from './fixtures.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();

/** Canonical JSON (RFC 8785) of plain values. */
const canonical = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(',')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`)
          .join(',')}}`
      : JSON.stringify(value);

const root = fileURLToPath(new URL('..', import.meta.url));

async function verifyAudit(client: number): Promise<string> {
  const child = spawn('npm', ['run', '-s', 'verify-audit', '--', '--organisation', String(client)], {
    cwd: root,
    env: { ...process.env, DATA_DIR: portal.dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output;
}

async function setDays(page: Page): Promise<void> {
  await page.getByRole('spinbutton', { name: 'Searchable (days)' }).fill('400');
  await page.getByRole('form', { name: 'Raw event retention' }).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Searchable (days)' })).toHaveAccessibleDescription(/Enter 1 to \d+ days\./);
  await page.getByRole('spinbutton', { name: 'Searchable (days)' }).fill('7');
  await page.getByRole('spinbutton', { name: 'Archive after that (months)' }).fill('12');
  await page.getByRole('form', { name: 'Raw event retention' }).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Applied: 7 days, then 12 months in the archive')).toBeVisible();
}

/** A legal hold and its end, each confirmed by the second person. */
async function holdAndRelease(page: Page, second: Page, client: number): Promise<void> {
  await button(page, 'Request legal hold').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Court order 4 O 12/26');
  await dialog.getByRole('button', { name: 'Request' }).click();
  await expectToast(page, 'Legal hold requested');
  await expect(page.getByText('You requested it yourself.')).toBeVisible();
  await expect(button(page, 'Confirm')).toBeDisabled();
  await second.goto(`/apps/clientdetails/retention?client=${client}`);
  await button(second, 'Confirm').click();
  await expect(second.getByText('Under legal hold since')).toContainText('Court order 4 O 12/26');

  await page.reload();
  await button(page, 'Request end of hold').click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Settled');
  await page.getByRole('dialog').getByRole('button', { name: 'Request' }).click();
  await second.reload();
  await button(second, 'Confirm').click();
  await expect(second.getByText('No legal hold.')).toBeVisible();
}

async function requestErasure(page: Page, client: number, name: string): Promise<void> {
  await page.goto(`/apps/clientdetails/offboarding?client=${client}`);
  await button(page, 'End access').click();
  const ending = page.getByRole('dialog', { name: `End access of ${name}?` });
  await ending.getByRole('textbox', { name: 'Name of the client' }).fill(name);
  await ending.getByRole('button', { name: 'Yes' }).click();
  const erasure = page.getByRole('dialog', { name: `Erasure of ${name}` });
  await erasure.getByRole('button', { name: 'Request erasure' }).click();
  const request = page.getByRole('dialog', { name: `Request erasure of ${name}` });
  await request.getByRole('textbox', { name: 'Reason' }).fill('Contract ended');
  await request.getByRole('button', { name: 'Request' }).click();
  await expect(erasure.getByText('requested the erasure of all data: Contract ended')).toBeVisible();
}

/** The certificate of the erasure as JSON, whose hash holds, and as PDF. */
async function readCertificates(page: Page, client: number, name: string): Promise<void> {
  // The job begins within a minute.
  const certificate = page.getByRole('dialog', { name: /^Erasure of/ }).getByRole('button', { name: 'Certificate (JSON)' });
  await expect(certificate).toBeVisible({ timeout: 200_000 });
  const [json] = await Promise.all([page.waitForEvent('download'), certificate.click()]);
  const { content, sha256 } = JSON.parse(await readFile(await json.path(), 'utf8'));
  expect(content).toMatchObject({ organisationId: client, clientName: name, reason: 'Contract ended' });
  expect(createHash('sha256').update(canonical(content)).digest('hex')).toBe(sha256);
  await expect(page.getByText(sha256)).toBeVisible();
  const [pdf] = await Promise.all([page.waitForEvent('download'), button(page, 'Certificate (PDF)').click()]);
  expect((await readFile(await pdf.path())).subarray(0, 5).toString()).toBe('%PDF-');
}

test('a host sets days, holds a client, and erases it with a second person', { tag: '@survey' }, async ({
  page,
  asPersona,
  browser,
}) => {
  test.setTimeout(400_000);
  const token = await ownTokenOf('host');
  const name = `Anemone ${Date.now().toString(36)}`;
  const client = await newClient(portal.url, token, 2, name, 'soc@anemone.example');
  await asPersona('host', `/apps/clientdetails/retention?client=${client}`, token);
  const second = await browser.newPage({ baseURL: portal.url });
  await keepToken(second, await signIn(portal.url, 'partnerAdmin'));

  await setDays(page);
  await holdAndRelease(page, second, client);
  await requestErasure(page, client, name);
  await second.goto('/apps/clientdetails/general?client=0');
  await button(second, `Erasure of ${name}`).click();
  await second.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.close();

  await readCertificates(page, client, name);
  await button(page, 'Close').click();
  await expect(page.getByRole('list', { name: 'Deactivated' })).toContainText(`Erased client ${client}`);
  expect(await verifyAudit(client)).toMatch(/^intact .*, content of \d+ erased/);
});
