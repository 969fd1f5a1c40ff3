/**
 * Searches many literals in one pass. Each literal is entered under its rarest block of four characters; a bitmap of a few kilobytes marks the
 * positions at which a block ends, and the literals entered under it are compared (the blocks of Wu and Manber 1994, without skips). All
 * of it lies in two arrays: what costs time are not the comparisons but the places in memory that a search touches, and a state
 * machine for the same literals touches one at each character. Every white space counts as a space: the searches choose candidates, which are
 * tested afterwards.
 */
import { everyday, type Place } from './literals.ts';
import { foldCase } from './pattern.ts';

export interface LiteralHits {
  literal: string;
  place: Place;
  /** Numbers to be reported. */
  hits: number[];
}

/**
 * Called with the hits of each literal that occurs: the numbers of `hits` from `from` up to `to`, and the position of one of its characters, or one
 * beside it for literals at an end.
 */
export type Report = (hits: Int32Array, from: number, to: number, position: number) => void;

export type Search = (text: string, report: Report) => void;

/** Bytes of characters: the low one, folded, of white space a space. The comparison separates others of the same byte. */
const byteOf = Uint8Array.from({ length: 256 }, (_, code) =>
  isSpace(code) ? 0x20 : code >= 0x41 && code <= 0x5a ? code + 0x20 : code,
);
/** Spreads the bits of a block (Knuth 1973, multiplicative hashing); 2^32 divided by the golden ratio. */
const multiplier = 0x9e3779b1 | 0;
const blockLength = 4;

/** Tab, line feed, form feed, carriage return and space, as in regular expressions. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
}

/** Searches whose tables lie in one piece of memory. */
export interface Searches {
  /** Place of each search, in the order of their literals. */
  places: number[];
  run(place: number, text: string, report: Report): void;
}

/**
 * Tables of several searches one behind the other, so that those of one index are found near each other. Letters of ASCII are folded on the way;
 * a text with other characters is searched once more, folded.
 */
export function packedSearches(lists: readonly (readonly LiteralHits[])[]): Searches {
  const { places, memory } = packAll(lists);
  const { words } = memory;
  return {
    places,
    run(place, text, report) {
      if (text.length > words[place + longestAt]! || isAscii(searchIn(memory, place, text, report))) return;
      const beyond = words[place + beyondAt]!;
      if (words[beyond]! > 0) report(words, beyond + 1, beyond + 1 + words[beyond]!, 0);
      const folded = foldCase(text);
      if (folded !== text) searchIn(memory, place, folded, report);
    },
  };
}

/** Apart from the search, which would otherwise keep the growing arrays. */
function packAll(lists: readonly (readonly LiteralHits[])[]): { places: number[]; memory: Memory } {
  const packed: Packed = { words: [], chars: [] };
  const places = lists.map((literals) => pack(packed, literals));
  return { places, memory: { words: Int32Array.from(packed.words), chars: Uint16Array.from(packed.chars) } };
}

/** A single search. */
export function literalSearch(literals: readonly LiteralHits[]): Search {
  const { places, run } = packedSearches([literals]);
  return (text, report) => run(places[0]!, text, report);
}

const isAscii = (code: number): boolean => code < 0x80;

/**
 * Looks blocks, pairs and single characters of a text up in one table; before the start and behind the end are zeros. Returns all characters'
 * bits.
 */
function searchIn(memory: Memory, place: number, text: string, report: Report): number {
  const { words } = memory;
  const { length } = text;
  const bytes = byteOf;
  const shift = words[place + shiftAt]!;
  const flags = words[place + flagsAt]!;
  const bits = place + headWords;
  let last = 0;
  let all = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    all |= code;
    last = (last << 8) | bytes[code & 0xff]!;
    const hash = Math.imul(last, multiplier);
    const mask = maskOf(hash, shift);
    if ((words[bits + (hash >>> shift)]! & mask) === mask) compareAll(memory, place, last, text, i, report);
    if (flags & hasPairs) {
      const pair = Math.imul(last & 0xffff, multiplier);
      const both = maskOf(pair, shift);
      if ((words[bits + (pair >>> shift)]! & both) === both) compareAll(memory, place, last & 0xffff, text, i, report);
    }
    if (flags & hasSingles) {
      const single = Math.imul(last & 0xff, multiplier);
      const both = maskOf(single, shift);
      if ((words[bits + (single >>> shift)]! & both) === both) compareAll(memory, place, last & 0xff, text, i, report);
    }
  }
  for (let i = length; i < length + words[place + zerosAt]!; i++) {
    last <<= 8;
    compareAll(memory, place, last, text, i, report);
  }
  return all;
}

/** Two of the 32 bits of a key. */
const maskOf = (hash: number, shift: number): number => (1 << (hash >>> (shift - 5))) | (1 << (hash >>> (shift - 10)));

/** Flags of an entry. */
const atStart = 1;
const atEnd = 2;
const isLast = 4;
/** Characters of a literal; its length stands in 16 bits. */
const maxLength = 0xff_ff;
/** Of an entry, before its characters. */
const headLength = 5;

