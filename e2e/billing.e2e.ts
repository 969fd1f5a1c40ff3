/** An administrator compares a month's counts with an agreement at a PSA, confirms one, and exports the same numbers. */
import { readFile } from 'node:fs/promises';
import type { BillingRow } from '@parapet/contract/billing.ts';
import { getJson, send } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

const partner = 3;
const mark = Date.now().toString(36);
/** Every client is counted within a minute of the start, a new one within the next. */
const untilCounted = { timeout: 150_000 };
const month = new Date().toISOString().slice(0, 7);

type Kinds = { results: { id: string; example: Record<string, string> }[] };
type Rows = { results: BillingRow[] };

const rowsOf = async (client: number): Promise<BillingRow[]> =>
  (await getJson<Rows>(portal.url, tokenOf('host'), `/billing/${client}?month=${month}`)).results;

/** As `send`, with another method. */
const change = (method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${portal.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${tokenOf('host')}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Sets the quantity of protected devices in the agreement of company 35 at the simulated ConnectWise. */
async function setQuantity(values: Record<string, string>, quantity: number): Promise<void> {
  const { site, company, publicKey, privateKey, clientId } = values as Record<string, string>;
  const authorization = `Basic ${Buffer.from(`${company}+${publicKey}:${privateKey}`).toString('base64')}`;
  const headers = { authorization, clientId: clientId! };
  const base = `${site}/v4_6_release/apis/3.0/finance/agreements`;
  const read = async (path: string) =>
    (await fetch(`${base}${path}`, { headers })).json() as Promise<{ id: number; description: string }[]>;
  const [agreement] = await read(`?conditions=${encodeURIComponent('company/id=35 and cancelledFlag=false')}`);
  const additions = await read(`/${agreement!.id}/additions`);
  const { id } = additions.find(({ description }) => description === 'Protected devices')!;
  const body = JSON.stringify([{ op: 'replace', path: 'quantity', value: quantity }]);
  expect((await fetch(`${base}/${agreement!.id}/additions/${id}`, { method: 'PATCH', headers, body })).status).toBe(200);
}

/** A target at the simulated ConnectWise whose company of the client is chosen. */
async function addTarget(client: number, quantity: number): Promise<{ id: number; name: string }> {
  const name = `ConnectWise ${mark}`;
  const { results } = await getJson<Kinds>(portal.url, tokenOf('host'), '/deliverytargetkinds');
  const values = results.find(({ id }) => id === 'connectwise')!.example;
  await setQuantity(values, quantity);
  const made = await send(portal.url, tokenOf('host'), `/deliverytargets/${partner}`, { kind: 'connectwise', name, values });
  expect(made.status, await made.clone().text()).toBe(200);
  const { id } = ((await made.json()) as { target: { id: number } }).target;
  const setup = { board: '1', type: '7', priorities: {}, statuses: {}, back: {}, fields: {} };
  const body = { setup, companies: [{ clientId: client, companyId: '35' }] };
  const saved = await change('PUT', `/deliverytargets/${partner}/${id}/ticketsetup`, body);
  expect(saved.status, await saved.clone().text()).toBe(200);
  return { id, name };
}

test('a count is compared with an agreement, confirmed, and accepted by the PSA', async ({ asPersona }) => {
  test.setTimeout(400_000);
  const counted = async () =>
    (await rowsOf(0)).find(({ clientOrganizationID: id, counts }) => id === 20 && (counts.devices ?? 0) > 0);
  // Clients are counted one after the other.
  await expect.poll(counted, untilCounted).toBeDefined();
  const row = (await counted())!;
  const { clientOrganizationID: client, clientOrganizationName: name, counts } = row;
  const target = await addTarget(client, (counts.devices ?? 0) + 2);

  const page = await asPersona('host', `/apps/billing?client=0&month=${month}`);
  await page.getByRole('link', { name }).click();
  const lines = page.getByRole('table', { name: 'Lines of the month' });
  await expect(lines.getByRole('row', { name: /^Servers/ })).toContainText(String(counts.servers));

  await expect(page.getByRole('button', { name: 'Choose items' })).toBeVisible();
  const psa = page.getByRole('combobox', { name: 'PSA' });
  if (await psa.isVisible()) {
    await psa.click();
    await page.getByRole('option', { name: target.name, exact: true }).click();
  }
  await page.getByRole('button', { name: 'Choose items' }).click();
  const dialog = page.getByRole('dialog', { name: 'Items at ConnectWise Manage' });
  await dialog.getByRole('combobox', { name: 'Protected devices' }).click();
  await page.getByRole('option', { name: /Managed security Reef Charter: Protected devices/ }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();

  const compared = page.getByRole('table', { name: 'Counts at ConnectWise Manage' });
  const line = compared.getByRole('row', { name: /Protected devices/ });
  await expect(line).toContainText('Managed security Reef Charter');
  await page.getByRole('button', { name: 'Write 1 quantity to ConnectWise Manage' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Write to ConnectWise Manage?' });
  await expect(confirmation).toContainText(`to ${counts.devices}`);
  await confirmation.getByRole('button', { name: 'Yes' }).click();
  await expect(line).toContainText(`${counts.devices}: Accepted`, { timeout: 60_000 });
  await expect(line).toContainText('None');

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  const csv = await readFile(await download.path(), 'utf8');
  const cells = [
    counts.devices,
    counts.servers,
    counts.workstations,
    counts.users ?? '',
    counts.mailboxes ?? '',
    counts.gigabytes,
  ];
  expect(csv).toContain(`"${name}","${row.level}","Open","Count",${cells.join(',')}`);

  await page.goto(`/apps/deliveries?client=${partner}&target=${target.id}`);
  await expect(page.getByText(`Protected devices of ${month}: ${counts.devices}`)).toBeVisible();
  expect((await change('DELETE', `/deliverytargets/${partner}/${target.id}`)).status).toBe(200);
});
