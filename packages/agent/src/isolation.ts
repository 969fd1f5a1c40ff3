/**
 * Isolates the host from everything but the portal in a dedicated nftables table. The kernel enforces the automatic release:
 * the rules drop packets only while the set `held` has elements, which time out even without the agent. Time while the host is
 * off does not count, and clock changes have no effect.
 */
import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from './client.ts';
import type { HostClock } from './clock.ts';
import { readJson, readText, syncFolder, writeDurably } from './files.ts';

const run = promisify(execFile);
const table = 'inet mdr_agent';
const saveEverySeconds = 60;
const hooks = ['input', 'output', 'forward'] as const;

interface SavedIsolation {
  /** Boot that `deadline` refers to; after a reboot, `secondsLeft` applies. */
  startId: string;
  /** Host uptime in seconds at which the isolation ends. */
  deadline: number;
  secondsLeft: number;
  addresses: string[];
}

export interface Isolation {
  isolate(releaseInSeconds: number): Promise<string>;
  release(): Promise<string>;
  /** Current state in the kernel. */
  observe(): Promise<{ isIsolated: boolean; releaseInSeconds: number | null }>;
  /** Restores an active isolation and ends an expired one; called at start and periodically. */
  keep(): Promise<void>;
  /** Resolves the portal's name again after prolonged failure; allows DNS for at most 20 seconds. */
  refreshPortalAddresses(): Promise<void>;
}

export interface IsolationDeps {
  state: string;
  client: Pick<Client, 'host' | 'port' | 'pin' | 'lastAddress'>;
  clock: HostClock;
  trouble: (text: string) => void;
  nft?: (args: string[]) => Promise<string>;
}

export function createIsolation({ state, client, clock, trouble, nft = runNft }: IsolationDeps): Isolation {
  const stateFile = join(state, 'isolation.json');
  const rulesFile = join(state, 'isolation.nft');

  let isFirst = true;
  let savedAt = Number.NEGATIVE_INFINITY;
  // Serialises calls from tasks and check-ins.
  let queue: Promise<unknown> = Promise.resolve();
  function serialised<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work, work);
    queue = result.catch(() => {});
    return result;
  }

  function held(): SavedIsolation | undefined {
    const saved = readJson<SavedIsolation>(stateFile);
    if (!saved) return undefined;
    // After a reboot, subtract the whole time since boot from the last saved value.
    const secondsLeft =
      saved.startId === clock.startId() ? saved.deadline - clock.uptime() : saved.secondsLeft - clock.sinceStart();
    return { ...saved, secondsLeft: Math.max(0, Math.ceil(secondsLeft)) };
  }

  async function apply(
    { addresses, secondsLeft }: Pick<SavedIsolation, 'addresses' | 'secondsLeft'>,
    opensNames = false,
  ): Promise<void> {
    const isolated: SavedIsolation = { startId: clock.startId(), deadline: clock.uptime() + secondsLeft, secondsLeft, addresses };
    const names = opensNames ? nameServers() : [];
    // Write rules first: the unit that loads them at boot reads nothing else.
    await writeDurably(rulesFile, rulesOf({ addresses, port: client.port, seconds: secondsLeft, names }));
    await writeDurably(stateFile, JSON.stringify(isolated));
    await nft(['-f', rulesFile]);
    client.pin(isIP(client.host) ? [] : addresses);
  }

  async function forget(): Promise<void> {
    for (const file of [rulesFile, stateFile]) if (existsSync(file)) await unlink(file);
    await syncFolder(state);
    client.pin([]);
  }

  async function observe() {
    const observed = await nft(['-j', 'list', 'table', 'inet', 'mdr_agent']).catch(() => undefined);
    return observed === undefined ? { isIsolated: false, releaseInSeconds: null } : readTable(observed);
  }

  async function release(): Promise<string> {
    await forget();
    // Add the table first, so that the deletion cannot fail because it is missing.
    await nft([`add table ${table}; delete table ${table}`]);
    return 'The network is open again.';
  }

  const portalAddresses = async (): Promise<string[]> => {
    if (isIP(client.host)) return [client.host];
    const found = (await lookup(client.host, { all: true })).map(({ address }) => address);
    const last = client.lastAddress()?.replace(/^::ffff:/, '');
    return [...new Set([...found, ...(last && isIP(last) ? [last] : [])])].slice(0, 64);
  };

  async function isolate(releaseInSeconds: number): Promise<string> {
    const before = held();
    // On renewal the host is isolated and has no DNS.
    const addresses = before?.addresses ?? (await portalAddresses());
    try {
      await apply({ addresses, secondsLeft: releaseInSeconds });
    } catch (error) {
      if (before) await apply(before).catch(() => {});
      else await forget();
      throw error;
    }
    return `Only the portal at ${addresses.join(', ')} is reachable, for ${releaseInSeconds} seconds at most.`;
  }

  async function keep(): Promise<void> {
    const saved = held();
    if (!saved) {
      // Finish a release interrupted by a crash.
      if (isFirst && (await observe()).isIsolated) await release();
      isFirst = false;
      return;
    }
    const wasFirst = isFirst;
    isFirst = false;
    const observed = await observe();
    const isSameStart = saved.startId === clock.startId();
    // The unit loaded the rules at this boot; the kernel timeout is current.
    const secondsLeft = isSameStart ? saved.secondsLeft : (observed.releaseInSeconds ?? saved.secondsLeft);
    const wanted = { ...saved, secondsLeft };
    if (wanted.secondsLeft <= 0) {
      await release();
      trouble('The isolation ended by its own time limit; it was not renewed.');
      return;
    }
    // Another program replaced the rules (`flush ruleset`), or the host rebooted.
    if (!observed.isIsolated && isSameStart) trouble('The isolation rules were gone and were set again.');
    // The previous process may have died while DNS was allowed.
    if (!observed.isIsolated || wasFirst) return apply(wanted);
    client.pin(isIP(client.host) ? [] : wanted.addresses);
    if (isSameStart && clock.uptime() - savedAt < saveEverySeconds) return;
    savedAt = clock.uptime();
    // Persist the remaining time in case of power loss.
    await writeDurably(
      rulesFile,
      rulesOf({ addresses: wanted.addresses, port: client.port, seconds: wanted.secondsLeft, names: [] }),
    );
    await writeDurably(
      stateFile,
      JSON.stringify({ ...wanted, startId: clock.startId(), deadline: clock.uptime() + wanted.secondsLeft }),
    );
  }

  async function refreshPortalAddresses(): Promise<void> {
    const wanted = held();
    if (!wanted || wanted.secondsLeft <= 0 || isIP(client.host)) return;
    await apply(wanted, true);
    client.pin([]);
    const addresses = await Promise.race([
      portalAddresses().catch(() => []),
      new Promise<string[]>((resolve) => setTimeout(() => resolve([]), 20_000).unref()),
    ]);
    await apply({ ...wanted, addresses: addresses.length > 0 ? addresses : wanted.addresses });
  }

  return {
    isolate: (seconds) => serialised(() => isolate(seconds)),
    release: () => serialised(release),
    observe,
    keep: () => serialised(keep),
    refreshPortalAddresses: () => serialised(refreshPortalAddresses),
  };
}

