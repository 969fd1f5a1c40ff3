/** Pure parts of the isolation. packages/server/test/agent.host.long.test.ts verifies that packets are dropped. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIsolation } from './isolation.ts';
import { readTable, rulesOf } from './isolationRules.ts';

let state: string;
let nftFolder: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'mdr-isolation-'));
  nftFolder = state;
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** A fake kernel that loads rulesets and loses them on reboot. */
function kernel() {
  let rules: string | undefined;
  return {
    nft: async (args: string[]) => {
      if (args[0] === '-f') rules = readFileSync(args[1] as string, 'utf8');
      else if (args[0]?.startsWith('add table')) rules = undefined;
      else if (rules === undefined) throw new Error('No such file or directory');
      else return asJson(Number(/timeout (\d+)s/.exec(rules)?.[1]));
      return '';
    },
    flush: () => {
      rules = undefined;
    },
    has: () => rules !== undefined,
    rules: () => rules,
    seconds: () => Number(/timeout (\d+)s/.exec(rules ?? '')?.[1]),
  };
}
const asJson = (expires: number, chains = ['input', 'output', 'forward']) =>
  JSON.stringify({
    nftables: [
      { set: { name: 'held', elem: ['ipv4', 'ipv6'].map((val) => ({ elem: { val, expires } })) } },
      ...chains.flatMap((name) => [
        { chain: { name, hook: name } },
        { rule: { chain: name, expr: [{ match: { left: { meta: { key: 'nfproto' } }, right: '@held' } }, { drop: null }] } },
      ]),
    ],
  });

function host() {
  let uptime = 100;
  let startedAt = 0;
  let bootId = 'first';
  const fake = kernel();
  const troubles: string[] = [];
  const create = () =>
    createIsolation({
      state,
      client: { host: '192.0.2.1', port: 443, pin: () => {}, lastAddress: () => undefined },
      clock: { uptime: () => uptime, sinceStart: () => uptime - startedAt, startId: () => bootId },
      trouble: (text) => troubles.push(text),
      nft: (args) => fake.nft(args),
    });
  return {
    fake,
    troubles,
    create,
    pass: (seconds: number) => {
      uptime += seconds;
    },
    boot: (name: string, at = 20) => {
      bootId = name;
      uptime = at;
      startedAt = 0;
      fake.flush();
    },
    /** The uptime continues, since it is the machine's. */
    bootContainer: (name: string) => {
      bootId = name;
      uptime += 20;
      startedAt = uptime - 20;
      fake.flush();
    },
  };
}

test('continues with the remaining time after an agent restart, independent of the clock', async () => {
  const { create, fake, pass } = host();
  await create().isolate(3_600);
  pass(1_000);
  fake.flush();
  await create().keep();
  expect(fake.seconds()).toBe(2_600);
});

test('continues after a reboot with the saved remaining time less the new uptime', async () => {
  const { create, fake, pass, boot } = host();
  const isolation = create();
  await isolation.isolate(3_600);
  pass(600);
  await isolation.keep();
  boot('second');
  await create().keep();
  expect(fake.seconds()).toBe(2_980);
  // A second reboot continues instead of starting over.
  pass(480);
  await create().keep();
  boot('third');
  await create().keep();
  expect(fake.seconds()).toBeLessThanOrEqual(2_980 - 20);
});

test('survives a container restart, where uptime is the machine’s', async () => {
  const { create, fake, bootContainer, pass } = host();
  pass(1_000_000);
  await create().isolate(3_600);
  bootContainer('second');
  await create().keep();
  expect(fake.seconds()).toBe(3_580);
  // Rules loaded by the unit have their own timeout.
  bootContainer('third');
  await fake.nft(['-f', join(state, 'isolation.nft')]);
  await create().keep();
  pass(100);
  fake.flush();
  await create().keep();
  expect(fake.seconds()).toBe(3_480);
});

test('releases the host at the deadline and removes all files', async () => {
  const { create, fake, pass, troubles } = host();
  const isolation = create();
  await isolation.isolate(60);
  pass(61);
  await isolation.keep();
  expect(fake.has()).toBe(false);
  expect(existsSync(join(nftFolder, 'isolation.json')) || existsSync(join(nftFolder, 'isolation.nft'))).toBe(false);
  expect(troubles.join()).toMatch(/its own time/);
});

test('closes DNS access left open by an agent that died', async () => {
  const { create, fake, pass } = host();
  await create().isolate(3_600);
  const open = join(state, 'open.nft');
  writeFileSync(open, rulesOf({ addresses: ['192.0.2.1'], port: 443, seconds: 3_600, names: ['9.9.9.9'] }));
  await fake.nft(['-f', open]);
  expect(fake.rules()).toContain('dport 53');
  pass(100);
  await create().keep();
  expect(fake.rules()).not.toContain('dport 53');
  expect(fake.seconds()).toBe(3_500);
});

test('fails without isolating the host later when nft is missing or refuses', async () => {
  const { create, fake } = host();
  const works = fake.nft;
  fake.nft = async () => Promise.reject(new Error('nft is not installed.'));
  await expect(create().isolate(3_600)).rejects.toThrow(/nft is not/);
  expect(existsSync(join(state, 'isolation.json')) || existsSync(join(state, 'isolation.nft'))).toBe(false);
  expect(await create().observe()).toEqual({ isIsolated: false, releaseInSeconds: null });
  fake.nft = works;
  await create().keep();
  expect(fake.has()).toBe(false);
});

test('restarts the time on renewal and finishes an interrupted release', async () => {
  const { create, fake, pass } = host();
  const isolation = create();
  await isolation.isolate(60);
  pass(50);
  await isolation.isolate(600);
  pass(100);
  await isolation.keep();
  expect(fake.has()).toBe(true);
  for (const name of ['isolation.json', 'isolation.nft']) rmSync(join(state, name));
  await create().keep();
  expect(fake.has()).toBe(false);
});

test('reports isolation only with both families and all three chains', () => {
  expect(readTable(asJson(60))).toEqual({ isIsolated: true, releaseInSeconds: 60 });
  expect(readTable(asJson(60, ['input', 'output'])).isIsolated).toBe(false);
  expect(readTable('{"nftables":[]}').isIsolated).toBe(false);
  expect(readTable('').isIsolated).toBe(false);
  expect(readTable(asJson(60).replace('{"drop":null}', '{"accept":null}')).isIsolated).toBe(false);
});

test('allows only the portal’s addresses and port, and DNS only on demand', () => {
  const rules = rulesOf({ addresses: ['192.0.2.1', '2001:db8::1'], port: 443, seconds: 60, names: [] });
  expect(rules).toContain('ip daddr 192.0.2.1 tcp dport 443 accept');
  expect(rules).toContain('ip6 saddr 2001:db8::1 tcp sport 443 ct state established accept');
  expect(rules).not.toContain('port 53');
  expect(rulesOf({ addresses: [], port: 443, seconds: 60, names: ['9.9.9.9'] })).toContain(
    'ip daddr 9.9.9.9 udp dport 53 accept',
  );
});
