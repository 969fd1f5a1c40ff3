/** Parts of STIX 2.1 (OASIS standard of 10 June 2021) that exports share: marks, stable ids, patterns of indicators. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Tlp } from '@parapet/contract/rules/stix.ts';

/** Media type of the standard (TAXII 2.1, §1.6.8.2). */
export const stixType = 'application/stix+json;version=2.1';

export interface StixObject {
  type: string;
  id: string;
  [property: string]: unknown;
}

/** Name and address of the portal under its brand. */
export interface StixSource {
  name: string;
  origin: string;
}

/** Predefined markings (§7.2.1.4). TLP:CLEAR is called white there. */
export const markings: Record<Tlp, { id: string; tlp: string }> = {
  clear: { id: 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9', tlp: 'white' },
  green: { id: 'marking-definition--34098fce-860f-48ae-8e50-ebd3cc5e41da', tlp: 'green' },
  amber: { id: 'marking-definition--f88d31f6-486f-44da-b317-01333bde0b82', tlp: 'amber' },
  red: { id: 'marking-definition--5e57c739-391a-4eb3-b6be-7d15ca92d5ed', tlp: 'red' },
};
export const markingsSince = '2017-01-20T00:00:00.000Z';
export function uuidOf(bytes: Buffer, version: 4 | 5): string {
  const hex = Buffer.from(bytes.subarray(0, 16));
  hex[6] = (hex[6]! & 0x0f) | (version << 4);
  hex[8] = (hex[8]! & 0x3f) | 0x80;
  return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Id of everything else: the same for one case of one installation, so that a second import updates. Of the form of version 4. */
export const stableId = (type: string, ...seed: (string | number)[]): string =>
  `${type}--${uuidOf(
    createHash('sha256')
      .update(JSON.stringify([type, ...seed]))
      .digest(),
    4,
  )}`;

export const hashNames: Record<number, string> = { 32: 'MD5', 40: 'SHA-1', 64: 'SHA-256', 128: 'SHA-512' };

/** One spelling per address: IPv6 by RFC 5952, IPv4-mapped IPv6 as IPv4. Undefined for other text, and with a zone, which one host alone has. */
export function addressOf(value: string): string | undefined {
  if (isIP(value) !== 6) return isIP(value) === 4 ? value : undefined;
  if (value.includes('%')) return undefined;
  const short = new URL(`http://[${value}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap((hex) => [Number.parseInt(hex, 16) >> 8, Number.parseInt(hex, 16) & 255]).join('.');
}

const quoted = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;

/** Pattern that finds an observable elsewhere; undefined for those that mean nothing outside the client. */
export function patternOf({ type, value, hashes }: StixObject): string | undefined {
  if (type === 'ipv4-addr' || type === 'ipv6-addr' || type === 'domain-name') return `[${type}:value = ${quoted(String(value))}]`;
  const [hash] = Object.entries((hashes ?? {}) as Record<string, string>);
  return hash && `[file:hashes.${quoted(hash[0])} = ${quoted(hash[1])}]`;
}

export const indicatorTypes = { Malicious: 'malicious-activity', Suspicious: 'anomalous-activity' } as const;
