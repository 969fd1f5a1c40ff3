/** A client's administrator consents at the simulated Microsoft, events arrive, and a consent revoked there shows the source as blind. */
import type { Browser, Page } from '@playwright/test';
import { signIn } from './api.ts';
import { newClient } from './clients.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { mailsTo } from './mails.ts';

/** Tenant of Reef at the simulated Microsoft. */
const tenant = 'b94c2e17-63d8-4f0b-8a35-2f7d1e6c9a02';

/** The link of the newest invitation, with the address that the email has: its cookie belongs to that host. */
async function linkTo(email: string, count: number): Promise<string> {
  let links: string[] = [];
  await expect
    .poll(async () => {
      const mails = await mailsTo(email, '/connect/');
      links = mails.map((mail) => /https?:\/\/[^\s"<>]+\/connect\/[\w-]+/.exec(mail)?.[0] ?? '');
      return links.length;
    })
    .toBe(count);
  return links.at(-1)!;
}

async function startConsent(browser: Browser, link: string): Promise<Page> {
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(link);
  await expect(guest.getByRole('heading', { name: 'Connect Microsoft Entra ID', level: 1 })).toBeVisible();
  await expect(guest.getByRole('region', { name: 'Permissions' })).toContainText('AuditLog.Read.All');
  await guest.getByRole('button', { name: 'Continue to Microsoft' }).click();
  await expect(guest.getByRole('heading', { name: 'Pick an account' })).toBeVisible();
  return guest;
}

async function grant(guest: Page): Promise<void> {
  await guest.getByRole('link', { name: /Reef Administrator/ }).click();
  await guest.getByRole('link', { name: 'Accept' }).click();
  await expect(guest.getByRole('heading', { name: 'Connected' })).toBeVisible();
}

async function invite(page: Page, name: string, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Add connection' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Microsoft Entra ID' }).click();
  await page.getByRole('button', { name: 'Ask for consent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite to connect Microsoft Entra ID' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('textbox', { name: 'Tenant ID' }).fill(tenant);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog).toBeHidden();
}

async function revoke(guest: Page, microsoft: string): Promise<void> {
  await guest.goto(microsoft);
  await guest.getByRole('button', { name: /reef\.example/ }).click();
  await expect(guest.getByRole('button', { name: /reef\.example/ })).toBeHidden();
}

test('a partner invites, an administrator consents, and a revoked consent shows the source as blind', async ({
  asPersona,
  browser,
}) => {
  test.setTimeout(180_000);
  const unique = Date.now().toString(36);
  const [name, email] = [`Entra ${unique}`, `it-${unique}@reef.example`];
  const client = await newClient(portal.url, tokenOf('host'), 3, `Reef ${unique}`, `soc-${unique}@reef.example`);
  const partner = await signIn(portal.url, 'otherPartnerAdmin');
  const page = await asPersona('host', `/apps/devices?client=${client}&tab=connections`, partner);

  await invite(page, name, email);

  const guest = await startConsent(browser, await linkTo(email, 1));
  await expect(guest.getByRole('link', { name: /Alder/ })).toHaveCount(0);
  const microsoft = new URL(guest.url()).origin;
  await guest.getByRole('link', { name: 'Cancel' }).click();
  await expect(guest.getByText('The sign-in or the consent was cancelled at Microsoft.')).toBeVisible();
  await guest.getByRole('link', { name: 'Start again' }).click();
  await guest.getByRole('button', { name: 'Continue to Microsoft' }).click();
  await grant(guest);
  await guest.goBack();
  await page.reload();
  const connection = page.getByRole('listitem', { name, exact: true });
  await expect(connection.getByText('Receiving')).toBeVisible();
  await expect(connection.getByText('admin@reef.example')).toBeVisible();
  await connection.getByRole('link').click();
  await expect(page.getByRole('heading', { name: new RegExp(tenant) }).first()).toBeVisible();

  await revoke(guest, microsoft);
  await page.goto(`/apps/devices?client=${client}&tab=connections`);
  await connection.getByRole('button', { name: `Pause ${name}` }).click();
  await connection.getByRole('button', { name: `Resume ${name}` }).click();
  await expect(connection.getByText('Stopped: access refused')).toBeVisible();
  await expect(connection.getByText(/AADSTS7000229/)).toBeVisible();
  await page.goto(`/apps/devices?client=${client}&state=silent`);
  await expect(page.getByText(`Microsoft Entra ID (${tenant})`).first()).toBeVisible();
  await page.goto(`/apps/alerts?client=${client}&timeframe=last24Hours&text=connection`);
  await expect(page.getByText('Connection to a Vendor Stopped').first()).toBeVisible();

  await page.goto(`/apps/devices?client=${client}&tab=connections`);
  await connection.getByRole('button', { name: `Ask for consent to ${name} again` }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite to connect Microsoft Entra ID' });
  await expect(dialog.getByRole('textbox', { name: 'Tenant ID' })).toHaveValue(tenant);
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog).toBeHidden();
  const again = await startConsent(browser, await linkTo(email, 2));
  await grant(again);
  await page.reload();
  await expect(connection.getByText('Receiving')).toBeVisible();
  await guest.context().close();
  await again.context().close();
});
