/** The real agent on an isolated host (e2e/agent.ts) against the real server; effects are verified by packets, accounts and processes. */

import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentSandbox, createAgentSandbox, sandboxUnavailableReason } from '../../../e2e/agent.ts';
import { buildAgentWhenNeeded } from '../../../tools/build-agent.ts';
import { scoped } from '../src/core/db/scope.ts';
import { type NewTask, queueTask } from '../src/features/agents/agents.tasks.ts';
import { enrolmentToken } from './agents.fixture.ts';
import { type TestApp, testApp } from './app.ts';
import { eventRows } from './storedEvents.ts';

const reason = sandboxUnavailableReason();
if (reason) console.warn(`Skipping the agent host tests: ${reason}.`);

describe.skipIf(reason !== undefined)('the agent on an isolated host', { timeout: 90_000 }, () => {
  let t: TestApp;
  let lab: AgentSandbox;
  let agent: ReturnType<AgentSandbox['startAgent']>;
  let organisationId: number;
  let agentId: number;
  let logFile: string;

  const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
  const agentRow = () => system((tx) => tx.selectFrom('agents').selectAll().where('id', '=', agentId).executeTakeFirstOrThrow());
  const taskRow = (id: number) =>
    system((tx) => tx.selectFrom('agent_tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow());

  /** Polls until the expectation holds; reports the last value on timeout. */
  async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean, ms = 20_000): Promise<T> {
    for (const end = Date.now() + ms; ; ) {
      const value = await read();
      if (holds(value)) return value;
      if (Date.now() > end) throw new Error(`Timed out at ${JSON.stringify(value)?.slice(0, 2000)}\n${agent?.output()}`);
      await pause(50);
    }
  }
  const request = async (task: Pick<NewTask, 'action'> & Partial<NewTask>) => {
    const now = Date.now();
    const id = await system((tx) =>
      queueTask(tx, {
        ...{ organisationId, agentId, responseId: null, target: '' },
        ...{ createdAt: new Date(now), expiresAt: new Date(now + 600_000) },
        ...task,
      }),
    );
    return id as number;
  };
  const ended = (id: number) =>
    until(
      () => taskRow(id),
      ({ state }) => state === 'verified' || state === 'failed',
    );
  const done = async (task: Parameters<typeof request>[0]) => ended(await request(task));
  const shadowOf = async (name: string) =>
    (await lab.run(['cat', '/etc/shadow'])).stdout
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':') ?? [];

  beforeAll(async () => {
    await buildAgentWhenNeeded();
    t = await testApp();
    organisationId = await t.organisation();
    const address = await t.application.app.listen({ port: 0, host: '127.0.0.1' });
    lab = await createAgentSandbox(Number(new URL(address).port));
    logFile = join(lab.folder, 'log', 'auth.log');
    writeFileSync(logFile, 'what was before the agent is not news\n');
    const words = ['--server', lab.url, '--allow-http', '--token', await enrolmentToken(t, organisationId)];
    const enrolled = await lab.agent('enrol', ...words, '--no-journal', '--file', logFile, '--name', 'lab01');
    expect(enrolled).toMatchObject({ status: 0, stderr: '' });
    agentId = Number(/agent (\d+)/.exec(enrolled.stdout)?.[1]);
    agent = lab.startAgent();
    await until(agentRow, ({ inventory }) => inventory !== null);
  }, 120_000);
  afterAll(async () => {
    await lab?.close();
    await t?.close();
  });

  test('keeps its key readable by root only, and the host needs it to enrol again', async () => {
    const { stdout } = await lab.run(['stat', '-c', '%a', lab.state, join(lab.state, 'agent.json')]);
    expect(stdout).toBe('700\n600\n');
    const words = ['--server', lab.url, '--allow-http', '--token', await enrolmentToken(t, organisationId), '--name', 'lab01'];
    const other = await lab.run([
      process.execPath,
      fileURLToPath(new URL('../../agent/dist/agent.mjs', import.meta.url)),
      'enrol',
      ...words,
      '--state',
      `${lab.state}-other`,
    ]);
    expect(other.status).toBe(1);
    expect(other.stderr).toMatch(/has an agent already/);
  });

  test('installs and enrols by the portal’s command', async () => {
    const machineId = join(lab.folder, 'machine-id');
    writeFileSync(machineId, 'f'.repeat(32));
    const token = await enrolmentToken(t, organisationId);
    const words = `--server ${lab.url} --token ${token} --allow-http --name installed01 --machine-id ${machineId}`;
    const installed = await lab.run(['sh', '-c', `curl -fsSL ${lab.url}/agent/install.sh | sh -s -- ${words}`]);
    expect(installed.stderr).toBe('');
    expect(installed.stdout).toContain('enrolled with');
    expect(installed.stdout).toMatch(/no systemd.*\/opt\/mdr-agent\/current\/agent\.mjs run/);
    const script = '/opt/mdr-agent/current/agent.mjs';
    const status = await lab.run([process.execPath, script, 'status']);
    expect(status.stdout).toMatch(/Not isolated/);
    expect((await lab.run([process.execPath, script, 'uninstall'])).stdout).toContain('The agent is removed');
    expect((await lab.run(['ls', '/opt/mdr-agent'])).status).not.toBe(0);
    const refused = await lab.run([
      'sh',
      '-c',
      `curl -fsSL ${lab.url}/agent/install.sh | sh -s -- ${words.replace(token, 'pe_used')}`,
    ]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/token/);
  });

  test('reports the inventory of its host', async () => {
    const { inventory } = await agentRow();
    const {
      system: about,
      users,
      addresses,
    } = inventory as { system: { os: string }; users: { name: string }[]; addresses: { address: string }[] };
    expect(about.os).toMatch(/\w/);
    expect(users.map(({ name }) => name)).toContain('root');
    expect(addresses.map(({ address }) => address)).toContain('10.77.1.2');
    const packages = await system((tx) =>
      tx.selectFrom('agent_packages').select('name').where('agent_id', '=', agentId).execute(),
    );
    expect(packages.map(({ name }) => name)).toContain('libc6');
  });

  test('ships each log line once, also across rotation', async () => {
    const line = (n: number) =>
      `Nov 21 10:00:00 lab01 sshd[${n}]: Failed password for invalid user rotated${n} from 203.0.113.9 port 5000 ssh2\n`;
    const events = () =>
      system(async (tx) => (await eventRows(tx, organisationId)).map(({ text, device_name: device }) => ({ text, device })));
    await appendFile(logFile, line(1));
    await until(events, (rows) => rows.length === 1);
    renameSync(logFile, `${logFile}.1`);
    await appendFile(`${logFile}.1`, line(2));
    writeFileSync(logFile, line(3));
    await until(events, (rows) => rows.length === 3);
    const rows = await events();
    expect(rows.map(({ text }) => /rotated(\d)/.exec(text ?? '')?.[1]).sort()).toEqual(['1', '2', '3']);
  });

  test('limits network access to the portal while isolated, across reboot and flush, until release', async () => {
    expect(await lab.reachesThird()).toBe(true);
    expect(await lab.isReachedByThird()).toBe(true);
    const talk = lab.talkToThird();
    await until(
      async () => talk.output(),
      (text) => text.includes('word'),
    );

    expect(await done({ action: 'isolate', releaseInSeconds: 3600 })).toMatchObject({ state: 'verified' });
    expect(await lab.reachesThird()).toBe(false);
    expect(await lab.isReachedByThird()).toBe(false);
    // Established connections are cut as well.
    await pause(300);
    const offset = talk.output().length;
    await pause(1_000);
    expect(talk.output().length).toBe(offset);
    await talk.kill();
    // The next check-in reports it.
    const row = await until(agentRow, ({ is_isolated }) => is_isolated);
    expect(Number(row.release_at) - Date.now()).toBeGreaterThan(3_500_000);
    expect(Number(row.release_at) - Date.now()).toBeLessThan(3_700_000);

    // The unit that restores isolation before the network is up.
    await lab.reboot();
    expect(await lab.reachesThird()).toBe(true);
    expect(await lab.run(['nft', '-f', join(lab.state, 'isolation.nft')])).toMatchObject({ status: 0 });
    expect(await lab.reachesThird()).toBe(false);
    // Without such a unit, the agent restores it.
    await lab.reboot();
    expect(await lab.reachesThird()).toBe(true);
    const before = (await agentRow()).last_check_in_at;
    agent = lab.startAgent();
    await until(
      () => lab.reachesThird(),
      (reaches) => !reaches,
    );
    await until(agentRow, ({ last_check_in_at, is_isolated }) => Number(last_check_in_at) > Number(before) && is_isolated);

    // Another program loads its own rules.
    await lab.run(['nft', 'flush', 'ruleset']);
    expect(await lab.reachesThird()).toBe(true);
    await until(
      () => lab.reachesThird(),
      (reaches) => !reaches,
    );

    expect(await done({ action: 'unisolate' })).toMatchObject({ state: 'verified' });
    expect(await lab.reachesThird()).toBe(true);
    expect(await lab.isReachedByThird()).toBe(true);
    await until(agentRow, ({ is_isolated }) => !is_isolated);
    expect((await lab.run(['nft', 'list', 'ruleset'])).stdout).toBe('');
  });

  test('releases isolation automatically, by kernel timeout when the agent is dead, else by the agent', async () => {
    await agent.kill();
    const module = fileURLToPath(new URL('../../agent/src/isolation.ts', import.meta.url));
    const script = `
      const { createIsolation } = await import(${JSON.stringify(module)});
      const { hostClock } = await import(${JSON.stringify(module.replace('isolation.ts', 'clock.ts'))});
      const client = { host: '10.77.1.1', port: 8080, pin() {}, lastAddress() {} };
      await createIsolation({ state: ${JSON.stringify(lab.state)}, client, clock: hostClock, trouble: console.error }).isolate(4);`;
    expect(await lab.run([process.execPath, '--input-type=module', '-e', script])).toMatchObject({ status: 0 });
    expect(await lab.reachesThird()).toBe(false);
    await until(
      () => lab.reachesThird(),
      (reaches) => reaches,
    );
    // The next start removes what is left.
    agent = lab.startAgent();
    await until(
      async () => (await lab.run(['nft', 'list', 'ruleset'])).stdout,
      (rules) => rules === '',
    );
    await until(
      async () => agent.output(),
      (text) => text.includes('ended by its own time'),
    );
  });

  test('locks an account, ends its sessions and restores it on unblock', async () => {
    expect(await lab.run(['useradd', '-M', '-s', '/bin/sh', '-p', '$6$salt$hash', 'mallory'])).toMatchObject({ status: 0 });
    const session = lab.start(['setpriv', '--reuid=mallory', '--clear-groups', 'sleep', '1000']);
    await until(
      async () => (await lab.run(['ps', '-o', 'user=', '-C', 'sleep'])).stdout,
      (users) => users.includes('mallory'),
    );

    expect(await done({ action: 'blockUser', target: 'mallory' })).toMatchObject({ state: 'verified' });
    expect((await shadowOf('mallory'))[1]).toBe('!$6$salt$hash');
    expect((await shadowOf('mallory'))[7]).toBe('1');
    expect((await lab.run(['ps', '-o', 'user=', '-C', 'sleep'])).stdout).not.toContain('mallory');
    await session.kill();
    await until(agentRow, ({ said }) => JSON.stringify(said).includes('mallory'));

    expect(await done({ action: 'unblockUser', target: 'mallory' })).toMatchObject({ state: 'verified' });
    expect((await shadowOf('mallory')).slice(1, 2)).toEqual(['$6$salt$hash']);
    expect((await shadowOf('mallory'))[7]).toBe('');
  });

  test('refuses to block root, services and unknown accounts', async () => {
    for (const [target, why] of [
      ['root', /root/],
      ['daemon', /system/],
      ['nobody', /system/],
      ['stranger', /no such account/],
    ] as const) {
      const { state, detail } = await done({ action: 'blockUser', target });
      expect(state).toBe('failed');
      expect(detail).toMatch(why);
    }
    expect((await shadowOf('root'))[7]).toBe('');
  });

  test('kills a process only while its PID belongs to the expected program', async () => {
    const victim = lab.start(['sleep', '2000']);
    const target = await until(
      async () => (await lab.run(['pgrep', '-f', '^sleep 2000$'])).stdout.trim(),
      (pid) => pid !== '',
    );
    const wrong = await done({ action: 'killProcess', target, expectedName: 'sshd' });
    expect(wrong).toMatchObject({ state: 'failed', detail: expect.stringMatching(/is sleep, not sshd/) });
    expect((await lab.run(['pgrep', '-f', '^sleep 2000$'])).stdout.trim()).toBe(target);
    expect(await done({ action: 'killProcess', target, expectedName: 'sleep' })).toMatchObject({ state: 'verified' });
    expect((await lab.run(['pgrep', '-f', '^sleep 2000$'])).stdout).toBe('');
    await victim.kill();
    expect(await done({ action: 'killProcess', target: '1', expectedName: 'sleep' })).toMatchObject({ state: 'failed' });
    const own = (await lab.run(['pgrep', '-f', 'agent.mjs run'])).stdout.trim();
    expect(await done({ action: 'killProcess', target: own, expectedName: 'node' })).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(/agent itself/),
    });
  });

  test('collects regular files; refuses links, folders, its own files and oversized ones', async () => {
    const path = join(lab.folder, 'evidence.bin');
    const bytes = Buffer.from([0, 1, 2, 255, 10, 60, 115, 99]);
    writeFileSync(path, bytes);
    symlinkSync(path, `${path}.link`);
    const id = await request({ action: 'collectFile', target: path, maxBytes: 1000 });
    expect(await ended(id)).toMatchObject({ state: 'verified' });
    const file = await system((tx) =>
      tx.selectFrom('collected_files').selectAll().where('task_id', '=', id).executeTakeFirstOrThrow(),
    );
    expect(file).toMatchObject({ path, is_stored: true });
    expect(Number(file.size)).toBe(bytes.length);
    for (const [target, maxBytes] of [
      [`${path}.link`, 0],
      [lab.folder, 0],
      [join(lab.state, 'agent.json'), 0],
      [`${lab.folder}/../${lab.folder.split('/').at(-1)}/evidence.bin`, 0],
      [path, 4],
      ['/proc/self/environ', 0],
    ] as const)
      expect(await done({ action: 'collectFile', target, maxBytes })).toMatchObject({ state: 'failed' });
    expect(
      await system((tx) => tx.selectFrom('collected_files').select('id').where('organisation_id', '=', organisationId).execute()),
    ).toHaveLength(1);
  });

  test('neither loses nor repeats events when killed', async () => {
    const id = await request({ action: 'isolate', releaseInSeconds: 600 });
    await until(
      () => taskRow(id),
      ({ state }) => state !== 'queued',
      5_000,
    );
    await agent.kill();
    await appendFile(
      logFile,
      Array.from({ length: 500 }, (_, n) => `Nov 21 10:01:00 lab01 app[1]: while it was dead ${n}\n`).join(''),
    );
    agent = lab.startAgent();
    await until(
      () => system((tx) => eventRows(tx, organisationId)),
      (rows) => rows.filter(({ text }) => text.includes('while it was dead')).length === 500,
    );
    const { state } = await ended(id);
    const { is_isolated } = await until(agentRow, (row) => row.is_isolated === (state === 'verified'));
    expect(await lab.reachesThird()).toBe(!is_isolated);
    const lines = readFileSync(join(lab.state, 'tasks.jsonl'), 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('"begin"') && line.includes(`"id":${id},`))).toHaveLength(1);
    await done({ action: 'unisolate' });
  });

  test('stops shipping when revoked, keeps its buffer and logs the reason', async () => {
    await system((tx) => tx.updateTable('agents').set({ revoked_at: new Date() }).where('id', '=', agentId).execute());
    await appendFile(logFile, 'Nov 21 10:02:00 lab01 app[1]: after the revocation\n');
    await until(
      async () => agent.output(),
      (text) => /revoked/.test(text),
      60_000,
    );
    await until(
      async () => (await lab.run(['sh', '-c', `grep -c 'after the revocation' ${lab.state}/buffer/*.bulk`])).stdout,
      (count) => count.includes('1'),
    );
    const found = await system((tx) => eventRows(tx, organisationId));
    expect(found.filter(({ text }) => text.includes('after the revocation'))).toEqual([]);
    const uninstalled = await lab.agent('uninstall');
    expect(uninstalled.stdout).toContain('The agent is removed');
    expect((await lab.run(['ls', lab.state])).status).not.toBe(0);
  });
});
