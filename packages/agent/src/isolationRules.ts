/** nftables ruleset of the isolation. */
import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const table = 'inet mdr_agent';
const hooks = ['input', 'output', 'forward'] as const;

export async function runNft(args: string[]): Promise<string> {
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
  const dns = names.flatMap((address) => ['udp', 'tcp'].map((kind) => ({ address, ip: family(address), kind })));
  const queries = dns.map(({ address, ip, kind }) => `    ${ip} daddr ${address} ${kind} dport 53 accept`);
  const replies = dns.map(({ address, ip, kind }) => `    ${ip} saddr ${address} ${kind} sport 53 ct state established accept`);
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

export interface ObservedIsolation {
  isIsolated: boolean;
  releaseInSeconds: number | null;
}

export async function observeTable(nft: (args: string[]) => Promise<string>): Promise<ObservedIsolation> {
  const listed = await nft(['-j', 'list', 'table', ...table.split(' ')]).catch(() => undefined);
  return listed === undefined ? { isIsolated: false, releaseInSeconds: null } : readTable(listed);
}

/**
 * Parses `nft -j list table`. The host is isolated if all three chains exist and drop packets, and the timeout has not expired.
 */
export function readTable(json: string): ObservedIsolation {
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
