/**
 * Cuts the host off from everything but the portal, in a table of nftables of its own. The kernel itself counts the time until the dead man's release:
 * the rules drop only while the set `held` has its elements, and these time out, agent or no agent. Time in which the host is off does not count, and
 * no change of the clock matters.
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

interface Isolated {
  /** In which start of the host the deadline is meant; in another one what was left counts on. */
  startId: string;
  /** Seconds of uptime at which it ends. */
  deadline: number;
  secondsLeft: number;
  addresses: string[];
}

export interface Isolation {
  isolate(releaseInSeconds: number): Promise<string>;
  release(): Promise<string>;
  /** What the kernel has now. */
  observe(): Promise<{ isIsolated: boolean; releaseInSeconds: number | null }>;
  /** After a start and from time to time: what should hold holds, what is over ends. */
  keep(): Promise<void>;
  /** The portal was not reached for long: its name may have moved. Asks for it, with the way to the name servers open for that moment. */
  findPortalAgain(): Promise<void>;
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
  // Tasks and check-ins both come here.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  }

  function held(): Isolated | undefined {
    const saved = readJson<Isolated>(stateFile);
    if (!saved) return undefined;
    // Another start: all of its time is taken off what was left when that was last written down.
    const secondsLeft =
      saved.startId === clock.startId() ? saved.deadline - clock.uptime() : saved.secondsLeft - clock.sinceStart();
    return { ...saved, secondsLeft: Math.max(0, Math.ceil(secondsLeft)) };
  }

  async function hold(
    { addresses, secondsLeft }: Pick<Isolated, 'addresses' | 'secondsLeft'>,
    opensNames = false,
  ): Promise<void> {
    const isolated: Isolated = { startId: clock.startId(), deadline: clock.uptime() + secondsLeft, secondsLeft, addresses };
    const names = opensNames ? nameServers() : [];
    // Rules first: the unit that loads them at start looks at nothing else.
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
    const seen = await nft(['-j', 'list', 'table', 'inet', 'mdr_agent']).catch(() => undefined);
    return seen === undefined ? { isIsolated: false, releaseInSeconds: null } : readTable(seen);
  }

  async function release(): Promise<string> {
    await forget();
    // Adding it first makes deleting it never fail for want of it.
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
    // Renewed: names cannot be asked any more.
    const addresses = before?.addresses ?? (await portalAddresses());
    try {
      await hold({ addresses, secondsLeft: releaseInSeconds });
    } catch (error) {
      if (before) await hold(before).catch(() => {});
      else await forget();
      throw error;
    }
    return `Only the portal at ${addresses.join(', ')} is reachable, for ${releaseInSeconds} seconds at most.`;
  }

  async function keep(): Promise<void> {
    const saved = held();
    if (!saved) {
      // A release that was interrupted by a crash.
      if (isFirst && (await observe()).isIsolated) await release();
      isFirst = false;
      return;
    }
    const wasFirst = isFirst;
    isFirst = false;
    const seen = await observe();
    const isSameStart = saved.startId === clock.startId();
    // The unit loaded the rules at this start, and the kernel has counted since.
    const secondsLeft = isSameStart ? saved.secondsLeft : (seen.releaseInSeconds ?? saved.secondsLeft);
    const should = { ...saved, secondsLeft };
    if (should.secondsLeft <= 0) {
      await release();
      trouble('The isolation ended by its own time: nobody renewed it.');
      return;
    }
    // Somebody loaded other rules (`flush ruleset`), or the host was started again.
    if (!seen.isIsolated && isSameStart) trouble('The rules of the isolation were gone and were set again.');
    // The agent before may have died while it had opened the way to the name servers.
    if (!seen.isIsolated || wasFirst) return hold(should);
    client.pin(isIP(client.host) ? [] : should.addresses);
    if (isSameStart && clock.uptime() - savedAt < saveEverySeconds) return;
    savedAt = clock.uptime();
    // What is left is written down, for a start after a power cut.
    await writeDurably(
      rulesFile,
      rulesOf({ addresses: should.addresses, port: client.port, seconds: should.secondsLeft, names: [] }),
    );
    await writeDurably(
      stateFile,
      JSON.stringify({ ...should, startId: clock.startId(), deadline: clock.uptime() + should.secondsLeft }),
    );
  }

  async function findPortalAgain(): Promise<void> {
    const should = held();
    if (!should || should.secondsLeft <= 0 || isIP(client.host)) return;
    await hold(should, true);
    client.pin([]);
    const addresses = await Promise.race([
      portalAddresses().catch(() => []),
      new Promise<string[]>((resolve) => setTimeout(() => resolve([]), 20_000).unref()),
    ]);
    await hold({ ...should, addresses: addresses.length > 0 ? addresses : should.addresses });
  }

  return {
    isolate: (seconds) => inTurn(() => isolate(seconds)),
    release: () => inTurn(release),
    observe,
    keep: () => inTurn(keep),
    findPortalAgain: () => inTurn(findPortalAgain),
  };
}

async function runNft(args: string[]): Promise<string> {
  try {
    return (await run('nft', args, { timeout: 10_000, maxBuffer: 4 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error('nft is not on this host. Install the package nftables.');
    throw new Error(`nftables refused: ${(stderr || String(error)).trim().slice(0, 500)}`);
  }
}

/** The whole table; loaded at once, it replaces the one before without a gap. */
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
  const out = (address: string) => `    ${family(address)} daddr ${address} tcp dport ${port} accept`;
  // An answer of the portal; a connection from it would be new.
  const back = (address: string) => `    ${family(address)} saddr ${address} tcp sport ${port} ct state established accept`;
  const asks = names.flatMap((address) =>
    ['udp', 'tcp'].map((kind) => `    ${family(address)} daddr ${address} ${kind} dport 53 accept`),
  );
  const answers = names.flatMap((address) =>
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
${[...addresses.map(back), ...answers].join('\n')}
    udp sport 67 udp dport 68 accept
    udp sport 547 udp dport 546 accept
${neighbours}
    meta nfproto @held drop
  }
  chain output {
    type filter hook output priority -310; policy accept;
    oifname "lo" accept
${[...addresses.map(out), ...asks].join('\n')}
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

/** Isolated: all three ways are there, each ends in the drop, and the time is not over. */
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

/** Where names are asked: behind the local stub of systemd-resolved are the real ones. */
function nameServers(): string[] {
  const of = (file: string) => [...readText(file).matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address as string);
  const all = [...of('/etc/resolv.conf'), ...of('/run/systemd/resolve/resolv.conf')];
  return [...new Set(all)].filter((address) => isIP(address) && !/^(127\.|::1$)/.test(address)).slice(0, 6);
}
