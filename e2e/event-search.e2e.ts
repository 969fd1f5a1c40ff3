/** Event search in Kibana’s query language, as a provider’s analyst. */
import { expect, test } from './fixtures.ts';

test('a search narrows the events, an error names its part, and a part without a match is named', async ({ page, asPersona }) => {
  await asPersona('analyst', '/apps/events');
  const field = page.getByRole('combobox', { name: 'Search events, then Enter' });
  const hits = page.getByRole('region', { name: /^Hits/ });
  await expect(hits).toContainText(/[\d,]+ events/);

  await field.fill('event.code: (4624 or');
  await field.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await expect(page).not.toHaveURL(/search=/);

  await field.fill('event.code: (4624 or 4625) and not user: absent');
  await field.press('Enter');
  await expect(page).toHaveURL(/search=/);
  await expect(hits).toContainText(/[\d,]+ events?/);
  await page.reload();
  await expect(field).toHaveValue('event.code: (4624 or 4625) and not user: absent');
  // For administrators.
  await expect(page.getByRole('button', { name: 'Export' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Make rule' })).toHaveCount(0);

  await field.fill('event.code: 4624 and user: absent-name');
  await field.press('Enter');
  await expect(page.getByText('No event in this time matches “user: absent-name”.')).toBeVisible();
});
