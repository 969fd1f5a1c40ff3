/** A client's administrator connects a cloud service, and its events become an alert. */
import { expect, portal, test } from './fixtures.ts';
import { mailsTo } from './mails.ts';

test('an administrator connects Okta and sees an alert from its events', async ({ asPersona }) => {
  const name = `Okta ${Date.now().toString(36)}`;
  const page = await asPersona('clientAdmin', '/apps/devices?tab=connections');
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Okta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Okta' });
  await expect(dialog.getByRole('region', { name: 'Instructions' }).getByRole('listitem').first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByText('System Log: can be read.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add connection' }).click();
  await expect(dialog).toBeHidden();

  const connection = page.getByRole('listitem', { name });
  await expect(connection.getByText('Receiving')).toBeVisible();
  await connection.getByRole('link').click();
  await page.goto('/apps/alerts?timeframe=last24Hours&text=identity+provider');
  await expect(page.getByText('Identity Provider Added to Okta').first()).toBeVisible();

  await page.goto('/apps/devices?tab=connections');
  await connection.getByRole('button', { name: `Read ${name} now` }).click();
  await expect(page.getByText('Reading now. New events appear within seconds.')).toBeVisible();
  await connection.getByRole('button', { name: `Pause ${name}` }).click();
  await expect(connection.getByText('Paused')).toBeVisible();
  await connection.getByRole('button', { name: `Resume ${name}` }).click();
  await expect(connection.getByText('Receiving')).toBeVisible();
  await connection.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this connection?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(connection).toBeHidden();
});

test('a vendor’s refusal is shown in the form', async ({ asPersona }) => {
  const page = await asPersona('clientAdmin', '/apps/devices?tab=connections');
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Okta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Okta' });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'API token' }).fill('0'.repeat(40));
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Okta returned 401: Invalid token provided');
});

test('an administrator who was invited connects Okta by a link, once', async ({ asPersona, browser }) => {
  const name = `Invited ${Date.now().toString(36)}`;
  const email = `it-${name.slice(8)}@alder.example`;
  const page = await asPersona('clientAdmin', '/apps/devices?tab=connections');
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Okta' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Email a link instead' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite to connect Okta' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('listitem', { name: `Invitation for ${name}` })).toBeVisible();

  let link = '';
  await expect
    .poll(async () => {
      const [mail = ''] = await mailsTo(email, '/connect/');
      link = /\/connect\/[\w-]+/.exec(mail)?.[0] ?? '';
      return link;
    })
    .not.toBe('');
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(`${portal.url}${link}`);
  await expect(guest.getByRole('heading', { name: 'Connect Okta', level: 1 })).toBeVisible();
  await guest.getByRole('button', { name: 'Fill in the demo’s values' }).click();
  await guest.getByRole('button', { name: 'Test and connect' }).click();
  await expect(guest.getByRole('heading', { name: 'Connected' })).toBeVisible();
  await guest.reload();
  await expect(guest.getByText('This link was used, was revoked or has expired.')).toBeVisible();
  await guest.context().close();

  await page.reload();
  const connection = page.getByRole('listitem', { name, exact: true });
  await expect(connection.getByText('Receiving')).toBeVisible();
  await connection.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this connection?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(connection).toBeHidden();
});

test('a Host turns a feed on, sees when it was read, and a refused address in words', async ({ asPersona }) => {
  const page = await asPersona('host', '/apps/devices?client=10&tab=connections');
  const feed = page.getByRole('listitem', { name: 'EPSS scores' });
  await expect(feed.getByText('Paused')).toBeVisible();
  await feed.getByRole('button', { name: 'Turn on EPSS scores' }).click();
  await expect(feed.getByText('Reading')).toBeVisible();
  await expect(feed.getByText('Last successful read')).toBeVisible();
  await expect(feed.getByText('its values are invented')).toBeVisible();
  await feed.getByRole('button', { name: 'Test EPSS scores' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'entries can be read' })).toBeVisible();

  await feed.getByRole('button', { name: 'Change address of EPSS scores' }).click();
  const dialog = page.getByRole('dialog', { name: 'Address of EPSS scores' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://127.0.0.1/epss.csv.gz');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByText('127.0.0.1 isn’t a public https address')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await feed.getByRole('button', { name: 'Pause EPSS scores' }).click();
  await expect(feed.getByText('Paused')).toBeVisible();

  await page.goto('/apps/vulnerability?client=10&tab=findings&exploited=true');
  await page.getByRole('grid', { name: 'Findings' }).getByRole('row').nth(1).getByText(/^CVE-/).click();
  const panel = page.getByRole('complementary', { name: /^CVE-/ });
  await expect(panel.getByText(/of \d+ \w+ \d{4}, read \d+ \w+ \d{4}, invented for this demo/).first()).toBeVisible();
});
