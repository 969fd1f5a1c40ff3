/** The Host lists a network of senders, an administrator listens for a firewall there, and its lines become events and an alert. */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, keepToken, portal, test, tokenOf } from './fixtures.ts';

const port = Number(process.env.E2E_SYSLOG_PORT);
const stamp = Date.now().toString(36);
const sudo = (host: string) =>
  `<85>1 ${new Date().toISOString()} ${host} sudo 4321 - - mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh`;

const sendUdp = (text: string, from: string) =>
  new Promise<void>((resolve) => {
    const socket = createSocket('udp4');
    socket.bind(0, from, () => socket.send(text, port, '127.0.0.1', () => socket.close(() => resolve())));
  });

const sendTcp = (text: string, from: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.end(`${text}\n`, () => resolve()));
    socket.once('error', reject);
  });

async function add(page: Page, values: { name: string; transport: string; senders: string }): Promise<void> {
  await page.getByRole('button', { name: 'Add connection' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Syslog' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect Syslog' });
  await expect(dialog.getByText(`Permitted here: ${port}`)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Email a link instead' })).toBeHidden();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(values.name);
  await dialog.getByRole('combobox', { name: 'Transport' }).click();
  await page.getByRole('option', { name: values.transport }).click();
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await dialog.getByRole('textbox', { name: 'Senders' }).fill(values.senders);
  await dialog.getByRole('button', { name: 'Add connection' }).click();
}

async function addNetwork(host: Page): Promise<void> {
  await host.getByRole('button', { name: 'Add network' }).click();
  const listing = host.getByRole('dialog', { name: 'Add network of senders' });
  await listing.getByRole('textbox', { name: 'Network' }).fill('127.0.0.0/30');
  await listing.getByRole('button', { name: 'Add network' }).click();
  await expect(host.getByRole('listitem', { name: '127.0.0.0/30' })).toBeVisible();
}

test('a firewall sends by UDP and TCP, an unknown sender is counted, and a removed connection ends', async ({
  asPersona,
  browser,
}) => {
  const host = await (await browser.newContext()).newPage();
  await keepToken(host, tokenOf('host'));
  await host.goto(`${portal.url}/apps/devices?client=10&tab=connections`);
  await addNetwork(host);

  const page = await asPersona('clientAdmin', '/apps/devices?tab=connections');
  const [udp, tcp] = [`Firewall UDP ${stamp}`, `Firewall TCP ${stamp}`];
  await add(page, { name: udp, transport: 'UDP', senders: '127.0.0.9' });
  const dialog = page.getByRole('dialog', { name: 'Connect Syslog' });
  await expect(dialog.getByText('127.0.0.9 lies in no network that the provider lists')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Senders' }).fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Add connection' }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole('listitem', { name: udp });
  await expect(row.getByText('Waiting for first messages')).toBeVisible();
  // UDP has no acknowledgement: the port opens within seconds.
  await expect(async () => {
    await sendUdp(sudo(`fw-udp-${stamp}`), '127.0.0.1');
    await expect(row.getByText('Listening')).toBeVisible({ timeout: 8_000 });
  }).toPass();
  await sendUdp('from elsewhere', '127.0.0.9');

  await add(page, { name: tcp, transport: 'TCP', senders: '127.0.0.2' });
  await expect(dialog).toBeHidden();
  const tcpRow = page.getByRole('listitem', { name: tcp });
  await expect(async () => {
    await sendTcp(sudo(`fw-tcp-${stamp}`), '127.0.0.2');
    await expect(tcpRow.getByText('Listening')).toBeVisible({ timeout: 8_000 });
  }).toPass();

  for (const name of [`fw-udp-${stamp}`, `fw-tcp-${stamp}`]) {
    await page.goto(`/apps/alerts?timeframe=last24Hours&text=${name}`);
    await expect(page.getByText(name).first()).toBeVisible();
  }
  await host.reload();
  await expect(host.getByText(`UDP port ${port}: 1 message of unknown senders, the newest from 127.0.0.9`)).toBeVisible();

  await page.goto('/apps/devices?tab=connections');
  for (const [name, item] of [
    [udp, row],
    [tcp, tcpRow],
  ] as const) {
    await item.getByRole('button', { name: `Remove ${name}` }).click();
    await page.getByRole('dialog', { name: 'Remove this connection?' }).getByRole('button', { name: 'Yes' }).click();
    await expect(item).toBeHidden();
  }
  await host.getByRole('button', { name: 'Remove 127.0.0.0/30' }).click();
  await expect(host.getByRole('listitem', { name: '127.0.0.0/30' })).toBeHidden();
  await host.context().close();
});
