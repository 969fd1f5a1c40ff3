/** Targets of tasks are validated before any command runs. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentTask } from '@parapet/contract/agentProtocol.ts';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { linuxHost } from './hosts.ts';
import type { Isolation } from './isolation.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-host-'));
  // Each command that runs creates a marker file.
  for (const tool of ['usermod', 'loginctl']) {
    writeFileSync(join(folder, tool), `#!/bin/sh\necho "$@" >>${folder}/ran\n`);
    chmodSync(join(folder, tool), 0o755);
  }
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});
const host = () => linuxHost({ state: folder, isolation: {} as Isolation, clock: systemClock });
const task = (action: AgentTask['action'], target: string, expectedName = ''): AgentTask => ({
  ...{ id: 1, sequence: 1, action, target, expectedName, maxBytes: 0, releaseInSeconds: null, expiresInSeconds: 60 },
});

test('refuses invalid names, root and service accounts without running a tool', async () => {
  for (const name of ['-rf', '--help', '', ' ', 'a b', 'a;b', 'a\nb', '../x', '$(id)', '0', 'a\0b', 'x'.repeat(256)])
    for (const action of ['blockUser', 'unblockUser'] as const)
      await expect(host().act(task(action, name)), name).rejects.toThrow(/no name of an account/);
  for (const name of ['root', 'daemon', 'nobody', 'ROOT', '_', 'no-such-account'])
    await expect(host().act(task('blockUser', name)), name).rejects.toThrow(/is not blocked/);
  expect([existsSync(join(folder, 'ran')), existsSync(join(folder, 'blocked.json'))]).toEqual([false, false]);
});

test('refuses invalid pids, process 1, kernel threads, the agent and pids of other programs', async () => {
  const own = String(process.pid);
  for (const target of ['', '0', '1', '-1', `-${own}`, '1e3', '0x10', ' 2', '4294967297', own, String(process.ppid)])
    await expect(host().act(task('killProcess', target, 'node')), target).rejects.toThrow(
      /may be killed|the agent itself|no process/,
    );
  await expect(host().act(task('killProcess', '2', 'kthreadd'))).rejects.toThrow(/kernel|not kthreadd|no process/);
  await expect(host().act(task('killProcess', own, ''))).rejects.toThrow();
});
