/** A part of a page whose code cannot be fetched fails alone: the page and what was typed on it stay. */
import { casesOf } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

const client = 10;
const quarterMs = 90 * 24 * 3_600_000;
test.use({ provoked: /Failed to fetch|dynamically imported|CodeNotFetched|Couldn’t load/ });

test('offline a tab of a case fails alone, and the unsaved note stays', async ({ page, context, asPersona }) => {
  const [found] = (await casesOf(portal.url, tokenOf('host'), client, Date.now() - quarterMs)).filter(
    ({ status }) => !status.includes('closed'),
  );
  await asPersona('partnerAnalyst', `/apps/case/${found!.id}?tab=notes`);
  const note = page.getByRole('textbox', { name: 'New note' });
  await note.fill('Called the client.');
  const tabs = page.getByRole('navigation', { name: 'Case' });

  await context.setOffline(true);
  await tabs.getByRole('link', { name: 'Timeline' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'Couldn’t load the timeline.' });
  await expect(failed).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(found!.title);
  await tabs.getByRole('link', { name: 'Notes' }).click();
  await expect(note).toHaveValue('Called the client.');

  await context.setOffline(false);
  await tabs.getByRole('link', { name: 'Timeline' }).click();
  await expect(failed).toHaveCount(0);
});

test('a tab that an update removed offers Retry, and then a reload', async ({ page, asPersona }) => {
  const [found] = await casesOf(portal.url, tokenOf('host'), client, Date.now() - quarterMs);
  await asPersona('partnerAnalyst', `/apps/case/${found!.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(found!.title);
  await page.route(/TimelineTab[^/]*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('navigation', { name: 'Case' }).getByRole('link', { name: 'Timeline' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'Couldn’t load the timeline.' });
  await failed.getByRole('button', { name: 'Retry' }).click();
  await expect(failed.getByRole('button', { name: 'Reload page' })).toBeVisible();
  await page.unroute(/TimelineTab[^/]*\.js$/);
  await failed.getByRole('button', { name: 'Reload page' }).click();
  await expect(page.getByRole('link', { name: 'Timeline' })).toHaveAttribute('aria-current', 'page');
  await expect(failed).toHaveCount(0);
});
