/**
 * Each kind of connection from its form, or the consent of its administrator, to events, alert, case and approved response; and revoked consents. The
 * devices and accounts are those of the simulated vendors.
 */
import type { AlertRow } from '@parapet/contract/alerts.ts';
import type { Browser, Page } from '@playwright/test';
import { alertOf, alertsOf, send, signIn } from './api.ts';
import { newClient } from './clients.ts';
import { grant, invite, linkTo, revoke, startConsent } from './consents.ts';
import { expect, keepToken, ownTokenOf, portal, test } from './fixtures.ts';

interface Kind {
  title: string;
  /** Of the intrusion that the vendor has. */
  alert: string;
  response?: { action: 'isolate' | 'blockUser'; target: string; done: string };
}

const byForm: readonly Kind[] = [
  { title: 'AWS CloudTrail', alert: 'AWS CloudTrail Stopped or Deleted' },
  { title: 'AWS GuardDuty', alert: 'AWS Credentials of a Machine Used Elsewhere' },
  { title: 'GitHub', alert: 'GitHub Two-Factor Requirement Switched Off' },
  {
    title: 'CrowdStrike Falcon',
    alert: 'Files Encrypted in Bulk, Found by CrowdStrike Falcon',
    response: { action: 'isolate', target: 'BIRCH-W11-01', done: 'the host’s status is contained' },
  },
  {
    title: 'SentinelOne',
    alert: 'Ransomware Found by SentinelOne',
    response: { action: 'isolate', target: 'CEDAR-MB-01', done: 'the agent’s network status is disconnected' },
  },
  {
    title: 'Google Workspace',
    alert: 'Google Domain-Wide Delegation Granted',
    response: { action: 'blockUser', target: 'mara.lindt@alder.example', done: 'the account is suspended' },
  },
  {
    title: 'Okta',
    alert: 'Identity Provider Added to Okta',
    response: { action: 'blockUser', target: 'mara.lindt@alder.example', done: 'the account’s status is SUSPENDED' },
  },
];
const byConsent: readonly Kind[] = [
  { title: 'Microsoft 365', alert: 'Inbox Rule Forwards or Hides Mail' },
  { title: 'Microsoft Defender XDR', alert: 'Malicious Link Clicked, Found by Microsoft Defender XDR' },
  {
    title: 'Microsoft Defender for Endpoint',
    alert: 'Ransomware Activity Found by Defender for Endpoint',
    response: { action: 'isolate', target: 'alder-w11-01.alder.example', done: 'Isolate Succeeded' },
  },
  {
    title: 'Microsoft Entra ID',
    alert: 'High-Risk Sign-In Succeeded',
    response: { action: 'blockUser', target: 'mara.lindt@alder.example', done: 'account disabled' },
  },
];
/** Tenant of Kelp at the simulated Microsoft; that of Reef consents in `consent.e2e.ts`. */
const kelp = { tenant: '5e0d7a3b-91c6-4e28-b7f4-0c8a6d2f1b93', administrator: 'Kelp Administrator', domain: 'kelp.example' };
const untilRead = { timeout: 90_000 };

/** A client whose partner approves every response. */
async function aClient(host: string, name: string): Promise<number> {
  const client = await newClient(portal.url, host, 3, `Reef ${name}`, 'soc@reef.example');
  const rule = { action: null, deviceType: null, hours: 'always', approvers: 'partner' };
  expect((await send(portal.url, host, `/approvalrules/${client}`, rule)).status).toBe(200);
  return client;
}

/** Waits for the case of the kind's alert, and opens it. */
async function openCase(page: Page, host: string, client: number, { alert }: Kind): Promise<void> {
  let found: AlertRow | undefined;
  const caseOf = async () => {
    found = (await alertsOf(portal.url, host, client)).find(({ rule }) => rule === alert);
    return found && (await alertOf(portal.url, host, found.id)).caseID;
  };
  await expect.poll(caseOf, untilRead).toEqual(expect.any(Number));
  await page.goto(`/apps/case/${await caseOf()}?tab=alerts`);
  await expect(page.getByText(alert).first()).toBeVisible();
}

