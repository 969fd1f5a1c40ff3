/** Networks and addresses, IPv4 and IPv6, as whole numbers; an address of one family is never in a network of the other. */
import { isIP } from 'node:net';

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

/** True if the text is an address within the network; brackets and a zone index are taken off, an IPv4-mapped address counts as IPv4. */
export function inNetwork(network: Network, text: string): boolean {
  if (text.length > 64) return false;
  const parsed = parseAddress(text.trim());
  return parsed !== undefined && parsed.family === network.family && parsed.value >> network.shift === network.prefix;
}

function parseAddress(written: string): { family: 4 | 6; value: bigint } | undefined {
  let text = written.startsWith('[') && written.endsWith(']') ? written.slice(1, -1) : written;
  const zone = text.indexOf('%');
  if (zone >= 0) text = text.slice(0, zone);
  const family = isIP(text);
  if (family === 4) return { family, value: ipv4(text) };
  if (family !== 6) return undefined;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  if (mapped) return { family: 4, value: ipv4(mapped[1]!) };
  return { family: 6, value: ipv6(text) };
}

const ipv4 = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);

function ipv6(text: string): bigint {
  let full = text;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted) {
    const value = ipv4(dotted[2]!);
    full = `${dotted[1]}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  }
  const [head = '', tail] = full.split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const groups = tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
