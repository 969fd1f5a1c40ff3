/** Numbers, times and networks in searches and events. */
import type { Comparison } from './ast.ts';

const numeric = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** ISO 8601 with a day; without a zone it is UTC. */
const time = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

export const numberOf = (text: string): number | undefined =>
  text.length < 400 && numeric.test(text) ? Number(text) : undefined;

/** Milliseconds since 1970. */
export function timeOf(text: string): number | undefined {
  if (text.length > 40 || !time.test(text)) return undefined;
  const at = Date.parse(/T|\s/.test(text) && !/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : at;
}

export const isBound = (text: string): boolean => numberOf(text) !== undefined || timeOf(text) !== undefined;

/** Test of a value against a bound: numbers with numbers, times with times; any other value fails. */
export function comparing(comparison: Comparison, bound: string): (value: unknown) => boolean {
  const number = numberOf(bound);
  const at = number === undefined ? timeOf(bound) : undefined;
  const edge = number ?? at ?? Number.NaN;
  return (value) => {
    const text = typeof value === 'string' ? value.trim() : undefined;
    const found =
      typeof value === 'number'
        ? at === undefined
          ? value
          : undefined
        : text === undefined
          ? undefined
          : at === undefined
            ? numberOf(text)
            : timeOf(text);
    if (found === undefined) return false;
    if (comparison === '<') return found < edge;
    if (comparison === '<=') return found <= edge;
    return comparison === '>' ? found > edge : found >= edge;
  };
}

/** Test of an address against `10.0.0.0/8` or `2001:db8::/32`; undefined if the text is no network. */
export function inNetwork(text: string): ((value: unknown) => boolean) | undefined {
  const parts = /^([\da-f.:]{2,45})\/(\d{1,3})$/i.exec(text);
  const base = parts ? bitsOf(parts[1] ?? '') : undefined;
  const length = Number(parts?.[2]);
  if (base === undefined || length > base.length) return undefined;
  const prefix = base.slice(0, length);
  return (value) => {
    const bits = typeof value === 'string' && value.length <= 64 ? bitsOf(value.trim()) : undefined;
    return bits !== undefined && bits.length === base.length && bits.startsWith(prefix);
  };
}

/** Bits of an address, 32 or 128; an IPv4 address mapped into IPv6 has 32. */
function bitsOf(text: string): string | undefined {
  if (!text.includes(':')) {
    const bytes = text.split('.');
    if (bytes.length !== 4 || !bytes.every((byte) => /^\d{1,3}$/.test(byte) && Number(byte) <= 255)) return undefined;
    return bytes.map((byte) => Number(byte).toString(2).padStart(8, '0')).join('');
  }
  const mapped = /^::ffff:([\d.]+)$/i.exec(text);
  if (mapped?.[1]?.includes('.')) return bitsOf(mapped[1]);
  const [head = '', tail, extra] = text.replace(/%.+$/, '').split('::');
  if (extra !== undefined) return undefined;
  const groups = (side: string) => (side === '' ? [] : side.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array<string>(missing).fill('0'), ...right];
  if (!all.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}
