/** A client's administrator makes a webhook from a sample, and a product posts to it. */
import { expect, portal, test } from './fixtures.ts';

const sample = {
  events: [
    {
      timestamp: new Date(Date.now() - 60_000).toISOString(),
      actor: { username: 'ann@alder.example', client_ip: '203.0.113.9:51544' },
      event_type: 'console.login',
      result: 'denied',
      severity: 'High',
      note: '<b>hostile</b>',
    },
  ],
};

test('an administrator maps a sample and the product’s event is found', async ({ asPersona }) => {
  const name = `Badge ${Date.now().toString(36)}`;
  const page = await asPersona('clientAdmin', '/apps/devices?tab=webhooks');
  await page.getByRole('link', { name: 'Add webhook' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await expect(page.getByRole('textbox', { name: 'Namespace' })).toHaveValue(/^badge_/);
  await page.getByRole('textbox', { name: 'Sample' }).fill(JSON.stringify(sample));
  await expect(page.getByText('Each entry of events is an event.')).toBeVisible();

  // Usual names are mapped already; one more is assigned, and the preview follows.
  await expect(page.getByLabel('ECS field of actor › username')).toHaveValue('user.name');
  await page.getByLabel('ECS field of note').selectOption('event.reason');
  await page.getByRole('textbox', { name: 'Category' }).fill('authentication');
  const preview = page.getByRole('article', { name: 'Event 1' });
  await expect(preview.getByText('console.login by ann@alder.example from 203.0.113.9 (failure)')).toBeVisible();
  await expect(preview.getByText('"<b>hostile</b>"').first()).toBeVisible();

  await page.getByRole('button', { name: 'Create webhook' }).click();
  const made = page.getByRole('dialog', { name: 'Webhook created' });
  const secret = await made.getByTestId('webhook-secret').innerText();
  await made.getByRole('button', { name: 'I have copied it' }).click();

  const row = page.getByRole('listitem', { name });
  await expect(row.getByText('Waiting for first events')).toBeVisible();
  const address = new URL(await row.getByText(/\/webhook\//).innerText()).pathname;
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const post = (body: string) => fetch(`${portal.url}${address}`, { method: 'POST', headers, body });
  expect(await (await post(JSON.stringify(sample))).json()).toEqual({ stored: 1, duplicates: 0 });
  expect((await post('{"events":')).status).toBe(400);
  await page.reload();
  await expect(row.getByText('Refusing')).toBeVisible();
  await expect(row.getByText(/not JSON/)).toBeVisible();

  await row.getByRole('link', { name: `Edit mapping of ${name}` }).click();
  await page
    .getByRole('textbox', { name: 'Type' })
    .or(page.getByRole('textbox', { name: 'Sample' }))
    .first()
    .fill(JSON.stringify(sample));
  await page.getByRole('textbox', { name: 'Type' }).fill('start');
  await page.getByRole('button', { name: 'Save as version 2' }).click();
  await expect(row.getByText(/Version 2/)).toBeVisible();

  await row.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this webhook?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(row).toBeHidden();
});
