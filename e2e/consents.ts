/** Consent of a client's administrator at the simulated Microsoft, by the link of an invitation. */
import type { Browser, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { mailsTo } from './mails.ts';

/** The link of the newest invitation, with the address that the email has: its cookie belongs to that host. */
export async function linkTo(email: string, count: number): Promise<string> {
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

/** Opens an invitation up to the choice of an account at Microsoft. */
export async function startConsent(browser: Browser, link: string, title: string): Promise<Page> {
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(link);
  await expect(guest.getByRole('heading', { name: `Connect ${title}`, level: 1 })).toBeVisible();
  await expect(guest.getByRole('region', { name: 'Permissions' })).toContainText('.Read');
  await guest.getByRole('button', { name: 'Continue to Microsoft' }).click();
  await expect(guest.getByRole('heading', { name: 'Pick an account' })).toBeVisible();
  return guest;
}

export async function grant(guest: Page, administrator: string): Promise<void> {
  await guest.getByRole('link', { name: administrator }).click();
  await guest.getByRole('link', { name: 'Accept' }).click();
  await expect(guest.getByRole('heading', { name: 'Connected' })).toBeVisible();
}

export async function invite(page: Page, title: string, values: { name: string; email: string; tenant: string }): Promise<void> {
  await page.getByRole('button', { name: 'Add connection' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: title, exact: true }).click();
  await page.getByRole('button', { name: 'Ask for consent' }).click();
  const dialog = page.getByRole('dialog', { name: `Invite to connect ${title}` });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(values.name);
  await dialog.getByRole('textbox', { name: 'Email' }).fill(values.email);
  await dialog.getByRole('textbox', { name: 'Tenant ID' }).fill(values.tenant);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog).toBeHidden();
}

/** Revokes every permission of the tenant, as an administrator does in the Entra admin center. */
export async function revoke(guest: Page, microsoft: string, domain: string): Promise<void> {
  await guest.goto(microsoft);
  await guest.getByRole('button', { name: domain }).click();
  await expect(guest.getByRole('button', { name: domain })).toBeHidden();
}
