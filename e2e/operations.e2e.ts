/** Operations: a Host reads processes, queues and operations; others do not. */
import { expect, test } from './fixtures.ts';

test('a host reads the running process, every queue and the slowest operations', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/operations');
  await expect(page.getByRole('heading', { name: 'Operations', level: 1 })).toBeVisible();
  const main = page.getByRole('main');
  for (const title of ['Capacity', 'Processes', 'Queues', 'Last errors', 'Isolation of organisations'])
    await expect(main.getByRole('heading', { name: title, exact: true })).toBeVisible();
  await expect(main.getByRole('row').filter({ hasText: 'api, ingest, worker' }).getByText('Running')).toBeVisible();
  const queues = main.getByRole('table', { name: 'Queues' });
  for (const queue of ['Alerts to correlate', 'Emails', 'Rule previews', 'Rule packs to read'])
    await expect(queues.getByRole('row').filter({ hasText: queue })).toBeVisible();
  // Sampled each ten seconds; the portal shows the ten slowest, so which ones depends on what else runs.
  const slowest = main.getByRole('table', { name: 'Slowest operations, last 15 minutes' }).getByRole('row');
  await expect(slowest.filter({ hasText: /[a-z]+\.[a-z]+.*ms|[a-z]+\.[a-z]+.* s/i }).first()).toBeVisible({ timeout: 40_000 });
  expect(await slowest.count()).toBeLessThanOrEqual(11);
});

test('an analyst of a partner reads nothing of it', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/operations');
  await expect(page.getByRole('heading', { name: 'Processes' })).toHaveCount(0);
  await expect(page.getByText(/Hosts/).first()).toBeVisible();
});
