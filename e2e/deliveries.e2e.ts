/** An administrator routes cases to other systems; an attack’s case arrives there, and what failed is replayed. */
import type { Received } from '@parapet/world/peers/peer.ts';
import type { Page } from '@playwright/test';
import { getJson } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { sendRansomware } from './ransomware.ts';

/** Attacked by no other journey: alerts of two attacks would join one case. */
const client = 11;
const mark = Date.now().toString(36);
const url = `/apps/deliveries?client=${client}`;

/** Bodies that the simulated system of a kind accepted. */
async function receivedBy(kind: string): Promise<string[]> {
  const { results } = await getJson<{ results: { id: string; example: Record<string, string> }[] }>(
    portal.url,
    tokenOf('host'),
    '/deliverytargetkinds',
  );
  const { example } = results.find(({ id }) => id === kind)!;
  const origin = new URL(example.url ?? example.api!).origin;
  return ((await (await fetch(`${origin}/received`)).json()) as Received[]).map(({ body }) => body);
}

async function addTarget(
  page: Page,
  kind: string,
  name: string,
  change?: (dialog: ReturnType<Page['getByRole']>) => Promise<void>,
) {
  await page.getByRole('button', { name: 'Add target' }).click();
  await page.getByRole('dialog').getByRole('button', { name: kind }).click();
  const dialog = page.getByRole('dialog', { name: `Add ${kind}` });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await change?.(dialog);
  await dialog.getByRole('button', { name: 'Add target' }).click();
  if (kind === 'Webhook') {
    await expect(page.getByRole('dialog', { name: 'Signing secret' }).getByText(/^whsec_/)).toBeVisible();
    await page.getByRole('button', { name: 'I have copied it' }).click();
  }
  await expect(page.getByRole('listitem', { name })).toBeVisible();
}

async function addRule(page: Page, target: string, choices: readonly string[] = []): Promise<void> {
  await page.getByRole('link', { name: 'Routing rules' }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add rule' });
  await dialog.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: target }).click();
  for (const name of choices) await dialog.getByRole('checkbox', { name }).check();
  await dialog.getByRole('button', { name: 'Preview the last 30 days' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This rule would have sent');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByRole('listitem', { name: new RegExp(`to ${target}$`) })).toBeVisible();
}

async function removeTarget(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this target?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('listitem', { name })).toBeHidden();
}

