/**
 * The real agent in a sandbox: enrolled with a token from the page, it ships an attack; its host is isolated from the resulting
 * case and released. The displayed state is compared with the packets that pass.
 */

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { Page } from '@playwright/test';
import { buildAgentWhenNeeded } from '../tools/build-agent.ts';
import { type AgentSandbox, createAgentSandbox, sandboxUnavailableReason } from './agent.ts';
import { casesOf, send } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { syslogTime } from './rsyslog.ts';

/** Summit’s Elm School District: quiet enough that the case contains this host only. */
const client = 21;
const reason = sandboxUnavailableReason();
const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();

async function caseOf(host: string): Promise<CaseRow | undefined> {
  const found = await casesOf(portal.url, tokenOf('host'), client, Date.now() - 3_600_000);
  return found.find((row) => JSON.stringify(row).includes(host));
}

async function createToken(page: Page, host: string): Promise<string> {
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Token name' }).fill(host);
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog).toContainText('install.sh');
  const token = /pe_[\w-]{20,}/.exec((await dialog.textContent()) ?? '')?.[0] ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  return token;
}

/** Isolates the host on the page of its case and releases it, compared with the packets that pass. */
async function isolateAndRelease(page: Page, host: string, lab: AgentSandbox): Promise<void> {
  const ledger = page.getByRole('list', { name: 'Responses' });
  await page
    .getByRole('button', { name: `Isolate ${host}` })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Device has been successfully isolated');
  await expect(ledger).toContainText('Verified');
  expect(await lab.reachesThird()).toBe(false);
  expect(await lab.isReachedByThird()).toBe(false);

  await page
    .getByRole('button', { name: `Unisolate ${host}` })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, 'Device has been successfully unisolated');
  await expect.poll(() => lab.reachesThird()).toBe(true);
  expect(await lab.isReachedByThird()).toBe(true);
}

test('a host with the agent is attacked, isolated from its case and released', async ({ asPersona }) => {
  test.skip(reason !== undefined, reason);
  test.setTimeout(180_000);
  await buildAgentWhenNeeded();
  const host = `lab-${Date.now().toString(36)}`;
  const page = await asPersona('host', `/apps/agents?client=${client}&tab=install`);
  const token = await createToken(page, host);

  const lab = await createAgentSandbox(Number(new URL(portal.url).port));
  try {
    const log = join(lab.folder, 'log', 'auth.log');
    writeFileSync(log, '');
    const words = ['--server', lab.url, '--allow-http', '--token', token, '--no-journal', '--file', log, '--name', host];
    expect(await lab.agent('enrol', ...words)).toMatchObject({ status: 0, stderr: '' });
    const agent = lab.startAgent();

    await page.goto(`/apps/agents?client=${client}&text=${host}`);
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole('row').filter({ hasText: host })).toContainText('Online', { timeout: 10_000 });
    }, agent.output()).toPass({ timeout: 60_000 });

    appendFileSync(
      log,
      `${syslogTime(new Date())} ${host} sudo:  mallory : TTY=pts/0 ; PWD=/home/mallory ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow\n`,
    );
    await expect.poll(async () => (await caseOf(host))?.id, { timeout: 60_000, message: agent.output() }).toBeDefined();
    const found = (await caseOf(host))!;
    // Isolating a server requires a second approver by default.
    await send(portal.url, tokenOf('host'), `/approvalrules/${client}`, {
      action: 'isolate',
      deviceType: 'server',
      hours: 'always',
      approvers: 'nobody',
    });
    expect(await lab.reachesThird()).toBe(true);

    await page.goto(`/apps/case/${found.id}?client=${client}`);
    await isolateAndRelease(page, host, lab);
  } finally {
    await lab.close();
  }
});
