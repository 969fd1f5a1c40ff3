/** Organisations: a new partner with its brand and client, the details tabs, ingest keys and read-only access. */
import type { Page } from '@playwright/test';
import { expect, ownTokenOf, portal, test } from './fixtures.ts';

const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const unique = () => Date.now().toString(36);
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

test.describe('a new partner', () => {
  test.describe.configure({ mode: 'serial' });

  const sub = `reef${unique()}`;
  const partner = `Reef ${sub}`;
  const client = `Anemone ${sub}`;
  let token: string;
  let brandPath: string;
  test.beforeAll(async () => {
    token = await ownTokenOf('host');
  });

  test('a host creates a partner with its brand, which guests see at its sub-domain', async ({ page, asPersona, browser }) => {
    await asPersona('host', '/apps/clientdetails/general?client=0', token);
    await expect(page.getByRole('heading', { name: 'Choose a client' })).toBeVisible();
    await page.getByRole('link', { name: 'New client' }).click();
    await page.getByRole('radio', { name: 'Partner', exact: true }).check();
    await page.getByRole('button', { name: 'Create partner' }).click();
    await expect(page.getByRole('textbox', { name: 'Sub-domain' })).toHaveAccessibleDescription('Please fill in this field.');
    await page.getByRole('textbox', { name: 'Sub-domain' }).fill(sub);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(partner);
    await page.getByRole('button', { name: 'Create partner' }).click();
    await expect(page).toHaveURL(/\/apps\/clientdetails\/branding\?client=\d+$/);
    brandPath = page.url();
    await expect(page.getByRole('heading', { name: partner, level: 1 })).toBeVisible();

    // An invalid accent is rejected before submission.
    const accent = page.getByRole('textbox', { name: 'Accent on light themes', exact: true });
    await accent.fill('#ffee00');
    await expect(page.getByRole('group', { name: 'Accent on light themes: preview' })).toContainText('Too low to be readable');
    await save(page);
    await expect(accent).toHaveAccessibleDescription(/at least 4\.5:1 is needed/);
    await accent.fill('#8a1f5c');
    await page.getByRole('textbox', { name: 'Browser tab title' }).fill(`${partner} watch`);
    await save(page);
    await expectToast(page, 'Branding saved');

    const guest = await browser.newPage();
    await guest.goto(`http://${sub}.localhost:${new URL(portal.url).port}/login`);
    await expect(guest).toHaveTitle(new RegExp(partner));
    await expect(guest.getByText(partner).first()).toBeVisible();
    await expect(guest.locator('body')).not.toContainText('Parapet');
    await guest.close();
  });

  test('a host creates a client of the partner, which is audited', async ({ page, asPersona }) => {
    await asPersona('host', brandPath, token);
    await page.getByRole('link', { name: 'New client' }).click();
    await expect(page.getByRole('combobox', { name: 'Partner' })).toHaveText(partner);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(client);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Create client' }).click();
    await expect(page.getByRole('heading', { name: client, level: 1 })).toBeVisible();
    await expect(page.getByText(`Client of ${partner}`)).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Client', exact: true })).toHaveValue(client);

    await page.goto(`/apps/audit?client=0&timeframe=thisWeek&text=${sub}`);
    const entries = page.getByRole('grid', { name: 'Audit log' }).getByRole('row');
    await expect(entries.nth(1)).toBeVisible();
    await entries.nth(1).click();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Changes' })).toBeVisible();
  });

  test('a host deactivates the partner and its client, which can be reactivated', async ({ page, asPersona }) => {
    await asPersona('host', '/apps/clientdetails/general?client=0', token);
    const deactivate = async (name: string) => {
      await page.getByRole('searchbox', { name: 'Search clients' }).fill(name);
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('button', { name: 'Deactivate' }).click();
      const sure = page.getByRole('dialog', { name: `Deactivate ${name}?` });
      await expect(sure).toContainText('All data is kept');
      await sure.getByRole('button', { name: 'Yes' }).click();
      await expect(page.getByRole('button', { name: `Reactivate ${name}` })).toBeVisible();
    };
    await deactivate(client);
    await page.getByRole('button', { name: `Reactivate ${client}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
    await expect(page.getByRole('link', { name: client, exact: true })).toBeVisible();
    await deactivate(client);
    await deactivate(partner);
  });
});

test('each tab saves separately', async ({ page, asPersona }) => {
  const name = `Contact ${unique()}`;
  await asPersona('clientAdmin', '/apps/clientdetails/contacts', await ownTokenOf('clientAdmin'));
  await page.getByRole('button', { name: 'Add contact' }).click();
  const last = page.getByRole('listitem', { name: /^Contact \d/ }).last();
  await save(page);
  await expect(last.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription('Please fill in this field.');
  await last.getByRole('textbox', { name: 'Name' }).fill(name);
  await last.getByRole('textbox', { name: 'Phone number' }).fill('+1 202 555 0199');
  await save(page);
  await expectToast(page, 'Contacts saved');
  await page.reload();
  await expect(last.getByRole('textbox', { name: 'Name' })).toHaveValue(name);
  await last.getByRole('button', { name: /^Remove contact/ }).click();
  await save(page);
  await expectToast(page, 'Contacts saved');

  await page.getByRole('navigation', { name: 'Client details' }).getByRole('link', { name: 'Retention' }).click();
  await page.getByRole('spinbutton', { name: 'Alert retention (months)' }).fill('120');
  await save(page);
  await expect(page.getByRole('spinbutton', { name: 'Alert retention (months)' })).toHaveAccessibleDescription(
    /^Must be at most/,
  );
  await expect(
    page.getByText('Raw event retention is changed by the administrators of the partner and the provider.'),
  ).toBeVisible();
});

test('an ingest key is shown once and revoked', async ({ page, asPersona }) => {
  const name = `Log host ${unique()}`;
  await asPersona('clientAdmin', '/apps/clientdetails/ingest-keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const making = page.getByRole('dialog', { name: 'New ingest key' });
  await making.getByRole('textbox', { name: 'Key name' }).fill(name);
  await making.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Ingest key created' });
  const key = (await shown.getByRole('group', { name: 'Key', exact: true }).innerText()).trim();
  expect(key.length).toBeGreaterThan(20);
  await expect(shown.getByRole('group', { name: 'Configuration for rsyslog' })).toContainText(key);
  await page.keyboard.press('Escape');
  await expect(shown).toBeVisible();
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  const row = page.getByRole('listitem', { name });
  await expect(row).toContainText('Active');
  await expect(page.locator('body')).not.toContainText(key);
  await row.getByRole('button', { name: `Revoke ${name}` }).click();
  await page.getByRole('dialog', { name: 'Revoke the key?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(row).toContainText('Revoked');
});

test('a manager sees the read-only notice and no policy', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/clientdetails/general');
  await expect(page.getByText('Your role can read these details but not change them.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0);
  await expect(page.getByRole('group', { name: 'Name', exact: true })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveCount(0);
  await page.goto('/apps/clientdetails/sign-in');
  await expect(page.getByText('The sign-in policy is for administrators.')).toBeVisible();
  await page.goto('/apps/clientdetails/branding');
  await expect(page.getByText('Brands belong to partners.')).toBeVisible();
  await page.goto('/apps/clientdetails/create/general');
  await expect(page.getByText('You can’t create clients')).toBeVisible();
  await page.goto('/apps/clientdetails/nonsense');
  await expect(page).toHaveURL('/apps/clientdetails/general');
});

test('a claimed domain shows its record and stays unused until verified', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/clientdetails/branding?client=3', await ownTokenOf('host'));
  const own = page.getByRole('textbox', { name: 'Own domain' });
  await own.fill('github.io');
  await save(page);
  await expect(own).toHaveAccessibleDescription(/is a public suffix that many organisations share/);
  await own.fill('soc.summit.example');
  await save(page);
  await expectToast(page, 'Branding saved');

  const claim = page.getByRole('listitem', { name: 'soc.summit.example' });
  await expect(claim).toContainText('_portal-challenge.soc.summit.example');
  await expect(claim).toContainText(/portal-verification=[\w-]{43}/);
  await expect(claim).toContainText('links lead to the sub-domain');
  await expect(claim.getByRole('button', { name: 'Copy record value of soc.summit.example' })).toBeVisible();
  await claim.getByRole('button', { name: 'Check now: soc.summit.example' }).click();
  await expect(claim).toContainText('Unverified');
  await expect(claim).toContainText(/Result.*_portal-challenge\.soc\.summit\.example|cannot be reached/);
  await claim.getByRole('button', { name: 'Vouch for domain soc.summit.example' }).click();
  await expect(claim).toContainText('Vouched for by the Host');
  await expect(claim).toContainText('Used for the portal’s address and links');

  await own.fill('');
  await save(page);
  await expect(claim).toHaveCount(0);
});
