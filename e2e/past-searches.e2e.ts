/** Searches of the past: an imported list is searched for in stored events, and each reader sees the finds of own clients. */

import { eventsWith } from './api.ts';
import { expect, test, tokenOf, portal as world } from './fixtures.ts';
import { ingestKey } from './portal.ts';

const alder = 10;

test('an imported indicator is found in the past, with what could not be searched, by staff and by the client', async ({
  page,
  asPersona,
}) => {
  const domain = `past-${Date.now().toString(36)}.example`;
  const at = new Date(Date.now() - 20 * 60_000).toISOString();
  const document = { '@timestamp': at, host: { name: 'ALD-WS-PAST' }, dns: { question: { name: domain } }, message: 'DNS query' };
  const answer = await fetch(`${world.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${await ingestKey(world, alder)}`, 'content-type': 'application/x-ndjson' },
    body: `{"create":{"_index":"packetbeat"}}\n${JSON.stringify(document)}\n`,
  });
  expect(answer.status).toBe(200);
  await expect.poll(async () => (await eventsWith(world.url, tokenOf('host'), alder, domain)).length).toBe(1);

  await asPersona('host', '/apps/intelligence?client=0');
  const buffer = Buffer.from(`value,reputation\n${domain},Malicious\n`);
  await page.getByLabel('Select file').setInputFiles({ name: `${domain}.csv`, mimeType: 'text/csv', buffer });
  await page.getByLabel('List name').fill(`Feed of ${domain}`);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const row = page.getByRole('list', { name: 'Searches of the past' }).getByRole('listitem', { name: `Feed of ${domain}` });
  await expect(row.getByText('1 found')).toBeVisible({ timeout: 60_000 });
  await row.getByRole('button', { name: 'Details of' }).click();
  await expect(page).toHaveURL(/past=\d+/);
  const found = row.getByRole('list', { name: 'Found' });
  await expect(found).toContainText(`Domain ${domain}: 1 event`);
  await expect(found).toContainText('ald-ws-past', { ignoreCase: true });
  await expect(row.getByRole('list', { name: 'Clients searched' })).toContainText('Its events begin');
  await found.getByRole('link', { name: '1 event' }).click();
  await expect(page.getByRole('region', { name: /^Hits/ })).toContainText('1 event');

  // A client reads own finds and no lists.
  await asPersona('clientAdmin', '/apps/intelligence');
  await expect(page.getByRole('heading', { name: 'Import a list' })).toHaveCount(0);
  await row.getByRole('button', { name: 'Details of' }).click();
  await expect(row.getByRole('list', { name: 'Clients searched' }).getByRole('listitem')).toHaveCount(1);
  await expect(found).toContainText(domain);

  await asPersona('host', '/apps/intelligence?client=0');
  await page.getByRole('button', { name: `Remove Feed of ${domain}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('button', { name: `Remove Feed of ${domain}` })).toHaveCount(0);
});
