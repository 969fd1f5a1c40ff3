/** The agent on a booted Debian, installed as documented, against the real portal: `npm run test:booted`. */

import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { agentsApi } from '@parapet/contract/agents.ts';
import { collectorsApi } from '@parapet/contract/collectors.ts';
import { type DeviceDetail, devicesApi } from '@parapet/contract/devices.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildAgentWhenNeeded } from '../../../tools/build-agent.ts';
import { scoped } from '../src/core/db/scope.ts';
import { type NewTask, queueTask } from '../src/features/agents/agents.tasks.ts';
import { type TestApp, type TestUser, testApp } from '../test/app.ts';
import { eventRows } from '../test/storedEvents.ts';
import { type Machine, openMachine } from './machine.ts';

let machine: Machine;
let t: TestApp;
let admin: TestUser;
let organisationId: number;
let url: string;

const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
const agentRow = () =>
  system((tx) => tx.selectFrom('agents').selectAll().where('organisation_id', '=', organisationId).executeTakeFirstOrThrow());
const device = async (name = machine.hostname) => {
  const answer = await t.call(devicesApi.get, { params: { client: organisationId, name } }, admin);
  return answer.statusCode === 200 ? answer.json<DeviceDetail>() : undefined;
};
const eventsWith = (text: string) =>
  system(async (tx) =>
    (await eventRows(tx, organisationId)).flatMap((row) =>
      row.text.includes(text) ? [{ text: row.text, device: row.device_name }] : [],
    ),
  );

