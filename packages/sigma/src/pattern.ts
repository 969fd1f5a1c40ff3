/**
 * Sigma strings: wildcards and escapes (specification 2, "Escaping"), the transformations of modifiers, and matching by
 * pieces in time linear in the value for everything without `?`.
 */
import { ANY_CHAR, DASH, type Piece, STAR } from './ast.ts';

/** Dashes treated as equal by Windows programs; `windash`. */
export const DASHES = ['-', '/', '\u2013', '\u2014', '\u2015'];
const DASH_SET = new Set(DASHES);
const LONG_S = '\u017f';
/** Fails at once on strings of Latin-1, as most are. */
const special = /[ς\u017f]/;

/**
 * Folds a value for case-insensitive comparison. Two letters need more than lower-casing: the final sigma and the
 * long s, whose lower case depends on their place or is themselves.
 */
export function foldCase(text: string): string {
  const low = text.toLowerCase();
  return special.test(low) ? low.replaceAll('ς', 'σ').replaceAll(LONG_S, 's') : low;
}

/** `\*`, `\?` and `\\` are the characters themselves; a backslash before anything else is a backslash. */
export function parsePattern(text: string): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    const next = text[i + 1];
    if (char === '\\' && (next === '*' || next === '?' || next === '\\')) {
      literal += next;
      i++;
    } else if (char === '*' || char === '?') {
      if (literal) pieces.push(literal);
      literal = '';
      if (char === '?' || pieces.at(-1) !== STAR) pieces.push(char === '*' ? STAR : ANY_CHAR);
    } else literal += char;
  }
  if (literal) pieces.push(literal);
  return pieces;
}

/** Text of a pattern without wildcards. @throws Error for wildcards, which have no meaning once encoded */
export function literalOf(pieces: Piece[], modifier: string): string {
  if (pieces.some((piece) => typeof piece !== 'string'))
    throw new Error(`a value with wildcards cannot be taken by "${modifier}"`);
  return pieces.join('');
}

/** Adds stars for the position: `contains`, `startswith` or `endswith`. */
export function positioned(pieces: Piece[], position: 'equals' | 'contains' | 'startswith' | 'endswith'): Piece[] {
  const result = [...pieces];
  if ((position === 'contains' || position === 'endswith') && result[0] !== STAR) result.unshift(STAR);
  if ((position === 'contains' || position === 'startswith') && result.at(-1) !== STAR) result.push(STAR);
  return result;
}

const EXPANDED_DASHES = 3;

/**
 * Every dash that starts a flag (no word character before it, one after it) stands for all dashes. Few dashes are written out, which
 * keeps the fast literal matching; many would multiply by five each and become one `DASH` piece each.
 */
export function withAnyDash(pieces: Piece[]): Piece[][] {
  const split: Piece[] = [];
  let dashes = 0;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    if (typeof piece !== 'string') {
      split.push(piece);
      continue;
    }
    let from = 0;
    for (const found of piece.matchAll(/(?<![\p{L}\p{N}_])[-/\u2013\u2014\u2015](?=[\p{L}\p{N}_])/gu)) {
      if (found.index > from) split.push(piece.slice(from, found.index));
      split.push(DASH);
      dashes++;
      from = found.index + 1;
    }
    if (from < piece.length) split.push(piece.slice(from));
  }
  if (dashes > EXPANDED_DASHES) return [split];
  let variants: Piece[][] = [[]];
  for (const piece of split) {
    if (piece === DASH) variants = variants.flatMap((start) => DASHES.map((dash) => append(start, dash)));
    else variants = variants.map((start) => append(start, piece));
  }
  return variants;
}

/** Adds a piece, joining literal text with literal text. */
export function append(pieces: Piece[], piece: Piece): Piece[] {
  const last = pieces.at(-1);
  if (typeof last === 'string' && typeof piece === 'string') return [...pieces.slice(0, -1), last + piece];
  if (last === STAR && piece === STAR) return pieces;
  return [...pieces, piece];
}

/** Encoded values are carried as bytes, one character each; `utf8` marks values that are not encoded. */
export interface Encoded {
  text: string;
  isBytes: boolean;
}

const bytesOf = ({ text, isBytes }: Encoded): Buffer => Buffer.from(text, isBytes ? 'latin1' : 'utf8');

