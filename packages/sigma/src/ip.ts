/** IPv4 and IPv6 networks and addresses as integers; an address never matches a network of the other family. */

export interface Network {
  family: 4 | 6;
  /** The address shifted right by `shift`. */
  prefix: bigint;
  shift: bigint;
}

/** @throws Error with a readable reason */
export function parseNetwork(text: string): Network {
  const [address = '', length, extra] = text.trim().split('/');
  const parsed = parseAddress(address);
  if (!parsed || extra !== undefined) throw new Error(`"${text}" is not a network`);
  const bits = parsed.family === 4 ? 32 : 128;
  const size = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (size < 0 || size > bits) throw new Error(`"${text}" is not a network`);
  const shift = BigInt(bits - size);
  return { family: parsed.family, prefix: parsed.value >> shift, shift };
}

/** True if the text is an address within the network; brackets and a zone index are stripped, an IPv4-mapped address counts as IPv4. */
export function inNetwork(network: Network, text: string): boolean {
  if (text.length > 64) return false;
  const parsed = parseAddress(text.trim());
  return parsed !== undefined && parsed.family === network.family && parsed.value >> network.shift === network.prefix;
}

/** Exported for its tests. */
export function parseAddress(written: string): { family: 4 | 6; value: bigint } | undefined {
  let text = written.startsWith('[') && written.endsWith(']') ? written.slice(1, -1) : written;
  const zone = text.indexOf('%');
  if (zone > 0 && zone < text.length - 1 && text.includes(':')) text = text.slice(0, zone);
  if (!text.includes(':')) {
    const value = ipv4(text);
    return value === undefined ? undefined : { family: 4, value };
  }
  const value = ipv6(text);
  if (value === undefined) return undefined;
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

const PART = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${PART}\\.${PART}\\.${PART}\\.${PART}$`);

function ipv4(text: string): bigint | undefined {
  const parts = IPV4.exec(text);
  return parts ? parts.slice(1).reduce((sum, part) => sum * 256n + BigInt(part), 0n) : undefined;
}

/** RFC 4291, section 2.2: eight groups, one run of zeros as `::`, the last two groups perhaps as an IPv4 address. */
function ipv6(text: string): bigint | undefined {
  let full = text;
  const dotted = /^(.*:)([\d.]*\.[\d.]*)$/.exec(text);
  if (dotted) {
    const value = ipv4(dotted[2]!);
    if (value === undefined) return undefined;
    full = `${dotted[1]}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  }
  const halves = full.split('::');
  if (halves.length > 2) return undefined;
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
