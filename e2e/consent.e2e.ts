/** A client's administrator consents at the simulated Microsoft, events arrive, and a consent revoked there shows the source as blind. */
import { signIn } from './api.ts';
import { newClient } from './clients.ts';
import { grant, invite, linkTo, revoke, startConsent } from './consents.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

const title = 'Microsoft Entra ID';
/** Tenant of Reef at the simulated Microsoft. */
const tenant = 'b94c2e17-63d8-4f0b-8a35-2f7d1e6c9a02';

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

  await invite(page, title, { name, email, tenant });

  const guest = await startConsent(browser, await linkTo(email, 1), title);
  await expect(guest.getByRole('link', { name: /Alder/ })).toHaveCount(0);
  const microsoft = new URL(guest.url()).origin;
  await guest.getByRole('link', { name: 'Cancel' }).click();
  await expect(guest.getByText('The sign-in or the consent was cancelled at Microsoft.')).toBeVisible();
  await guest.getByRole('link', { name: 'Start again' }).click();
  await guest.getByRole('button', { name: 'Continue to Microsoft' }).click();
  await grant(guest, 'Reef Administrator');
  await guest.goBack();
  await page.reload();
  const connection = page.getByRole('listitem', { name, exact: true });
  await expect(connection.getByText('Receiving')).toBeVisible();
  await expect(connection.getByText('admin@reef.example')).toBeVisible();
  await connection.getByRole('link').click();
  await expect(page.getByRole('heading', { name: new RegExp(tenant) }).first()).toBeVisible();

  await revoke(guest, microsoft, 'reef.example');
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
  const again = await startConsent(browser, await linkTo(email, 2), title);
  await grant(again, 'Reef Administrator');
  await page.reload();
  await expect(connection.getByText('Receiving')).toBeVisible();
  await guest.context().close();
  await again.context().close();
});