export function toUtf16({ text, isBytes }: Encoded, order: 'le' | 'be' | 'bom'): Encoded {
  const buffer = Buffer.from(isBytes ? text : text, 'utf16le');
  if (order === 'be') buffer.swap16();
  const bytes = order === 'bom' ? Buffer.concat([Buffer.from([0xff, 0xfe]), buffer]) : buffer;
  return { text: bytes.toString('latin1'), isBytes: true };
}

export function toBase64(value: Encoded): Encoded {
  return { text: bytesOf(value).toString('base64'), isBytes: false };
}

/** The three base64 texts of a value, one per alignment; one of them occurs in the base64 of any data that contains the value. */
export function toBase64Offsets(value: Encoded): Encoded[] {
  const bytes = bytesOf(value);
  const starts = [0, 2, 3];
  const ends = [0, -3, -2];
  return starts
    .map((start, shift) => {
      const text = Buffer.concat([Buffer.alloc(shift, 0x20), bytes]).toString('base64');
      const end = ends[(bytes.length + shift) % 3]!;
      return { text: end ? text.slice(start, end) : text.slice(start), isBytes: false };
    })
    .filter(({ text }) => text.length > 0);
}

export type PatternTest = (value: string) => boolean;

/** A test of a whole value against pieces. The value and the literal pieces must be folded alike. */
export function testOf(pieces: Piece[]): PatternTest {
  const [first, second, third] = pieces;
  if (pieces.length === 0) return (value) => value === '';
  if (pieces.length === 1) {
    if (typeof first === 'string') return (value) => value === first;
    if (first === STAR) return () => true;
  }
  if (pieces.length === 2 && first === STAR && typeof second === 'string') return (value) => value.endsWith(second);
  if (pieces.length === 2 && typeof first === 'string' && second === STAR) return (value) => value.startsWith(first);
  if (pieces.length === 3 && first === STAR && typeof second === 'string' && third === STAR)
    return (value) => value.includes(second);
  return globTest(pieces);
}

/** Searches each run between stars leftmost-first, without backtracking. */
function globTest(pieces: Piece[]): PatternTest {
  const runs: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece === STAR) runs.push([]);
    else runs.at(-1)!.push(piece);
  }
  const head = runs[0]!;
  if (runs.length === 1) return (value) => matchAt(value, 0, head) === value.length;
  const tail = runs.at(-1)!;
  const middle = runs.slice(1, -1).filter((run) => run.length > 0);
  return (value) => {
    let from = matchAt(value, 0, head);
    if (from < 0) return false;
    for (const run of middle) {
      from = find(value, from, run);
      if (from < 0) return false;
    }
    return tail.length === 0 || matchBack(value, from, tail);
  };
}

/** The end of the run if it stands at `from`, else -1. */
function matchAt(value: string, from: number, run: Piece[]): number {
  let at = from;
  for (const piece of run) {
    if (typeof piece === 'string') {
      if (!value.startsWith(piece, at)) return -1;
      at += piece.length;
    } else {
      if (at >= value.length || (piece === DASH && !DASH_SET.has(value[at]!))) return -1;
      at += value.codePointAt(at)! > 0xffff ? 2 : 1;
    }
  }
  return at;
}

/** True if the run ends the value and starts at `from` or later. */
function matchBack(value: string, from: number, run: Piece[]): boolean {
  let at = value.length;
  for (let i = run.length - 1; i >= 0; i--) {
    const piece = run[i]!;
    if (typeof piece === 'string') {
      if (!value.endsWith(piece, at)) return false;
      at -= piece.length;
    } else {
      if (at <= 0 || (piece === DASH && !DASH_SET.has(value[at - 1]!))) return false;
      at -= at > 1 && (value.charCodeAt(at - 1) & 0xfc00) === 0xdc00 && (value.charCodeAt(at - 2) & 0xfc00) === 0xd800 ? 2 : 1;
    }
    if (at < from) return false;
  }
  return at >= from;
}

/** The end of the first place at or after `from` where the run stands, else -1. Steps to its first literal by `indexOf`. */
function find(value: string, from: number, run: Piece[]): number {
  const lead = run.findIndex((piece) => typeof piece === 'string');
  if (lead === 0) {
    const literal = run[0] as string;
    for (let at = value.indexOf(literal, from); at >= 0; at = value.indexOf(literal, at + 1)) {
      const end = matchAt(value, at, run);
      if (end >= 0) return end;
    }
    return -1;
  }
  for (let at = from; at <= value.length; at++) {
    const end = matchAt(value, at, run);
    if (end >= 0) return end;
  }
  return -1;
}
