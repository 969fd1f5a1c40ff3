/**
 * Isolates the host from everything but the portal in a dedicated nftables table. The kernel enforces the automatic release:
 * the rules drop packets only while the set `held` has elements, which time out even without the agent. Time while the host is
 * off does not count, and clock changes have no effect.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Client } from './client.ts';
import type { HostClock } from './clock.ts';
import { readText } from './files.ts';
import { type ObservedIsolation, observeTable, runNft, table } from './isolationRules.ts';
import { createSavedIsolation, type WantedIsolation } from './savedIsolation.ts';

const saveEverySeconds = 60;

export interface Isolation {
  isolate(releaseInSeconds: number): Promise<string>;
  release(): Promise<string>;
  /** Current state in the kernel. */
  observe(): Promise<ObservedIsolation>;
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
  const saved = createSavedIsolation({ state, clock, port: client.port });
  let isFirst = true;
  let savedAt = Number.NEGATIVE_INFINITY;
  const serialised = createQueue();

  const pin = (addresses: string[]) => client.pin(isIP(client.host) ? [] : addresses);

  async function apply(wanted: WantedIsolation, names: string[] = []): Promise<void> {
    await nft(['-f', await saved.save(wanted, names)]);
    pin(wanted.addresses);
  }

  async function forget(): Promise<void> {
    await saved.remove();
    client.pin([]);
  }

  const observe = () => observeTable(nft);

  async function release(): Promise<string> {
    await forget();
    // Add the table first, so that the deletion cannot fail because it is missing.
    await nft([`add table ${table}; delete table ${table}`]);
    return 'The network is open again.';
  }

  async function isolate(releaseInSeconds: number): Promise<string> {
    const before = saved.read();
    // On renewal the host is isolated and has no DNS.
    const addresses = before?.addresses ?? (await portalAddresses(client));
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
    const before = saved.read();
    if (!before) {
      // Finish a release interrupted by a crash.
      if (isFirst && (await observe()).isIsolated) await release();
      isFirst = false;
      return;
    }
    const wasFirst = isFirst;
    isFirst = false;
    const observed = await observe();
    const isSameStart = before.startId === clock.startId();
    // The unit loaded the rules at this boot; the kernel timeout is current.
    const secondsLeft = isSameStart ? before.secondsLeft : (observed.releaseInSeconds ?? before.secondsLeft);
    const wanted = { ...before, secondsLeft };
    if (wanted.secondsLeft <= 0) {
      await release();
      trouble('The isolation ended by its own time limit; it was not renewed.');
      return;
    }
    // Another program replaced the rules (`flush ruleset`), or the host rebooted.
    if (!observed.isIsolated && isSameStart) trouble('The isolation rules were gone and were set again.');
    // The previous process may have died while DNS was allowed.
    if (!observed.isIsolated || wasFirst) return apply(wanted);
    pin(wanted.addresses);
    if (isSameStart && clock.uptime() - savedAt < saveEverySeconds) return;
    savedAt = clock.uptime();
    // Persist the remaining time in case of power loss.
    await saved.save(wanted);
  }

  async function refreshPortalAddresses(): Promise<void> {
    const wanted = saved.read();
    if (!wanted || wanted.secondsLeft <= 0 || isIP(client.host)) return;
    await apply(wanted, nameServers());
    client.pin([]);
    const addresses = await Promise.race([
      portalAddresses(client).catch(() => []),
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

/** Runs the given work one after another. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
}

async function portalAddresses({ host, lastAddress }: Pick<Client, 'host' | 'lastAddress'>): Promise<string[]> {
  if (isIP(host)) return [host];
  const found = (await lookup(host, { all: true })).map(({ address }) => address);
  const last = lastAddress()?.replace(/^::ffff:/, '');
  return [...new Set([...found, ...(last && isIP(last) ? [last] : [])])].slice(0, 64);
}

/** Name servers, including those behind the local stub of systemd-resolved. */
function nameServers(): string[] {
  const of = (file: string) => [...readText(file).matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address as string);
  const all = [...of('/etc/resolv.conf'), ...of('/run/systemd/resolve/resolv.conf')];
  return [...new Set(all)].filter((address) => isIP(address) && !/^(127\.|::1$)/.test(address)).slice(0, 6);
}
