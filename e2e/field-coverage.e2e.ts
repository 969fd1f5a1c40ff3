/** Coverage by the fields that arrive: a client's Sysmon stops sending command lines, and a rule that reads them can no longer match. */
import type { Page } from '@playwright/test';
import { send } from './api.ts';
import { newClient } from './clients.ts';
import { expect, ownTokenOf, portal, test } from './fixtures.ts';
import { shipStarts } from './sysmon.ts';

/** Event Tracing or Log Service Stopped by Command: reads the command line in every branch. */
const rule = 'f2ce5592-043d-4d7d-80bb-47d231e4a4be';
const hourMs = 3_600_000;
/** The intake writes its samples every half minute. */
const writtenWithin = { timeout: 90_000, intervals: [5_000] };

const ship = (key: string, count: number, at: number, fields: object) =>
  shipStarts(
    key,
    Array.from({ length: count }, () => ({ at, device: 'larch-ws-1', fields })),
  );

/** Reloads until the page shows it. */
const shown = (page: Page, check: () => Promise<void>) =>
  expect(async () => {
    await page.reload();
    await check();
  }).toPass(writtenWithin);

test('a source stops sending a field, and coverage turns until it is back', async ({ page, asPersona }) => {
  test.setTimeout(300_000);
  const host = await ownTokenOf('host');
  const client = await newClient(portal.url, host, 3, `Reef coverage ${Date.now().toString(36)}`, 'soc@reef.example');
  const answer = await send(portal.url, host, `/ingestkeys/${client}`, { name: 'journey' });
  const { key } = (await answer.json()) as { key: string };
  const now = Date.now();
  const command = { CommandLine: 'editor.exe C:\\notes.txt' };
  for (const hours of [14, 7]) await ship(key, 1_700, now - hours * hourMs, command);

  const health = page.getByRole('region', { name: 'Data', exact: true });
  await asPersona('host', `/apps/rule/${rule}?client=${client}`);
  await shown(page, () => expect(health).toContainText('Live', { timeout: 4_000 }));
  await expect(health).not.toContainText('can’t match');

  for (let batch = 0; batch < 2; batch++) await ship(key, 1_700, now, {});
  await shown(page, () => expect(health).toContainText('The rule can’t match', { timeout: 4_000 }));
  await expect(health).toContainText(/CommandLine of windows \/ process_creation, event 1: last seen .*, not in \d+ events/);
  await expect(health).toContainText('Winlogbeat with Sysmon');

  await page.goto(`/apps/attack-indicators/${client}?tab=coverage`);
  const missing = page.getByRole('region', { name: 'Missing fields' });
  const row = missing.getByRole('row').filter({ hasText: 'CommandLine' }).first();
  await expect(row).toContainText('windows / process_creation, event 1');
  const covered = page.getByRole('link', { name: /Techniques covered/ });
  const before = await covered.innerText();

  await ship(key, 16, Date.now(), command);
  await shown(page, async () => {
    await expect(missing).toBeVisible({ timeout: 4_000 });
    await expect(missing.getByRole('rowheader', { name: 'CommandLine', exact: true })).toHaveCount(0, { timeout: 1_000 });
  });
  await expect(covered).not.toHaveText(before);
});
