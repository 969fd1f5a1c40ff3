/**
 * Searches many literals in one pass. Each literal is entered under its rarest block of four characters; a bitmap of a few kilobytes marks the
 * positions at which a block ends, and the literals entered under it are compared (the blocks of Wu and Manber 1994, without skips). All
 * of it lies in two arrays: what costs time are not the comparisons but the places in memory that a search touches, and a state
 * machine for the same literals touches one at each character. Every white space counts as a space: the searches choose candidates, which are
 * tested afterwards.
 */
import { everyday, type Place } from './literals.ts';

export interface LiteralHits {
  literal: string;
  place: Place;
  /** Numbers to be reported. */
  hits: number[];
}

/** Called with the hits of each literal that occurs: the numbers of `hits` from `from` up to `to`. */
export type Report = (hits: Int32Array, from: number, to: number) => void;

export type Search = (text: string, report: Report) => void;

/** Bytes of characters: the low one, of white space a space. The comparison separates others of the same byte. */
const byteOf = Uint8Array.from({ length: 256 }, (_, code) => (isSpace(code) ? 0x20 : code));
/** Spreads the bits of a block (Knuth 1973, multiplicative hashing); 2^32 divided by the golden ratio. */
const multiplier = 0x9e3779b1 | 0;
const blockLength = 4;

/** Tab, line feed, form feed, carriage return and space, as in regular expressions. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
}

/** Blocks, pairs and single characters that a text holds are looked up in one table. Before the start and behind the end are zeros. */
export function literalSearch(literals: readonly LiteralHits[]): Search {
  const { bits, shift, slots, data, zeros, hasPairs, hasSingles, longest } = tableOf(literals);
  return (text, report) => {
    const { length } = text;
    if (length > longest) return;
    const bytes = byteOf;
    const [map, by] = [bits, shift];
    let last = 0;
    for (let i = 0; i < length; i++) {
      last = (last << 8) | bytes[text.charCodeAt(i) & 0xff]!;
      const bit = Math.imul(last, multiplier) >>> by;
      if ((map[bit >>> 5]! >>> bit) & 1) compareAll(slots, data, last, text, i, report);
      if (hasPairs) {
        const pair = Math.imul(last & 0xffff, multiplier) >>> by;
        if ((map[pair >>> 5]! >>> pair) & 1) compareAll(slots, data, last & 0xffff, text, i, report);
      }
      if (hasSingles) {
        const single = Math.imul(last & 0xff, multiplier) >>> by;
        if ((map[single >>> 5]! >>> single) & 1) compareAll(slots, data, last & 0xff, text, i, report);
      }
    }
    for (let i = length; i < length + zeros; i++) {
      last <<= 8;
      compareAll(slots, data, last, text, i, report);
    }
  };
}

/** Flags of an entry. */
const atStart = 1;
const atEnd = 2;
/** In place of the flags: no further entry. */
const end = -1;

/**
 * Compares the literals that are entered under a key. They lie in `data` one behind the other: flags, length, the position of the key's last
 * character, the number of hits, the hits and the characters.
 */
function compareAll(slots: Int32Array, data: Int32Array, key: number, text: string, position: number, report: Report): void {
  const mask = (slots.length >>> 1) - 1;
  let slot = (Math.imul(key, multiplier) >>> 3) & mask;
  while (slots[2 * slot] !== key) {
    if (slots[2 * slot + 1] === 0) return;
    slot = (slot + 1) & mask;
  }
  let at = slots[2 * slot + 1]!;
  while (data[at] !== end) {
    const length = data[at + 1]!;
    const hits = at + 4;
    const characters = hits + data[at + 3]!;
    if (isAt(data, characters, length, data[at]!, text, position - data[at + 2]!)) report(data, hits, characters);
    at = characters + length;
  }
}

function isAt(data: Int32Array, from: number, length: number, flags: number, text: string, start: number): boolean {
  const behind = text.length - start - length;
  if (start < 0 || behind < 0) return false;
  if ((flags & atStart && start > 0) || (flags & atEnd && behind > 0)) return false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(start + i);
    const wanted = data[from + i]!;
    if (code !== wanted && !(wanted === 0x20 && isSpace(code))) return false;
  }
  return true;
}

