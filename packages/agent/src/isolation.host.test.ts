/** Real nftables in its own network namespace; other tables must stay unchanged. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createIsolation } from './isolation.ts';

const isPossible = spawnSync('unshare', ['-n', 'nft', 'list', 'ruleset']).status === 0;
if (!isPossible) console.warn('The real nftables is left out: it needs root, nft and a network namespace.');

describe.skipIf(!isPossible)('on a host that has tables of its own', { timeout: 30_000 }, () => {
  let folder: string;
  let holder: ChildProcess;
  const nft = async (args: string[]) => {
    const { status, stdout, stderr } = spawnSync('nsenter', ['-t', String(holder.pid), '-n', 'nft', ...args], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  // The table's name in another family, its set's name in another table, and accept-all rules before and after.
  const foreign = `table inet firewall {
  set held {
    type ipv4_addr
    flags timeout
    elements = { 192.0.2.7 timeout 1h }
  }
  chain input { type filter hook input priority -400; policy accept; accept; }
  chain output { type filter hook output priority 400; policy accept; accept; }
}
table ip mdr_agent {
  chain output { type filter hook output priority filter; policy accept; ip daddr 192.0.2.9 accept; }
}
table ip6 filter {
  chain INPUT { type filter hook input priority filter; policy drop; }
}
`;
  const others = async () => (await nft(['-s', 'list', 'ruleset'])).replace(/table inet mdr_agent \{.*?\n\}\n/s, '');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-nft-'));
    holder = spawn('unshare', ['-n', 'sleep', '60'], { stdio: 'ignore' });
    const own = readlinkSync('/proc/self/ns/net');
    await vi.waitUntil(() => readlinkSync(`/proc/${holder.pid}/ns/net`) !== own);
    writeFileSync(join(folder, 'foreign.nft'), foreign);
    await nft(['-f', join(folder, 'foreign.nft')]);
  });
  afterAll(() => {
    holder?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(['192.0.2.1', '2001:db8::1'])(
    'isolating and releasing with the portal at %s changes nothing of them',
    async (address) => {
      const before = await others();
      expect(before).toContain('table ip mdr_agent');
      let uptime = 100;
      const troubles: string[] = [];
      const isolation = createIsolation({
        state: folder,
        client: { host: address, port: 443, pin: () => {}, lastAddress: () => undefined },
        clock: { uptime: () => uptime, sinceStart: () => uptime, startId: () => 'one' },
        trouble: (text) => troubles.push(text),
        nft,
      });
      expect((await isolation.observe()).isIsolated).toBe(false);
      await isolation.isolate(3_600);
      expect(await isolation.observe()).toEqual({ isIsolated: true, releaseInSeconds: expect.toSatisfy((left) => left > 3_590) });
      expect(await others()).toBe(before);
      // A firewall reload flushes all rules.
      await nft(['flush ruleset']);
      await nft(['-f', join(folder, 'foreign.nft')]);
      uptime += 10;
      await isolation.keep();
      expect((await isolation.observe()).isIsolated).toBe(true);
      expect(await others()).toBe(before);
      expect(troubles).toEqual([expect.stringMatching(/were gone and were set again/)]);
      await isolation.release();
      expect(await isolation.observe()).toEqual({ isIsolated: false, releaseInSeconds: null });
      expect(await nft(['-s', 'list', 'ruleset'])).toBe(before);
    },
  );
});