/** A Host requests the response, and the partner's administrator approves it. */
async function respond(page: Page, browser: Browser, client: number, { action, target, done }: NonNullable<Kind['response']>) {
  await page.goto(`/apps/response?client=${client}&new=1&ask=${action}&target=${encodeURIComponent(target)}`);
  const dialog = page.getByRole('dialog', { name: 'Request response' });
  await dialog.getByRole('button', { name: 'Request response', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  const panel = page.getByRole('complementary', { name: /^Response \d+/ });
  await expect(panel).toContainText('Waiting for approval');
  const id = Number(/peek=(\d+)/.exec(page.url())?.[1]);
  const partner = await (await browser.newContext()).newPage();
  await keepToken(partner, await signIn(portal.url, 'otherPartnerAdmin'));
  await partner.goto(`${portal.url}/apps/response/${id}`);
  await partner.getByRole('button', { name: 'Approve' }).click();
  await partner.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expect(partner.getByRole('article')).toContainText('Verified', untilRead);
  await expect(partner.getByRole('article')).toContainText(done);
  await partner.context().close();
}

for (const kind of byForm)
  test(`${kind.title} is added by its form, and its events become a case`, async ({ asPersona, browser }) => {
    test.setTimeout(240_000);
    const name = `${kind.title} ${Date.now().toString(36)}`;
    const host = await ownTokenOf('host');
    const client = await aClient(host, name);
    const page = await asPersona('host', `/apps/devices?client=${client}&tab=connections`, host);
    await page.getByRole('button', { name: 'Add connection' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: kind.title, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `Connect ${kind.title}` });
    await dialog.getByRole('button', { name: 'Fill in' }).click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    if (kind.response) await dialog.getByRole('checkbox', { name: 'Allow responses' }).check();
    await dialog.getByRole('button', { name: 'Add connection' }).click();
    await expect(page.getByRole('listitem', { name }).getByText('Receiving')).toBeVisible(untilRead);
    await openCase(page, host, client, kind);
    if (kind.response) await respond(page, browser, client, kind.response);
  });

test.describe
  .serial('by consent', () => {
    const mark = Date.now().toString(36);
    let host: string;
    let client: number;
    let microsoft: string;
    test.beforeAll(async () => {
      host = await ownTokenOf('host');
      client = await aClient(host, mark);
    });

    for (const [place, kind] of byConsent.entries())
      test(`${kind.title} is consented to, and its events become a case`, async ({ asPersona, browser }) => {
        test.setTimeout(240_000);
        const [name, email] = [`${kind.title} ${mark}`, `it-${mark}@kelp.example`];
        const page = await asPersona('host', `/apps/devices?client=${client}&tab=connections`, host);
        await invite(page, kind.title, { name, email, tenant: kelp.tenant });
        const guest = await startConsent(browser, await linkTo(email, place + 1), kind.title);
        microsoft = new URL(guest.url()).origin;
        await grant(guest, kelp.administrator);
        await guest.context().close();
        await page.reload();
        await expect(page.getByRole('listitem', { name, exact: true }).getByText('Receiving')).toBeVisible(untilRead);
        if (kind.response) {
          await page.getByRole('button', { name: `Allow responses by ${name}` }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
          await expect(page.getByRole('button', { name: `Forbid responses by ${name}` })).toBeVisible();
        }
        await openCase(page, host, client, kind);
        if (kind.response) await respond(page, browser, client, kind.response);
      });

    test('a revoked consent shows each source as blind', async ({ asPersona, browser }) => {
      test.setTimeout(240_000);
      const page = await asPersona('host', `/apps/devices?client=${client}&tab=connections`, host);
      const guest = await (await browser.newContext()).newPage();
      await revoke(guest, microsoft, kelp.domain);
      await guest.context().close();
      for (const { title } of byConsent) {
        const connection = page.getByRole('listitem', { name: `${title} ${mark}`, exact: true });
        // One that was read since has stopped already.
        const pause = connection.getByRole('button', { name: `Pause ${title} ${mark}` });
        await expect(connection.getByRole('button', { name: /^(Pause|Resume) / })).toBeVisible();
        if (await pause.isVisible()) {
          await pause.click();
          await connection.getByRole('button', { name: `Resume ${title} ${mark}` }).click();
        }
        await expect(connection.getByText('Stopped: access refused')).toBeVisible(untilRead);
      }
      await page.goto(`/apps/devices?client=${client}&state=silent`);
      for (const { title } of byConsent) await expect(page.getByText(`${title} (${kelp.tenant})`).first()).toBeVisible();
    });
  });