interface Table {
  /** One for each key that is entered, by hash; keys that are not entered share few of them. */
  bits: Int32Array;
  /** Of the hash, down to the number of a bit. */
  shift: number;
  /** Key and its place in `data`, by hash; the next free place if taken. */
  slots: Int32Array;
  data: Int32Array;
  /** Zeros behind the text that the table needs. */
  zeros: number;
  hasPairs: boolean;
  hasSingles: boolean;
  /** Of a text that can have hits. */
  longest: number;
}

interface Entry {
  literal: string;
  flags: number;
  hits: number[];
}

function tableOf(literals: readonly LiteralHits[]): Table {
  const entries = literals.map(({ literal, place, hits }) => ({
    literal: literal.replaceAll(/[\t\n\f\r]/g, ' '),
    flags: (place === 'prefix' || place === 'exact' ? atStart : 0) | (place === 'suffix' || place === 'exact' ? atEnd : 0),
    hits,
  }));
  const { byKey, zeros } = rarestKeys(entries);
  const data = [end];
  const size = 2 ** Math.ceil(Math.log2(2 * byKey.size + 1));
  // 32 bits for each key.
  const shift = 27 - Math.ceil(Math.log2(byKey.size + 1));
  const slots = new Int32Array(2 * size);
  const bits = new Int32Array(2 ** (27 - shift));
  for (const [key, entered] of byKey) {
    const hash = Math.imul(key, multiplier);
    bits[(hash >>> shift) >>> 5]! |= 1 << (hash >>> shift);
    let slot = (hash >>> 3) & (size - 1);
    while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & (size - 1);
    slots[2 * slot] = key;
    slots[2 * slot + 1] = data.length;
    for (const { entry, at } of entered) {
      data.push(entry.flags, entry.literal.length, at, entry.hits.length, ...entry.hits);
      for (let i = 0; i < entry.literal.length; i++) data.push(entry.literal.charCodeAt(i));
    }
    data.push(end);
  }
  const within = entries.filter(({ flags }) => flags === 0).map(({ literal }) => literal.length);
  const isExact = entries.every(({ flags }) => flags === (atStart | atEnd));
  return {
    bits,
    shift,
    slots,
    data: Int32Array.from(data),
    zeros,
    hasPairs: within.some((length) => length === 2 || length === 3),
    hasSingles: within.includes(1),
    longest: isExact ? Math.max(...entries.map(({ literal }) => literal.length)) : Number.POSITIVE_INFINITY,
  };
}

interface Key {
  /** The last bytes, the first of them highest. */
  key: number;
  /** Position of its last character in the literal. */
  at: number;
}

/** Blocks of everyday texts are no good keys. */
const everydayUses = 1_000;

/** Each entry under the key that the others and everyday texts hold least. */
function rarestKeys(entries: readonly Entry[]): { byKey: Map<number, { entry: Entry; at: number }[]>; zeros: number } {
  const uses = new Map<number, number>();
  const use = (literal: string, flags: number, times: number) => {
    for (const { key } of keysOf(literal, flags)) uses.set(key, (uses.get(key) ?? 0) + times);
  };
  use(everyday, 0, everydayUses);
  for (const { literal, flags } of entries) use(literal, flags, 1);
  const byKey = new Map<number, { entry: Entry; at: number }[]>();
  let zeros = 0;
  for (const entry of entries) {
    const { key, at } = keysOf(entry.literal, entry.flags).reduce((best, each) =>
      uses.get(each.key)! < uses.get(best.key)! ? each : best,
    );
    zeros = Math.max(zeros, at - entry.literal.length + 1);
    const known = byKey.get(key);
    if (known) known.push({ entry, at });
    else byKey.set(key, [{ entry, at }]);
  }
  return { byKey, zeros };
}

/** Keys of a literal, of a short one with the zeros before or behind a text, and else shorter ones. */
function keysOf(literal: string, flags: number): Key[] {
  const { length } = literal;
  const wanted = flags === 0 ? Math.min(blockLength, length === 3 ? 2 : length) : blockLength;
  const first = flags & atStart ? Math.max(0, Math.min(wanted, length) - 1) : wanted - 1;
  const last = Math.max(first, length - 1);
  const mask = wanted === blockLength ? -1 : (1 << (8 * wanted)) - 1;
  const found: Key[] = [];
  let key = 0;
  for (let at = 0; at <= last; at++) {
    key = (key << 8) | (at < length ? byteOf[literal.charCodeAt(at) & 0xff]! : 0);
    if (at >= first) found.push({ key: key & mask, at });
  }
  return found;
}
