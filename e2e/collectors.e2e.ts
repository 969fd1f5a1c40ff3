/** Collector configurations: edited in a form or as text, validated, versioned and downloaded; a real rsyslog runs one of them. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, portal, test } from './fixtures.ts';
import { isPageIdle } from './idle.ts';
import { startRsyslogWith, syslogTime } from './rsyslog.ts';

const expectToast = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const title = (page: Page, name: string) => expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
const save = async (page: Page, why: string) => {
  await page.getByRole('button', { name: 'Save version' }).click();
  await page.getByRole('textbox', { name: 'Change description' }).fill(why);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, /Version \d+ saved/);
};
/** Replaces the editor’s text. */
const write = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: /^Configuration of/ }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
};

test('an administrator sets up rsyslog from Settings, and its host appears as a device', async ({ asPersona }) => {
  const page = await asPersona('clientAdmin', '/apps/settings?tab=administration');
  await page.getByRole('link', { name: 'Collectors' }).click();
  await title(page, 'Collection');
  await page.getByRole('navigation', { name: 'Collectors' }).getByRole('link', { name: 'rsyslog' }).click();
  await title(page, 'rsyslog');

  await page.getByRole('button', { name: 'Add a file' }).click();
  await page.getByRole('menuitem', { name: 'File' }).click();
  const item = page.getByRole('listitem', { name: 'nginx' }).last();
  await item.getByRole('textbox', { name: 'Path' }).fill('/var/log/e2e "quoted"');
  await expect(item.getByText('Write a path from the root', { exact: false })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save version' })).toBeDisabled();
  await item.getByRole('textbox', { name: 'Path' }).fill('/var/log/nginx/access.log');
  await save(page, 'The web server’s log');

  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByRole('textbox', { name: 'Key name' }).fill('journey');
  await page.getByRole('button', { name: 'Generate file' }).click();
  const dialog = page.getByRole('dialog', { name: '90-portal.conf' });
  await expect(dialog).toContainText('won’t be shown again');
  const downloading = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save file' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('90-portal.conf');
  const file = await readFile(await download.path(), 'utf8');
  expect(file).toContain('File="/var/log/nginx/access.log" Tag="nginx:"');
  await dialog.getByRole('button', { name: 'Close' }).click();

  // The host fetches the same file unattended with its key.
  const key = /pwd="(pk_[^"]+)"/.exec(file)?.[1] ?? '';
  const fetched = await fetch(`${portal.url}/ingest/config/rsyslog`, { headers: { authorization: `ApiKey ${key}` } });
  expect(await fetched.text()).toBe(file);

  const host = `configured-${Date.now().toString(36)}`;
  const rsyslog = await startRsyslogWith(file);
  try {
    await rsyslog.log([`<38>${syslogTime(new Date())} ${host} sshd[4711]: Server listening on 0.0.0.0 port 22.`]);
    await expect(async () => {
      await page.goto(`/apps/devices?text=${host}`);
      await expect(page.getByRole('row').filter({ hasText: host })).toBeVisible({ timeout: 10_000 });
    }).toPass({ timeout: 60_000 });
  } finally {
    await rsyslog.stop();
  }
});

test('a host edits Filebeat as form and text, sees an error at its line, and compares and restores versions', async ({
  asPersona,
}) => {
  const page = await asPersona('host', '/apps/filebeatconfig/11');
  await title(page, 'Filebeat');
  const input = page.getByRole('listitem', { name: 'filestream · system' });
  await input.getByRole('textbox', { name: 'Paths' }).fill('/var/log/auth.log\n/var/log/journey.log\n');
  await page.getByRole('link', { name: 'Text' }).click();
  const editor = page.getByRole('textbox', { name: 'Configuration of Filebeat' });
  await expect(editor).toContainText('/var/log/journey.log');
  await expect(editor).toContainText('# Sign-ins, sudo, services');
  await save(page, 'One more file');

  await write(page, 'filebeat.inputs:\n  - type: filestream\n    id: a\n    paths: /var/log/a\nprocesors: []\n');
  const problems = page.getByRole('list', { name: 'Problems' });
  await expect(problems).toContainText('There is no documented setting "procesors" here. Is it "processors"?');
  await expect(page.getByRole('button', { name: 'Save version' })).toBeDisabled();
  await problems.getByRole('button', { name: 'Line 5' }).click();
  await expect(editor).toBeFocused();
  await write(page, 'filebeat.inputs:\n  - type: filestream\n    id: a\n    paths: [/var/log/a]\n');
  await expect(problems).toHaveCount(0);
  await save(page, 'Rewritten');

  // Leaving with unsaved changes prompts for confirmation.
  await write(page, 'name: unsaved\n');
  await page.getByRole('navigation', { name: 'Collectors' }).getByRole('link', { name: 'Packetbeat' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'No' }).click();
  await page.getByRole('button', { name: 'Undo changes' }).click();

  await page.getByRole('link', { name: 'Versions', exact: true }).click();
  const versions = page.getByRole('list', { name: 'Versions' });
  await versions.getByRole('link', { name: /One more file/ }).click();
  await expect(page.getByRole('list', { name: /^Difference between/ })).toContainText('/var/log/journey.log');
  const url = page.url();
  expect(url).toMatch(/tab=versions&version=\d+/);
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Save as version/ })
    .click();
  await expectToast(page, /Version \d+ saved/);
  await expect(versions.getByRole('link').first()).toContainText('Restored version');
  await page.getByRole('link', { name: 'Text' }).click();
  await expect(editor).toContainText('/var/log/journey.log');
});

test('concurrent editors keep their changes: the later one sees both versions', async ({ asPersona, browser }) => {
  const page = await asPersona('host', '/apps/winlogbeatconfig/11?tab=text');
  await title(page, 'Winlogbeat');
  await write(page, 'name: mine\n');
  const context = await browser.newContext({ baseURL: portal.url, storageState: await page.context().storageState() });
  const other = await context.newPage();
  await other.goto('/apps/winlogbeatconfig/11?tab=text');
  await write(other, 'name: theirs\n');
  await save(other, 'Theirs');
  await context.close();

  await page.getByRole('button', { name: 'Save version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, /was saved since you opened it/);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Keep my changes' }).click();
  await page.getByRole('button', { name: 'Save version' }).click();
  await expect(page.getByRole('list', { name: 'Changes' })).toContainText('name: theirs');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, /Version \d+ saved/);
});

test('a manager without permission sees the reason', async ({ asPersona }) => {
  const manager = await asPersona('manager', '/apps/packetbeatconfig');
  await expect(manager.getByText('Only administrators can configure collectors')).toBeVisible();
  await isPageIdle(manager);
});

test('a host with All selected chooses a client', async ({ asPersona }) => {
  const host = await asPersona('host', '/apps/auditbitconfig/0');
  await host.getByRole('list', { name: 'Clients' }).getByRole('link', { name: 'Alder Manufacturing' }).click();
  await title(host, 'Auditbeat');
  await expect(host).toHaveURL(/\/apps\/auditbitconfig\/10/);
  await expect(host.getByRole('listitem', { name: 'auditd' })).toBeVisible();
});