test('an attack’s case and alerts arrive at a webhook, and the case in Slack and in PagerDuty, where it is replayed and acknowledged', async ({
  asPersona,
}) => {
  test.slow();
  const [hook, slack, pager] = [`Hook ${mark}`, `Slack ${mark}`, `Pager ${mark}`];
  const page = await asPersona('host', url);
  await addTarget(page, 'Webhook', hook);
  await addTarget(page, 'Slack', slack);
  await addTarget(page, 'PagerDuty', pager, (dialog) => dialog.getByLabel('Integration key').first().fill('0'.repeat(32)));
  await page.getByRole('button', { name: `Send test to ${slack}` }).click();
  await expect(page.getByRole('listitem', { name: slack }).getByRole('alert')).toContainText('Test accepted');
  await page.getByRole('button', { name: `Send test to ${pager}` }).click();
  const failing = page.getByRole('listitem', { name: pager });
  await expect(failing.getByText('Failing', { exact: true })).toBeVisible();
  await expect(failing.getByRole('alert')).toContainText(
    "PagerDuty returned 400: Event object is invalid: 'routing_key' is unknown",
  );

  await addRule(page, hook, ['Alert raised', 'Send the first events of each alert too']);
  for (const target of [slack, pager]) await addRule(page, target);
  await sendRansomware(client);
  await expect.poll(async () => (await receivedBy('webhook')).some((body) => JSON.parse(body).type === 'case.opened')).toBe(true);
  await expect.poll(async () => (await receivedBy('slack')).some((body) => body.includes('Case opened: #'))).toBe(true);
  const alerts = async () =>
    (await receivedBy('webhook')).map((body) => JSON.parse(body)).filter(({ type }) => type === 'alert.raised');
  await expect.poll(async () => (await alerts()).length).toBeGreaterThan(0);
  expect((await alerts())[0].data).toMatchObject({ case: expect.any(Number), events: [{ '@timestamp': expect.any(String) }] });

  await page.goto(url);
  await page.getByRole('link', { name: `Deliveries to ${pager}` }).click();
  const lost = page.getByRole('listitem', { name: /^Case opened: #/ }).first();
  await expect(lost.getByText('Given up')).toBeVisible();
  await lost.getByRole('button', { name: /^Details of/ }).click();
  const details = page.getByRole('dialog', { name: /^Delivery / });
  await expect(details.getByText('"event_action": "trigger"')).toBeVisible();
  await expect(details.getByText('invalid event')).toBeVisible();
  await details.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('link', { name: 'All targets' }).click();
  await page.getByRole('button', { name: `Rotate secret of ${pager}` }).click();
  const rotation = page.getByRole('dialog', { name: 'Rotate secret' });
  await rotation.getByLabel('Integration key').first().fill('demoDemoDemoDemoDemoDemoDemoDemo');
  await rotation.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(rotation).toBeHidden();
  await page.getByRole('link', { name: `Deliveries to ${pager}` }).click();
  await lost.getByRole('button', { name: /^Replay/ }).click();
  await expect(lost.getByText('Accepted')).toBeVisible();
  expect((await receivedBy('pagerduty')).some((body) => body.includes('Case opened: #'))).toBe(true);

  const opened = (await receivedBy('webhook')).map((body) => JSON.parse(body)).filter(({ type }) => type === 'case.opened');
  await page.goto(`/apps/case/${opened.at(-1).data.id}`);
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect
    .poll(async () => (await receivedBy('pagerduty')).some((body) => JSON.parse(body).event_action === 'acknowledge'))
    .toBe(true);

  await page.goto(url);
  for (const target of [hook, slack, pager]) await removeTarget(page, target);
});

test('a client’s administrator adds chat, pauses it and finds the provider’s kinds disabled', async ({ asPersona }) => {
  const name = `Teams ${mark}`;
  const page = await asPersona('clientAdmin', '/apps/deliveries');
  await page.getByRole('button', { name: 'Add target' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'PagerDuty' })).toBeDisabled();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await addTarget(page, 'Microsoft Teams', name);
  await page.getByRole('button', { name: `Pause ${name}` }).click();
  await expect(page.getByRole('listitem', { name }).getByText('Paused', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: `Resume ${name}` }).click();
  await removeTarget(page, name);
});

test('a rule sends OCSF to a webhook and escalates to Slack unless the case is acknowledged', async ({ asPersona }) => {
  const [hook, slack] = [`Siem ${mark}`, `Lead ${mark}`];
  const page = await asPersona('host', url);
  await addTarget(page, 'Webhook', hook, async (dialog) => {
    await dialog.getByRole('combobox', { name: 'Format' }).click();
    await page.getByRole('option', { name: 'OCSF 1.8.0' }).click();
  });
  await addTarget(page, 'Slack', slack);
  await page.getByRole('link', { name: 'Routing rules' }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add rule' });
  await dialog.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: hook }).click();
  await dialog.getByRole('button', { name: 'Add level' }).click();
  const level = dialog.getByRole('listitem', { name: 'Level 1' });
  await level.getByRole('combobox', { name: 'Also send to' }).click();
  await page.getByRole('option', { name: slack }).click();
  await dialog.getByRole('button', { name: 'Preview the last 30 days' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Not acknowledged after 15 min');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  const row = page.getByRole('listitem', { name: new RegExp(`to ${hook}$`) });
  await expect(row).toContainText(`If not acknowledged: after 15 min → ${slack}`);
  await page.getByRole('link', { name: 'Targets' }).click();
  for (const target of [hook, slack]) await removeTarget(page, target);
});

test('alerts go to systems with their events, and cases of a quiet rule go together', async ({ asPersona }) => {
  const [hook, teams] = [`Lake ${mark}`, `Team ${mark}`];
  const page = await asPersona('host', url);
  await addTarget(page, 'Webhook', hook);
  await addTarget(page, 'Microsoft Teams', teams);
  await page.getByRole('link', { name: 'Routing rules' }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add rule' });
  await dialog.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: teams }).click();
  await dialog.getByRole('checkbox', { name: 'Alert raised' }).check();
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByText('goes to webhooks and SIEM targets only, not to Microsoft Teams.')).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: hook }).click();
  await dialog.getByRole('checkbox', { name: 'Send the first events of each alert too' }).check();
  await dialog.getByRole('button', { name: 'Preview the last 30 days' }).click();
  await expect(dialog.getByRole('alert')).toContainText(/Alert raised [\d,]+/);
  await dialog.getByRole('combobox', { name: 'Messages' }).click();
  await page.getByRole('option', { name: 'Together every 1 h' }).click();
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  const row = page.getByRole('listitem', { name: new RegExp(`to ${hook}$`) });
  await expect(row).toContainText('alerts with their events');
  await expect(row).toContainText('together every 1 h');
  await page.getByRole('link', { name: 'Targets' }).click();
  for (const target of [hook, teams]) await removeTarget(page, target);
});