async function runNft(args: string[]): Promise<string> {
  try {
    return (await run('nft', args, { timeout: 10_000, maxBuffer: 4 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error('nft is not installed. Install the package nftables.');
    throw new Error(`nftables refused: ${(stderr || String(error)).trim().slice(0, 500)}`);
  }
}

/** Complete ruleset; loading it replaces the previous table atomically. */
export function rulesOf({
  addresses,
  port,
  seconds,
  names,
}: {
  addresses: string[];
  port: number;
  seconds: number;
  names: string[];
}): string {
  const family = (address: string) => (isIP(address) === 6 ? 'ip6' : 'ip');
  const whole = Math.max(1, Math.ceil(seconds));
  const outbound = (address: string) => `    ${family(address)} daddr ${address} tcp dport ${port} accept`;
  // Accept replies only; a connection from the portal would be new.
  const reply = (address: string) => `    ${family(address)} saddr ${address} tcp sport ${port} ct state established accept`;
  const queries = names.flatMap((address) =>
    ['udp', 'tcp'].map((kind) => `    ${family(address)} daddr ${address} ${kind} dport 53 accept`),
  );
  const replies = names.flatMap((address) =>
    ['udp', 'tcp'].map((kind) => `    ${family(address)} saddr ${address} ${kind} sport 53 ct state established accept`),
  );
  const neighbours = `    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit, nd-router-advert } ip6 hoplimit 255 accept
    icmpv6 type { mld-listener-query, mld-listener-report, mld2-listener-report } accept`;
  return `table ${table}
delete table ${table}
table ${table} {
  set held {
    type nf_proto
    flags timeout
    elements = { ipv4 timeout ${whole}s, ipv6 timeout ${whole}s }
  }
  chain input {
    type filter hook input priority -310; policy accept;
    iifname "lo" accept
${[...addresses.map(reply), ...replies].join('\n')}
    udp sport 67 udp dport 68 accept
    udp sport 547 udp dport 546 accept
${neighbours}
    meta nfproto @held drop
  }
  chain output {
    type filter hook output priority -310; policy accept;
    oifname "lo" accept
${[...addresses.map(outbound), ...queries].join('\n')}
    udp sport 68 udp dport 67 accept
    udp sport 546 udp dport 547 accept
${neighbours}
    meta nfproto @held drop
  }
  chain forward {
    type filter hook forward priority -310; policy accept;
    meta nfproto @held drop
  }
}
`;
}

/**
 * Parses `nft -j list table`. The host is isolated if all three chains exist and drop packets, and the timeout has not expired.
 */
export function readTable(json: string): { isIsolated: boolean; releaseInSeconds: number | null } {
  const no = { isIsolated: false, releaseInSeconds: null };
  let parts: Record<string, Record<string, unknown>>[];
  try {
    parts = (JSON.parse(json) as { nftables: typeof parts }).nftables;
  } catch {
    return no;
  }
  const left = parts
    .filter(({ set }) => set?.name === 'held')
    .flatMap(({ set }) => (set?.elem as { elem?: { expires?: number } }[] | undefined) ?? [])
    .map(({ elem }) => elem?.expires ?? 0);
  const drops = (chain: string) =>
    parts.some(({ chain: found }) => found?.name === chain && found.hook === chain) &&
    parts.some(({ rule }) => rule?.chain === chain && /"@held".*"drop":null/.test(JSON.stringify(rule.expr)));
  if (left.length < 2 || !hooks.every(drops)) return no;
  return { isIsolated: true, releaseInSeconds: Math.max(0, Math.floor(Math.min(...left))) };
}

/** Name servers, including those behind the local stub of systemd-resolved. */
function nameServers(): string[] {
  const of = (file: string) => [...readText(file).matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address as string);
  const all = [...of('/etc/resolv.conf'), ...of('/run/systemd/resolve/resolv.conf')];
  return [...new Set(all)].filter((address) => isIP(address) && !/^(127\.|::1$)/.test(address)).slice(0, 6);
}
