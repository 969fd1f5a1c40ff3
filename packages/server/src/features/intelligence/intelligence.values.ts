/** Normalised indicators: one spelling per address, domain and hash. */
import { domainToASCII } from 'node:url';
import type { reputations } from '@parapet/contract/caseDetail.ts';
import type { IndicatorKind } from '@parapet/contract/intelligence.ts';
import { canonicalIp } from '../../domain/addresses.ts';

export type Reputation = (typeof reputations)[number];

export interface Indicator {
  kind: IndicatorKind;
  value: string;
  reputation: Reputation;
}

/** Undoes defanging: hxxp, [.], (dot), [:]. */
export const refang = (text: string): string =>
  text
    .trim()
    .replace(/[[({]\s*(?:\.|dot)\s*[\])}]/gi, '.')
    .replace(/\[:\]/g, ':')
    .replace(/^\[([0-9a-f:.]+)\]$/i, '$1');

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
export function canonicalDomain(text: string): string | undefined {
  if (text.length > 300 || /[\s/:@?#%\\|]/.test(text)) return undefined;
  const plain = domainToASCII(text.replace(/\.$/, '').toLowerCase()) || text.replace(/\.$/, '').toLowerCase();
  const labels = plain.split('.');
  if (plain.length > 253 || labels.length < 2 || !labels.every((each) => label.test(each))) return undefined;
  // The last label of a domain is never numeric: 1.2.3 is not one.
  return /^\d+$/.test(labels.at(-1)!) ? undefined : plain;
}

const hashLengths = new Set([32, 40, 56, 64, 96, 128]);
export const canonicalHash = (text: string): string | undefined =>
  hashLengths.has(text.length) && /^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : undefined;

// Present in every network: one of these on a list would make every alert malicious.
const ofEveryNetwork =
  /^(?:0\.|10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|2(?:2[4-9]|[34]\d|5[0-5])\.)|^(?:::1?$|f[cdef])/;

/** Parses an indicator or returns the reason for rejection; `expected` is the kind given by the list. */
export function readIndicator(text: string, expected?: IndicatorKind): Omit<Indicator, 'reputation'> | { fault: string } {
  const shown = shorten(text);
  const value = refang(text);
  const ip = canonicalIp(value);
  if (ip !== undefined) {
    if (ofEveryNetwork.test(ip)) return { fault: `${shown}: private address, present in every network.` };
    return expected === undefined || expected === 'ip'
      ? { kind: 'ip', value: ip }
      : { fault: `${shown}: this is an address, not a ${expected}.` };
  }
  const hash = canonicalHash(value);
  if (hash !== undefined && (expected === undefined || expected === 'hash')) return { kind: 'hash', value: hash };
  const domain = canonicalDomain(value);
  if (domain !== undefined && (expected === undefined || expected === 'domain')) return { kind: 'domain', value: domain };
  if (/^[0-9a-f.:]+\/\d{1,3}$/i.test(value)) return { fault: `${shown}: a network, not an address.` };
  return { fault: `${shown}: not an address, domain or hash.` };
}

/** Start of a list’s text for display, with control characters made visible. */
export const shorten = (text: string): string => {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD').toWellFormed();
  return `"${visible.length > 80 ? `${visible.slice(0, 80)}…` : visible}"`;
};

const worstFirst: readonly Reputation[] = ['Malicious', 'Suspicious', 'Unknown', 'Benign'];
export const worse = (a: Reputation, b: Reputation): Reputation => (worstFirst.indexOf(a) <= worstFirst.indexOf(b) ? a : b);
