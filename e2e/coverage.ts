/** A field that a source stops sending: coverage turns, and is healed when the field is back. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { shipStarts } from './sysmon.ts';

/** The intake writes its samples every half minute. */
const writtenWithin = { timeout: 120_000, intervals: [5_000] };

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

/**
 * Ships process starts of a client with command lines, then without, then with them again, and follows a rule that reads them: its page, and the
 * client’s coverage.
 */
export async function breakAndHeal(
  page: Page,
  { key, client, rule }: { key: string; client: number; rule: string },
): Promise<void> {
  const now = Date.now();
  const command = { CommandLine: 'editor.exe C:\\notes.txt' };
  for (const hours of [14, 7]) await ship(key, 1_700, now - hours * hourMs, command);

  const health = page.getByRole('region', { name: 'Data', exact: true });
  await page.goto(`/apps/rule/${rule}?client=${client}`);
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
  await expect(row).toContainText('Winlogbeat with Sysmon');
  const covered = page.getByRole('link', { name: /Techniques covered/ });
  const before = await covered.innerText();

  await ship(key, 16, Date.now(), command);
  await shown(page, async () => {
    await expect(missing).toBeVisible({ timeout: 4_000 });
    await expect(missing.getByRole('rowheader', { name: 'CommandLine', exact: true })).toHaveCount(0, { timeout: 1_000 });
  });
  await expect(covered).not.toHaveText(before);
  await page.goto(`/apps/rule/${rule}?client=${client}`);
  await expect(health).toContainText('Live');
  await expect(health).not.toContainText('can’t match');
}
