/** An incident of Microsoft Defender XDR and its case, both ways, with a permission that is missing at first. */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { ConnectionKind } from '@parapet/contract/connections.ts';
import type { Page } from '@playwright/test';
import { casesOf, getJson } from './api.ts';
import { newClient } from './clients.ts';
import { closeCase } from './closing.ts';
import { expect, ownTokenOf, portal, test } from './fixtures.ts';

/** The portal reads incidents every minute. */
const untilRead = { timeout: 150_000 };

interface Incident {
  id: string;
  displayName: string;
  status: string;
  classification: string;
}

/** People at the simulated vendor. */
async function microsoft(host: string) {
  const { results } = await getJson<{ results: ConnectionKind[] }>(portal.url, host, '/connectionkinds');
  const { api, login, tenant, client, secret } = results.find(({ id }) => id === 'defenderxdr')!.example as Record<
    string,
    string
  >;
  const form = { grant_type: 'client_credentials', client_id: client!, client_secret: secret!, scope: `${api}/.default` };
  const signedIn = await fetch(`${login}/${tenant}/oauth2/v2.0/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const send = (method: string, path: string, body?: object) =>
    fetch(`${api}/v1.0/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const path = (id: string) => `security/incidents/${id}`;
  return {
    read: async (id: string) => (await (await send('GET', path(id))).json()) as Incident,
    set: async (id: string, body: Partial<Incident>) => expect((await send('PATCH', path(id), body)).status).toBe(200),
    /** Gives or revokes the permission to change incidents. */
    consent: async (isGiven: boolean) =>
      expect((await send(isGiven ? 'POST' : 'DELETE', 'servicePrincipals/portal/appRoleAssignments')).ok).toBe(true),
  };
}

async function addConnection(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Microsoft Defender XDR' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Microsoft Defender XDR' });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('combobox', { name: 'Incident sync' }).click();
  await page.getByRole('option', { name: 'Both ways' }).click();
  await expect(dialog.getByText('permissions SecurityIncident.ReadWrite.All')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add connection' }).click();
}

test('an incident is resolved by its case and reopens it, once the permission is given', { tag: '@survey' }, async ({
  asPersona,
}) => {
  test.setTimeout(600_000);
  const host = await ownTokenOf('host');
  const name = `Reef incidents ${Date.now().toString(36)}`;
  const client = await newClient(portal.url, host, 3, name, 'soc@reef.example');
  const vendor = await microsoft(host);
  await vendor.consent(false);

  const page = await asPersona('host', `/apps/devices?client=${client}&tab=connections`);
  await addConnection(page, name);
  const connection = page.getByRole('listitem', { name });
  await expect(connection.getByText('Both ways')).toBeVisible();

  let found: CaseRow | undefined;
  await expect.poll(async () => (found = (await casesOf(portal.url, host, client))[0]), untilRead).toBeDefined();
  await page.goto(`/apps/case/${found!.id}`);
  const panel = page.getByRole('region', { name: 'Vendor incidents' });
  await expect(async () => {
    await page.reload();
    await expect(panel.getByRole('link')).toBeVisible({ timeout: 4_000 });
  }).toPass(untilRead);
  const link = await panel.getByRole('link').getAttribute('href');
  const incident = /^https:\/\/security\.microsoft\.com\/incidents\/(\d+)\?/.exec(link!)![1]!;
  await closeCase(page, 'False positive', 'The proxy blocked the page.');

  await page.goto(`/apps/devices?client=${client}&tab=connections`);
  await expect(connection.getByText(/needs the application permission SecurityIncident\.ReadWrite\.All/)).toBeVisible(untilRead);
  expect((await vendor.read(incident)).status).not.toBe('resolved');
  await vendor.consent(true);
  await connection.getByRole('button', { name: `Incident sync of ${name}` }).click();
  await page
    .getByRole('dialog', { name: `Incident sync of ${name}` })
    .getByRole('button', { name: 'Save' })
    .click();
  await expect
    .poll(() => vendor.read(incident), untilRead)
    .toMatchObject({ status: 'resolved', classification: 'falsePositive' });
  await expect(connection.getByText(/needs the application permission/)).toBeHidden(untilRead);

  await page.goto(`/apps/case/${found!.id}`);
  await expect(panel.getByText('Resolved')).toBeVisible(untilRead);
  await expect(panel.getByText('False positive')).toBeVisible();
  await vendor.set(incident, { status: 'active' });
  await expect(page.getByRole('button', { name: 'Status: Investigating' })).toBeVisible(untilRead);
  await expect(panel.getByText('Active')).toBeVisible(untilRead);

  await page.goto(`/apps/devices?client=${client}&tab=connections`);
  await connection.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this connection?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(connection).toBeHidden();
});
