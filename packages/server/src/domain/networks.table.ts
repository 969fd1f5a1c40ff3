/**
 * Ranges of addresses with a value each, for look-ups in the event pipeline: sorted starts in typed arrays, narrowed by the first 16 bits and searched
 * by halves. Of IPv6 the first 64 bits count, which is what networks are assigned by.
 */

/** Index of a value; 0 is none. */
type Value = number;

export interface Ranges<T> {
  /** Value of an address in text form; undefined for private, reserved and unlisted addresses, and for other text. */
  of(address: string): T | undefined;
  readonly size: number;
}

export interface RangesBuilder<T> {
  /** Adds an inclusive range, in ascending order of starts within a family; false for what is no range of addresses. */
  add(first: string, last: string, key: string, value: () => T): boolean;
  build(): Ranges<T>;
}

/** Growing typed array. */
class Numbers {
  values = new Uint32Array(1024);
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
  done(): Uint32Array {
    return this.values.slice(0, this.length);
  }
}

/** IPv4 as a number; -1 for other text. */
export function ipv4Of(text: string): number {
  let result = 0;
  let part = -1;
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      part = part === -1 ? digit : part * 10 + digit;
      if (part > 255) return -1;
    } else if (digit === -2 && part !== -1 && dots < 3) {
      result = result * 256 + part;
      part = -1;
      dots++;
    } else return -1;
  }
  return dots === 3 && part !== -1 ? result * 256 + part : -1;
}

/** The first 64 bits of an IPv6 address, as two numbers in `into`; false for other text. */
export function ipv6Of(text: string, into: Uint32Array): boolean {
  if (text.length < 2 || text.length > 39) return false;
  const gap = text.indexOf('::');
  if (gap !== text.lastIndexOf('::')) return false;
  const left = readGroups(text, 0, gap === -1 ? text.length : gap, 0);
  if (left === -1 || (gap === -1 && left !== 8)) return false;
  const right = gap === -1 ? 0 : readGroups(text, gap + 2, text.length, left);
  if (right === -1 || (gap !== -1 && left + right > 7)) return false;
  into[0] = groupAt(0, left, right) * 65_536 + groupAt(1, left, right);
  into[1] = groupAt(2, left, right) * 65_536 + groupAt(3, left, right);
  return true;
}
/** Those before the gap, then those behind it. */
const groups = new Uint16Array(8);

function groupAt(at: number, left: number, right: number): number {
  if (at < left) return groups[at] as number;
  const behind = at - (8 - right);
  return behind < 0 ? 0 : (groups[left + behind] as number);
}

/** Reads groups of a part without a gap; returns their number, or -1 for other text. */
function readGroups(text: string, from: number, to: number, offset: number): number {
  if (from === to) return 0;
  let count = 0;
  let [group, digits] = [0, 0];
  for (let at = from; at <= to; at++) {
    const code = at === to ? 58 : text.charCodeAt(at);
    if (code === 58) {
      if (digits === 0 || offset + count === 8) return -1;
      groups[offset + count++] = group;
      [group, digits] = [0, 0];
    } else {
      const digit = hexOf(code);
      if (digit < 0 || ++digits > 4) return -1;
      group = group * 16 + digit;
    }
  }
  return count;
}

function hexOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

const net = (a: number, b: number, c = 0): number => ((a * 256 + b) * 256 + c) * 256;
/** First and last addresses that belong to no network of the internet (IANA special-purpose registry). */
const special4: readonly [number, number][] = [
  [0, net(1, 0) - 1],
  [net(10, 0), net(11, 0) - 1],
  [net(100, 64), net(100, 128) - 1],
  [net(127, 0), net(128, 0) - 1],
  [net(169, 254), net(169, 255) - 1],
  [net(172, 16), net(172, 32) - 1],
  [net(192, 0, 0), net(192, 0, 1) - 1],
  [net(192, 0, 2), net(192, 0, 3) - 1],
  [net(192, 168), net(192, 169) - 1],
  [net(198, 18), net(198, 20) - 1],
  [net(198, 51, 100), net(198, 51, 101) - 1],
  [net(203, 0, 113), net(203, 0, 114) - 1],
  [net(224, 0), 0xffff_ffff],
];
/** First octets with such a range. */
const specialOctets = new Uint8Array(256);
for (const [first, last] of special4) for (let octet = first >>> 24; octet <= last >>> 24; octet++) specialOctets[octet] = 1;