/** Compares the literals that are entered under a key. */
function compareAll({ words, chars }: Memory, place: number, key: number, text: string, position: number, report: Report): void {
  const slots = words[place + slotsAt]!;
  const mask = words[place + slotMaskAt]!;
  const base = words[place + charsAt]!;
  let slot = (Math.imul(key, multiplier) >>> 3) & mask;
  while (words[slots + 2 * slot] !== key && words[slots + 2 * slot + 1] !== 0) slot = (slot + 1) & mask;
  const entry = words[slots + 2 * slot + 1]!;
  if (entry === 0) return;
  let at = base + entry;
  for (;;) {
    const flags = chars[at]!;
    const length = chars[at + 1]!;
    if (isAt(chars, at + headLength, length, flags, text, position - chars[at + 2]!)) {
      const from = words[place + hitsAt]! + (chars[at + 3]! | (chars[at + 4]! << 16));
      report(words, from + 1, from + 1 + words[from]!, position);
    }
    if (flags & isLast) return;
    at += headLength + length;
  }
}

function isAt(chars: Uint16Array, from: number, length: number, flags: number, text: string, start: number): boolean {
  const behind = text.length - start - length;
  if (start < 0 || behind < 0) return false;
  if ((flags & atStart && start > 0) || (flags & atEnd && behind > 0)) return false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(start + i);
    if ((code < 0x80 ? byteOf[code] : code) !== chars[from + i]) return false;
  }
  return true;
}

/**
 * Of each search, in `words`: its head; 32 bits for each key by hash, two of them set for each that is entered; keys by hash, each with its place
 * in `chars`, at the next free place if taken; the hits of each literal behind their number; the hits of texts beyond ASCII behind theirs. In
 * `chars`: the literals of a key one behind the other, each with its flags, its length, the position of the key's last character, the low and the
 * high half of its place among the hits, and its characters.
 */
interface Memory {
  words: Int32Array;
  chars: Uint16Array;
}

interface Packed {
  words: number[];
  chars: number[];
}

/** Head of a search: of the hash, down to the number of its bits. */
const shiftAt = 0;
const flagsAt = 1;
/** Zeros behind the text that the search needs. */
const zerosAt = 2;
/** Characters of a text that can have hits. */
const longestAt = 3;
const slotsAt = 4;
const slotMaskAt = 5;
const charsAt = 6;
const hitsAt = 7;
const beyondAt = 8;
const headWords = 9;
/** Flags of a search. */
const hasPairs = 1;
const hasSingles = 2;
const anyLength = 0x7fffffff;

interface Entry {
  literal: string;
  flags: number;
  hits: number[];
}

/** Appends a search. Returns its place. */
function pack(packed: Packed, literals: readonly LiteralHits[]): number {
  const { words, chars } = packed;
  const beyond = literals.flatMap(({ place, hits }) => (place === 'beyond' ? hits : []));
  const entries = literals.flatMap((each) => (each.place === 'beyond' ? [] : [entryOf(each)]));
  const { byKey, zeros } = rarestKeys(entries);
  const size = 2 ** Math.ceil(Math.log2(2 * byKey.size + 1));
  const shift = 32 - Math.ceil(Math.log2(byKey.size + 2));
  const bits = new Int32Array(2 ** (32 - shift));
  const slots = new Int32Array(2 * size);
  const hits: number[] = [];
  const first = chars.length;
  chars.push(0);
  for (const [key, entered] of byKey) {
    const hash = Math.imul(key, multiplier);
    bits[hash >>> shift]! |= maskOf(hash, shift);
    let slot = (hash >>> 3) & (size - 1);
    while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & (size - 1);
    slots[2 * slot] = key;
    slots[2 * slot + 1] = chars.length - first;
    entered.forEach(({ entry: { literal, flags, hits: own }, at }, index) => {
      const end = index === entered.length - 1 ? isLast : 0;
      chars.push(flags | end, literal.length, at, hits.length & 0xffff, hits.length >>> 16);
      for (let i = 0; i < literal.length; i++) chars.push(literal.charCodeAt(i));
      hits.push(own.length);
      for (const hit of own) hits.push(hit);
    });
  }
  const place = words.length;
  const within = entries.filter(({ flags }) => flags === 0).map(({ literal }) => literal.length);
  const isExact = beyond.length === 0 && entries.every(({ flags }) => flags === (atStart | atEnd));
  const slotsPlace = place + headWords + bits.length;
  const hitsPlace = slotsPlace + slots.length;
  words.push(
    shift,
    (within.some((length) => length === 2 || length === 3) ? hasPairs : 0) | (within.includes(1) ? hasSingles : 0),
    zeros,
    isExact ? Math.max(0, ...entries.map(({ literal }) => literal.length)) : anyLength,
    slotsPlace,
    size - 1,
    first,
    hitsPlace,
    hitsPlace + hits.length,
  );
  for (const part of [bits, slots, hits]) for (const word of part) words.push(word);
  words.push(beyond.length, ...beyond);
  return place;
}

function entryOf({ literal, place, hits }: LiteralHits): Entry {
  // The rule itself judges the rest of a longer one.
  const isCut = literal.length > maxLength;
  const isToEnd = (place === 'suffix' || place === 'exact') && !isCut;
  return {
    literal: literal.slice(0, maxLength).replaceAll(/[\t\n\f\r]/g, ' '),
    flags: (place === 'prefix' || place === 'exact' ? atStart : 0) | (isToEnd ? atEnd : 0),
    hits,
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
