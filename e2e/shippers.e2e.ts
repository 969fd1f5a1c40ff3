/** The whole road: a real rsyslog and Elastic's own client send, the rules find, the alerts appear live, opened to their raw event. */
import { Client } from '@elastic/elasticsearch';
import { expect, portal, test } from './fixtures.ts';
import { ingestKey } from './portal.ts';
import { startRsyslog } from './rsyslog.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const syslogTime = (at: Date) =>
  `${months[at.getMonth()]} ${String(at.getDate()).padStart(2)} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')}`;

test('a password spray and a suspicious sudo, sent by rsyslog, appear live and open to their raw events', async ({ asPersona }) => {
  const key = await ingestKey(portal, 10);
  const rsyslog = await startRsyslog({ portalUrl: portal.url, key });
  try {
    const page = await asPersona('analyst', '/apps/alerts');
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
    await expect(page.getByRole('row').nth(2)).toBeVisible();
    const host = `bastion-${Date.now().toString(36)}`;
    const attacker = `203.0.113.${1 + Math.floor(Math.random() * 250)}`;
    const users = ['root', 'admin', 'oracle', 'postgres', 'deploy', 'backup', 'jenkins', 'git', 'ubuntu', 'test', 'nagios', 'ftp', 'hadoop', 'tomcat', 'ansible', 'guest'];
    const now = syslogTime(new Date());
    await rsyslog.log([
      ...users.map((user, i) => `<38>${now} ${host} sshd[${4000 + i}]: Failed password for invalid user ${user} from ${attacker} port ${50000 + i} ssh2`),
      `<85>${now} ${host} sudo:  mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/home/mallory ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow`,
    ]);

    // The list says that something new came, instead of moving under the reader's hand.
    const news = page.getByRole('button', { name: /new alert/i });
    await expect(news).toBeVisible({ timeout: 20_000 });
    await news.click();
    await page.getByRole('searchbox', { name: /search/i }).first().fill(host);
    await expect(page.getByText(/spray/i).first()).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText(/sudo/i).first()).toBeVisible();

    await page.getByRole('row').filter({ hasText: /spray/i }).first().dblclick();
    await expect(page).toHaveURL(/\/apps\/alert\/\d+/);
    await expect(page.getByText(attacker).first()).toBeVisible();
    await expect(page.getByText(`Failed password for invalid user`).first()).toBeVisible();
  } finally {
    await rsyslog.stop();
  }
});

test('Elastic’s own JavaScript client sends in bulk and is answered item by item', async ({ asPersona }) => {
  const key = await ingestKey(portal, 10);
  const client = new Client({ node: `${portal.url}/ingest`, auth: { apiKey: key } });
  const host = `elastic-${Date.now().toString(36)}`;
  const at = new Date().toISOString();
  const answer = await client.bulk({
    index: 'logs-linux',
    operations: [
      { create: {} },
      { '@timestamp': at, host: { name: host }, process: { name: 'sudo' }, message: 'eve : user NOT in sudoers ; TTY=pts/1 ; PWD=/tmp ; USER=root ; COMMAND=/bin/bash' },
      { create: {} },
      { '@timestamp': at, host: { name: host }, message: '<img src=x onerror=alert(1)> \u001b[31mred\u001b[0m' },
    ],
  });
  expect(answer.errors).toBe(false);
  expect(answer.items.map((item) => item.create?.status)).toEqual([201, 201]);
  const page = await asPersona('analyst', `/apps/alerts?text=${host}`);
  await expect(page.getByRole('row').filter({ hasText: host }).first()).toBeVisible();
});