function isSpecial4(address: number): boolean {
  if (specialOctets[address >>> 24] === 0) return false;
  for (const range of special4) if (address >= range[0] && address <= range[1]) return true;
  return false;
}

/** Only 2000::/3 is assigned, without the range for documentation. */
const isSpecial6 = (high: number): boolean => high >>> 29 !== 1 || high === 0x2001_0db8;

export function createRangesBuilder<T>(): RangesBuilder<T> {
  const values: (T | undefined)[] = [undefined];
  const known = new Map<string, Value>();
  const four = { starts: new Numbers(), values: new Numbers(), end: -1 };
  const six = { high: new Numbers(), low: new Numbers(), values: new Numbers(), end: -1n };
  const [first64, last64] = [new Uint32Array(2), new Uint32Array(2)];

  const indexOf = (key: string, value: () => T): Value => {
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, values.length);
    values.push(value());
    return values.length - 1;
  };
  const add4 = (first: number, last: number, value: Value): boolean => {
    if (last < first || first <= four.end) return false;
    if (first > four.end + 1) push4(four.end + 1, 0);
    push4(first, value);
    four.end = last;
    return true;
  };
  const push4 = (start: number, value: Value) => {
    if (four.values.length > 0 && four.values.values[four.values.length - 1] === value) return;
    four.starts.push(start);
    four.values.push(value);
  };
  const add6 = (value: Value): boolean => {
    const [first, last] = [wide(first64), wide(last64)];
    // A range within 64 bits that are taken already.
    if (last < first || last <= six.end) return false;
    const from = first <= six.end ? six.end + 1n : first;
    if (from > six.end + 1n) push6(six.end + 1n, 0);
    push6(from, value);
    six.end = last;
    return true;
  };
  const push6 = (start: bigint, value: Value) => {
    if (six.values.length > 0 && six.values.values[six.values.length - 1] === value) return;
    six.high.push(Number(start >> 32n));
    six.low.push(Number(start & 0xffff_ffffn));
    six.values.push(value);
  };

  return {
    add(first, last, key, value) {
      const [from, to] = [ipv4Of(first), ipv4Of(last)];
      if (from !== -1 && to !== -1) return add4(from, to, indexOf(key, value));
      return ipv6Of(first, first64) && ipv6Of(last, last64) && add6(indexOf(key, value));
    },
    build() {
      if (four.end >= 0 && four.end < 0xffff_ffff) push4(four.end + 1, 0);
      if (six.end >= 0n && six.end < 0xffff_ffff_ffff_ffffn) push6(six.end + 1n, 0);
      return createRanges(values, four.starts.done(), four.values.done(), {
        high: six.high.done(),
        low: six.low.done(),
        values: six.values.done(),
      });
    },
  };
}

const wide = (pair: Uint32Array): bigint => (BigInt(pair[0] as number) << 32n) | BigInt(pair[1] as number);

function createRanges<T>(
  values: readonly (T | undefined)[],
  starts: Uint32Array,
  values4: Uint32Array,
  six: { high: Uint32Array; low: Uint32Array; values: Uint32Array },
): Ranges<T> {
  /** Position of the first start at or above each first 16 bits. */
  const firstOf = new Uint32Array(65_537).fill(starts.length);
  for (let at = starts.length - 1; at >= 0; at--) firstOf[(starts[at] as number) >>> 16] = at;
  for (let net = 65_535; net >= 0; net--) firstOf[net] = Math.min(firstOf[net] as number, firstOf[net + 1] as number);

  const find4 = (address: number): Value => {
    let low = firstOf[address >>> 16] as number;
    let high = firstOf[(address >>> 16) + 1] as number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= address) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (values4[low - 1] as number);
  };
  const find6 = (high: number, low: number): Value => {
    let from = 0;
    let to = six.high.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const start = six.high[middle] as number;
      if (start < high || (start === high && (six.low[middle] as number) <= low)) from = middle + 1;
      else to = middle;
    }
    return from === 0 ? 0 : (six.values[from - 1] as number);
  };
  const pair = new Uint32Array(2);
  return {
    of(address) {
      const four = ipv4Of(address);
      if (four !== -1) return isSpecial4(four) ? undefined : values[find4(four)];
      if (!ipv6Of(address, pair)) return undefined;
      const [high, low] = [pair[0] as number, pair[1] as number];
      return isSpecial6(high) ? undefined : values[find6(high, low)];
    },
    size: starts.length + six.high.length,
  };
}
