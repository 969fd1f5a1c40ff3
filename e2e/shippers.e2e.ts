/**
 * The ingestion pipeline end to end: a real rsyslog and the Elasticsearch client send, the rules detect a password spray and a suspicious
 * sudo, and the alerts appear live in an open list and open to their raw events.
 */
import { Client } from '@elastic/elasticsearch';
import type { Page } from '@playwright/test';
import { expect, portal, test } from './fixtures.ts';
import { ingestKey } from './portal.ts';
import { startRsyslog, syslogTime } from './rsyslog.ts';

const users = [
  ...['root', 'admin', 'oracle', 'postgres', 'deploy', 'backup', 'jenkins', 'git'],
  ...['ubuntu', 'test', 'nagios', 'ftp', 'hadoop', 'tomcat', 'ansible', 'guest'],
];
const sudoOf = (user: string) =>
  `  ${user} : user NOT in sudoers ; TTY=pts/0 ; PWD=/home/${user} ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow`;
const failedLogon = (user: string, from: string, port: number) =>
  `Failed password for invalid user ${user} from ${from} port ${port} ssh2`;

const rowOf = (page: Page, text: RegExp) => page.getByRole('row').filter({ hasText: text });
const newAlertsButton = (page: Page) => page.getByRole('button', { name: /^[\d+]+ new alerts?$/ });

/** Loads new alerts with the list’s button; the list does not move on its own. */
async function loadNewAlerts(page: Page, ...wanted: RegExp[]) {
  await expect(newAlertsButton(page)).toBeVisible({ timeout: 20_000 });
  await expect(async () => {
    if (await newAlertsButton(page).isVisible()) await newAlertsButton(page).click();
    for (const text of wanted) await expect(rowOf(page, text).first()).toBeVisible({ timeout: 10_000 });
  }).toPass({ timeout: 40_000 });
}

/** Opens the alert of the host whose title begins so; the list may hold others of the same rule. */
async function openAlert(page: Page, title: string, host: string) {
  await rowOf(page, new RegExp(`${title}.*${host}`))
    .first()
    .getByRole('link')
    .click();
  await expect(page).toHaveURL(/\/apps\/alert\/\d+/);
  await expect(page.getByRole('heading', { name: new RegExp(title), level: 1 })).toBeVisible();
}

const rawEvent = (page: Page) => page.getByRole('tree').first();

test('a password spray and a suspicious sudo from rsyslog appear live and open to their raw events', async ({ asPersona }) => {
  const key = await ingestKey(portal, 10);
  const rsyslog = await startRsyslog({ portalUrl: portal.url, key });
  try {
    const host = `bastion-${Date.now().toString(36)}`;
    const page = await asPersona('analyst', `/apps/alerts?text=${host}`);
    await expect(page.getByText('No matching alerts')).toBeVisible();
    await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible();

    const attacker = `203.0.113.${1 + Math.floor(Math.random() * 250)}`;
    const now = syslogTime(new Date());
    await rsyslog.log([
      ...users.map((user, i) => `<38>${now} ${host} sshd[${4000 + i}]: ${failedLogon(user, attacker, 50_000 + i)}`),
      `<85>${now} ${host} sudo: ${sudoOf('mallory')}`,
    ]);
    await loadNewAlerts(page, /Password Spraying/, /Sudo Tried/);

    await openAlert(page, 'Password Spraying', host);
    await expect(page.getByRole('region', { name: 'Events' })).toContainText(attacker);
    await expect(
      rawEvent(page)
        .getByText(/Failed password for invalid user/)
        .first(),
    ).toBeVisible();
    await page.goBack();
    await openAlert(page, 'Sudo Tried', host);
    await expect(page.getByRole('region', { name: 'Why it matched' })).toContainText('user NOT in sudoers');
    await expect(rawEvent(page).getByText(sudoOf('mallory').trim()).first()).toBeVisible();
  } finally {
    await rsyslog.stop();
  }
});

test('the same attacks from the Elasticsearch client appear live in the client’s list', async ({ asPersona }) => {
  const key = await ingestKey(portal, 10);
  const client = new Client({ node: `${portal.url}/ingest`, auth: { apiKey: key } });
  const host = `elastic-${Date.now().toString(36)}`;
  const page = await asPersona('host', '/apps/alerts/10');
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Live' })).toBeVisible();

  const attacker = `198.51.100.${1 + Math.floor(Math.random() * 250)}`;
  const line = (program: string, message: string) => ({
    '@timestamp': new Date().toISOString(),
    host: { name: host },
    process: { name: program },
    message: message.trim(),
  });
  const documents = [
    ...users.map((user, i) => line('sshd', failedLogon(user, attacker, 50_000 + i))),
    line('sudo', sudoOf('eve')),
    line('sudo', '<img src=x onerror=alert(1)> \u001b[31mred\u001b[0m'),
  ];
  const answer = await client.bulk({ index: 'logs-linux', operations: documents.flatMap((each) => [{ create: {} }, each]) });
  expect(answer.errors).toBe(false);
  expect(answer.items.map((item) => item.create?.status)).toEqual(documents.map(() => 201));

  await loadNewAlerts(page, new RegExp(`Password Spraying.*${host}`), new RegExp(`Sudo Tried.*${host}`));
  await openAlert(page, 'Password Spraying', host);
  await expect(rawEvent(page).getByText(host, { exact: true }).first()).toBeVisible();
  await expect(rawEvent(page).getByText(attacker).first()).toBeVisible();
});

test('invalid documents are rejected one by one, and a wrong key is rejected', async () => {
  const key = await ingestKey(portal, 10);
  const good = JSON.stringify({ '@timestamp': new Date().toISOString(), message: `good ${Date.now()}` });
  const send = (authorization: string, body: string) =>
    fetch(`${portal.url}/ingest/_bulk`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/x-ndjson' },
      body,
    });
  const answer = await send(`ApiKey ${key}`, `{"create":{}}\n${good}\n{"create":{}}\n{"broken\n{"create":{}}\n["a list"]\n`);
  expect(answer.status).toBe(200);
  const { errors, items } = (await answer.json()) as { errors: boolean; items: { create: { status: number } }[] };
  expect(errors).toBe(true);
  expect(items.map((item) => item.create.status)).toEqual([201, 400, 400]);

  const refused = await send('ApiKey pk_no-such-key', `{"create":{}}\n${good}\n`);
  expect(refused.status).toBe(401);
  // rsyslog discards a batch on any error response that is JSON or empty.
  expect(refused.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await refused.text()).not.toBe('');
});