/** Polls until the expectation holds; reports the last value on timeout. */
async function until<T>(read: () => Promise<T> | T, holds: (value: T) => boolean, ms = 30_000): Promise<T> {
  for (const end = Date.now() + ms; ; await pause(100)) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) {
      const { stdout } = await machine.sh('journalctl -q --no-pager -n 40 -u "mdr-*"');
      throw new Error(`Timed out at ${JSON.stringify(value)?.slice(0, 1000)}\n${stdout}`);
    }
  }
}
/** Output of a command; throws when it fails. */
async function run(script: string, timeoutMs?: number): Promise<string> {
  const { status, stdout, stderr } = await machine.sh(script, timeoutMs);
  if (status !== 0) throw new Error(`${script}: ${status}\n${stdout}\n${stderr}`);
  return stdout.trim();
}
async function done(task: Pick<NewTask, 'action'> & Partial<NewTask>) {
  const { id: agentId } = await agentRow();
  const now = Date.now();
  const id = (await system((tx) =>
    queueTask(tx, {
      ...{ organisationId, agentId, responseId: null, target: '' },
      ...{ createdAt: new Date(now), expiresAt: new Date(now + 600_000), ...task },
    }),
  )) as number;
  return until(
    () => system((tx) => tx.selectFrom('agent_tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()),
    ({ state }) => state === 'verified' || state === 'failed',
  );
}
const checksInAgain = async () => {
  const before = Date.now();
  await until(agentRow, ({ last_check_in_at }) => Number(last_check_in_at) > before, 90_000);
};
/** The command documented in docs/agent.md. */
async function install(more: string): Promise<string> {
  const input = { params: { client: organisationId }, body: { name: 'one host', maxUses: 1, hours: 24 } };
  const { token } = (await t.call(agentsApi.createToken, input, admin)).json<{ token: string }>();
  const words = `--server ${url} --token ${token} --allow-http ${more}`;
  const line = `curl -fsSL ${url}/agent/install.sh | sudo sh -s -- ${words}`;
  const { status, stdout, stderr } = await machine.sh(`set -o pipefail; ${line}`, 120_000);
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' });
  return stdout;
}
const property = (name: string) => run(`systemctl show -P ${name} mdr-agent`);

beforeAll(async () => {
  await buildAgentWhenNeeded();
  machine = await openMachine();
  const port = await new Promise<number>((resolve, reject) => {
    const held = createServer().once('error', reject);
    held.listen(0, machine.portalAddress, () => {
      const address = held.address() as { port: number };
      held.close(() => resolve(address.port));
    });
  });
  url = `http://${machine.portalName}:${port}`;
  t = await testApp({ PUBLIC_URL: url });
  organisationId = await t.organisation();
  admin = await t.user({ organisationId, role: 'Administrator' });
  await t.application.app.listen({ port, host: machine.portalAddress });
  await machine.boot(port);
}, 300_000);
afterAll(async () => {
  await machine?.close();
  await t?.close();
}, 60_000);

test('installs by the documented command without Node.js, reports the inventory and uses little memory', async () => {
  expect((await machine.sh('command -v node')).status).not.toBe(0);
  expect(await run('systemctl is-system-running')).toBe('running');
  await run('touch /var/log/shop.log');
  expect(await install('--file /var/log/shop.log')).toContain('The agent is running.');
  expect(await run('systemctl is-enabled mdr-agent mdr-isolation')).toBe('enabled\nenabled');
  expect(await run('systemctl is-active mdr-agent')).toBe('active');

  const found = await until(device, (one) => Boolean(one?.inventory && one.inventory.packages.length > 0));
  expect(found).toMatchObject({ hasAgent: true, agent: { state: 'online', errors: [] } });
  const { packages, users, addresses } = found!.inventory!;
  const count = Number(await run(`dpkg-query -W -f '\${db:Status-Status}\\n' | grep -c '^installed$'`));
  expect(packages).toHaveLength(count);
  expect(packages).toContainEqual({
    name: 'nftables',
    version: await run("dpkg -s nftables | sed -n 's/^Version: //p'"),
    ecosystem: 'Debian:12',
  });
  expect(users.map(({ name }) => name)).toEqual((await run('getent passwd')).split('\n').map((line) => line.split(':')[0]));
  expect(addresses.map(({ address }) => address)).toContain(await run("ip -4 -o addr show host0 | sed 's/.*inet //; s,/.*,,'"));
  expect(await run('mdr-agent status')).toMatch(/Not isolated/);

  await pause(15_000);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(await run(`cat /proc/${await property('MainPID')}/status`))?.[1]) / 1024;
  const current = Number(await property('MemoryCurrent')) / 1024 / 1024;
  console.log(`Memory: ${rss.toFixed(1)} MiB resident, ${current.toFixed(1)} MiB of the unit.`);
  expect(Number.isFinite(current) && current < 1e6 ? current : rss).toBeLessThan(80);
  expect(await property('NRestarts')).toBe('0');
});

test('ships lines of the journal and of a configured file', async () => {
  await run("logger -t sshd 'Failed password for invalid user oracle from 203.0.113.9 port 50001 ssh2'");
  await run(`echo "$(date '+%b %e %T') ${machine.hostname} shop[7]: an order of a file" >>/var/log/shop.log`);
  for (const text of ['Failed password for invalid user oracle', 'an order of a file']) {
    const rows = await until(
      () => eventsWith(text),
      (all) => all.length > 0,
    );
    expect(rows).toEqual([expect.objectContaining({ device: machine.hostname })]);
  }
});

/** Boot id; asserts a real reboot and contact with the portal since. */
async function afterReboot(before: string): Promise<string> {
  const now = await machine.bootId();
  expect(now).not.toBe(before);
  await until(
    async () => (await machine.sh('cat /run/portal-was-reached')).stdout.trim(),
    (boot) => boot === now,
  );
  return now;
}

test('blocks the stranger while isolated, across reboot and flush, until release', async () => {
  const first = await machine.bootId();
  // The probe works: it has contacted the stranger since boot.
  expect(machine.receivedFrom(first)).toBeGreaterThan(100);
  expect(await machine.reachesStranger()).toBe(true);

  expect((await machine.sh('systemctl is-enabled nftables')).stdout).toBe('disabled\n');
  expect(await done({ action: 'isolate', releaseInSeconds: 3600 })).toMatchObject({ state: 'verified' });
  const offset = machine.receivedFrom(first);
  await pause(1_000);
  expect(machine.receivedFrom(first)).toBe(offset);
  expect(await machine.reachesStranger()).toBe(false);
  await checksInAgain();

  await machine.reboot();
  const second = await afterReboot(first);
  await checksInAgain();
  expect(await machine.reachesStranger()).toBe(false);
  // Loaded by the unit, maintained by the agent since.
  expect(await run('systemctl is-active mdr-isolation mdr-agent')).toBe('active\nactive');
  const left = Number((await agentRow()).release_at) - Date.now();
  expect(left).toBeGreaterThan(3_300_000);
  expect(left).toBeLessThan(3_600_000);
  expect(machine.receivedFrom(second)).toBe(0);

  expect(await run('head -3 /etc/nftables.conf')).toContain('flush ruleset');
  await run('systemctl enable -q nftables');
  await machine.reboot();
  const third = await afterReboot(second);
  expect(await run('systemctl is-active nftables')).toBe('active');
  expect(await run('nft list ruleset')).toContain('table inet filter');
  await checksInAgain();
  await pause(12_000);
  expect(await machine.reachesStranger()).toBe(false);
  expect(machine.receivedFrom(third)).toBe(0);

  expect(await done({ action: 'unisolate' })).toMatchObject({ state: 'verified' });
  await until(
    () => machine.receivedFrom(third),
    (count) => count > 0,
  );
  expect(await machine.reachesStranger()).toBe(true);
  // Only the isolation is removed.
  expect(await run('nft list tables')).toBe('table inet filter');

  await machine.reboot();
  const fourth = await afterReboot(third);
  expect(machine.receivedFrom(fourth)).toBeGreaterThan(0);
  await checksInAgain();
  expect(await agentRow()).toMatchObject({ is_isolated: false });
});

test('ends sessions and processes of a blocked account, denies new ones and restores it on unblock', async () => {
  await run("useradd -m -s /bin/bash -p '$6$salt$hash' mallory");
  const shadow = await run('grep ^mallory: /etc/shadow');
  const session = (unit: string) => `systemd-run -q --unit=${unit} -p PAMName=login -p User=mallory sleep 1000`;
  await run(session('first'));
  await run('loginctl enable-linger mallory');
  await run('systemd-run -q --unit=stubborn -p User=mallory sh -c "trap : TERM HUP; while :; do sleep 1; done"');
  await until(
    async () => (await machine.sh('loginctl list-sessions --no-legend; pgrep -cu mallory')).stdout,
    (text) => text.includes('mallory') && Number(text.trim().split('\n').at(-1)) >= 4,
  );

  expect(await done({ action: 'blockUser', target: 'mallory' })).toMatchObject({ state: 'verified' });
  expect((await machine.sh('pgrep -au mallory')).stdout).toBe('');
  await until(
    async () => (await machine.sh('loginctl list-sessions --no-legend')).stdout,
    (text) => !text.includes('mallory'),
  );
  expect((await run('grep ^mallory: /etc/shadow')).split(':')).toMatchObject({ 1: '!$6$salt$hash', 7: '1' });
  await machine.sh(session('second'));
  await pause(1_000);
  expect((await machine.sh('pgrep -au mallory')).stdout).toBe('');
  expect(await run('mdr-agent status')).toContain('Blocked: mallory');

  expect(await done({ action: 'unblockUser', target: 'mallory' })).toMatchObject({ state: 'verified' });
  expect(await run('grep ^mallory: /etc/shadow')).toBe(shadow);
  await run(session('third'));
  await until(
    async () => (await machine.sh('loginctl list-sessions --no-legend')).stdout,
    (text) => text.includes('mallory'),
  );
  await run('systemctl stop third');
});

test('restarts when killed and stops immediately and cleanly', async () => {
  const before = await property('MainPID');
  await run('systemctl kill -s KILL mdr-agent');
  await until(
    () => property('MainPID'),
    (now) => now !== before && now !== '0',
  );
  expect(await property('NRestarts')).toBe('1');
  await checksInAgain();

  // During its long poll.
  await pause(2_000);
  const stoppedAt = Date.now();
  await run('systemctl stop mdr-agent');
  const took = Date.now() - stoppedAt;
  console.log(`Stopping took ${took} ms.`);
  expect(took).toBeLessThan(5_000);
  expect(await property('Result')).toBe('success');
  expect(await property('ExecMainStatus')).toBe('0');
  await run('systemctl start mdr-agent');
  await checksInAgain();
});

test('keeps its identity and updates its options on reinstall', async () => {
  const { id } = await agentRow();
  expect(await install('--no-journal')).toContain('The agent is running.');
  await checksInAgain();
  expect(await run('systemctl is-active mdr-agent')).toBe('active');
  expect(await run('mdr-agent status')).toMatch(/Journal: off/);
  expect(await device()).toMatchObject({ agent: { agentID: id, state: 'online' } });
});

test('leaves no process, unit, rule or file when uninstalled while isolated', async () => {
  expect(await done({ action: 'isolate', releaseInSeconds: 3600 })).toMatchObject({ state: 'verified' });
  expect(await machine.reachesStranger()).toBe(false);
  expect(await run('mdr-agent uninstall')).toContain('The agent is removed.');
  expect((await machine.sh('pgrep -af mdr-agent')).stdout).toBe('');
  expect(await run('nft list tables')).toBe('table inet filter');
  expect(await machine.reachesStranger()).toBe(true);
  expect(
    (await machine.sh('systemctl list-units --all --no-legend "mdr-*"; systemctl list-unit-files --no-legend "mdr-*"')).stdout,
  ).toBe('');
  expect(await run('find / -xdev -name "mdr-*" -not -path "/proc/*" -not -path "/sys/*"')).toBe('');
  expect((await machine.sh('command -v mdr-agent')).status).not.toBe(0);
});

test('accepts rsyslog set up by the portal’s command as a device of its own', async () => {
  await run('hostnamectl set-hostname logs01 && sed -i "s/ booted.*/ logs01/" /etc/hosts && systemctl restart rsyslog');
  expect(await device('logs01')).toBeUndefined();
  const answer = await t.call(
    collectorsApi.download,
    { params: { client: organisationId, kind: 'rsyslog' }, body: { keyName: 'logs01' } },
    admin,
  );
  const { command } = answer.json<{ command: string }>();
  const ran = await machine.sh(command);
  expect(ran.status, ran.stderr).toBe(0);
  expect(await run('systemctl is-active rsyslog')).toBe('active');
  await run("logger -t sshd 'Failed password for invalid user shipped from 203.0.113.9 port 50002 ssh2'");
  const rows = await until(
    () => eventsWith('invalid user shipped'),
    (all) => all.length > 0,
  );
  expect(rows).toEqual([expect.objectContaining({ device: 'logs01' })]);
  expect(await device('logs01')).toMatchObject({ name: 'logs01', hasAgent: false, state: 'reporting' });
  // The file contains a key.
  expect(await run('stat -c %a /etc/rsyslog.d/90-portal.conf')).toBe('600');
});
