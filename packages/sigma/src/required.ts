/**
 * Texts without which a regular expression cannot match, so that it runs only where they occur. The method of RE2's prefilter (Cox,
 * "Regular Expression Matching with a Trigram Index", 2012): each part has the set of texts that it matches exactly, as long as that set
 * is small, and sets of texts of which one must occur.
 */
import { everyday } from './literals.ts';

export interface Required {
  /**
   * Folded texts; of each set one occurs in every match, once every white space is taken for a space. The most selective sets first; empty if
   * none could be proven.
   */
  texts: string[][];
  /** Every match has a character beyond ASCII. */
  isBeyondAscii: boolean;
}

interface Part {
  /** All texts that the part matches, folded; undefined if they are unknown or too many. */
  exact: string[] | undefined;
  /** Texts of which one begins the part's match, and of which one ends it; of inexact parts. */
  first?: string[] | undefined;
  last?: string[] | undefined;
  /** Of each set one text occurs in the part's match. */
  sets: string[][];
  isBeyondAscii: boolean;
}

const MAX_EXACT = 128;
const MAX_ALTERNATIVES = 512;
const MAX_SETS = 3;
const MAX_CLASS = 12;
const MAX_DEPTH = 50;
const MAX_TIMES = 4;

const nothing: Part = { exact: undefined, sets: [], isBeyondAscii: false };
const empty: Part = { exact: [''], sets: [], isBeyondAscii: false };
/** Stands for every white space; the search takes them for the same. */
const whiteSpace: Part = { ...empty, exact: [' '] };
const one = (text: string): Part => ({ exact: [text.toLowerCase()], sets: [], isBeyondAscii: false });

/** Conservative: without a result for constructs that it does not read. */
export function requiredTexts(source: string): Required {
  try {
    const reader = { source, at: 0, depth: 0 };
    const part = alternation(reader);
    if (reader.at < source.length) return { texts: [], isBeyondAscii: false };
    return { texts: ranked(setsOf(part)), isBeyondAscii: part.isBeyondAscii };
  } catch {
    return { texts: [], isBeyondAscii: false };
  }
}

interface PatternReader {
  source: string;
  at: number;
  depth: number;
}

function alternation(reader: PatternReader): Part {
  if (++reader.depth > MAX_DEPTH) throw new Error('too deep');
  const parts = [sequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    parts.push(sequence(reader));
  }
  reader.depth--;
  return parts.length === 1 ? parts[0]! : either(parts);
}

function either(parts: readonly Part[]): Part {
  const isBeyondAscii = parts.every((part) => part.isBeyondAscii);
  if (parts.every(({ exact }) => exact !== undefined)) {
    const exact = [...new Set(parts.flatMap((part) => part.exact!))];
    if (exact.length <= MAX_EXACT) return { exact, sets: [], isBeyondAscii };
  }
  const bests = parts.map((part) => ranked(setsOf(part))[0]);
  const all = joint(bests, MAX_ALTERNATIVES);
  return {
    exact: undefined,
    first: joint(parts.map(({ exact, first }) => exact ?? first)),
    last: joint(parts.map(({ exact, last }) => exact ?? last)),
    sets: all ? [all] : [],
    isBeyondAscii,
  };
}

/** All texts of the sets, unless one is unknown or they are too many. */
function joint(sets: readonly (string[] | undefined)[], most = MAX_EXACT): string[] | undefined {
  if (!sets.every((set) => set !== undefined)) return undefined;
  const all = [...new Set(sets.flat())];
  return all.length <= most ? all : undefined;
}

/** Proven sets of a part, its exact texts included. */
const setsOf = ({ exact, sets }: Part): string[][] => (exact ? [...sets, exact] : sets);

function sequence(reader: PatternReader): Part {
  let run = [''];
  let first: string[] | undefined;
  let isBeyondAscii = false;
  const sets: string[][] = [];
  while (reader.at < reader.source.length && reader.source[reader.at] !== '|' && reader.source[reader.at] !== ')') {
    const read = atom(reader);
    const part = repeated(read, quantifier(reader));
    isBeyondAscii ||= part.isBeyondAscii;
    sets.push(...part.sets);
    const joined = product(run, part.exact ?? part.first);
    if (joined && part.exact) {
      run = joined;
      continue;
    }
    sets.push(joined ?? run);
    first ??= joined ?? run;
    run = part.exact ?? part.last ?? [''];
  }
  if (!first) return { exact: [...new Set(run)], sets, isBeyondAscii };
  return { exact: undefined, first, last: run, sets: [...sets, run], isBeyondAscii };
}

/** Each text followed by each of the others; undefined if they are unknown or too many. */
function product(texts: readonly string[], others: readonly string[] | undefined): string[] | undefined {
  if (!others || texts.length * others.length > MAX_EXACT) return undefined;
  return texts.flatMap((text) => others.map((more) => text + more));
}

interface Repetition {
  least: number;
  most: number;
}

function repeated(part: Part, repetition: Repetition | undefined): Part {
  if (!repetition) return part;
  const { least, most } = repetition;
  if (least === 0) return most === 1 && part.exact ? { ...empty, exact: [...new Set(['', ...part.exact])] } : nothing;
  // Of so many in a row the first few stand together, and the last.
  let first = part.exact ?? part.first;
  for (let times = 1; part.exact && times < Math.min(least, MAX_TIMES); times++) first = product(first!, part.exact) ?? first;
  return { exact: undefined, first, last: part.exact ?? part.last, sets: setsOf(part), isBeyondAscii: part.isBeyondAscii };
}

function quantifier(reader: PatternReader): Repetition | undefined {
  const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 20));
  if (!found) return undefined;
  reader.at += found[0].length;
  if (found[1] !== undefined) return { least: Number(found[1]), most: Number.POSITIVE_INFINITY };
  return { least: found[0][0] === '+' ? 1 : 0, most: found[0][0] === '?' ? 1 : Number.POSITIVE_INFINITY };
}

function atom(reader: PatternReader): Part {
  const { source } = reader;
  const char = source[reader.at]!;
  if (char === '(') return group(reader);
  if (char === '[') return charClass(reader);
  if (char === '\\') return escaped(reader);
  reader.at++;
  if (char === '.') return nothing;
  if (char === '^' || char === '$') return empty;
  if (char === '*' || char === '+' || char === '?') throw new Error('a quantifier without an atom');
  return literal(char);
}

/** Only ASCII letters fold in a way that lower-casing follows; any other character ends a text. */
const literal = (char: string): Part => (char.charCodeAt(0) < 128 ? one(char) : nothing);

function group(reader: PatternReader): Part {
  const { source } = reader;
  reader.at++;
  if (source[reader.at] === '?') {
    const head = /^\?(?:P?<[A-Za-z_]\w*>|[imsU-]*:)/.exec(source.slice(reader.at, reader.at + 80));
    const flags = /^\?[imsU-]+\)/.exec(source.slice(reader.at, reader.at + 10));
    if (flags) {
      reader.at += flags[0].length;
      return empty;
    }
    if (!head) throw new Error('an unknown group');
    reader.at += head[0].length;
  }
  const part = alternation(reader);
  if (source[reader.at] !== ')') throw new Error('a group is not closed');
  reader.at++;
  return part;
}

function charClass(reader: PatternReader): Part {
  const { source } = reader;
  let at = reader.at + 1;
  if (source[at] === '^') at++;
  if (source[at] === ']') at++;
  for (; at < source.length && source[at] !== ']'; at++) {
    if (source[at] === '\\') at++;
    else if (source.startsWith('[:', at)) at = source.indexOf(':]', at) + 1 || source.length;
  }
  if (at >= source.length) throw new Error('a class is not closed');
  const members = source.slice(reader.at + 1, at);
  reader.at = at + 1;
  if (isBeyondAscii(members)) return { ...nothing, isBeyondAscii: true };
  const exact = membersOf(members);
  return exact ? { ...empty, exact } : nothing;
}

/** Characters beyond ASCII that fold to a letter of ASCII: the long s and the Kelvin sign. */
const folding = [0x17f, 0x212a];

/** True for code points or a class of them (`\x{2066}-\x{2069}`), none of which is or folds to ASCII. */
function isBeyondAscii(members: string): boolean {
  if (!/^(?:\\x\{[0-9a-f]{1,6}\}(?:-\\x\{[0-9a-f]{1,6}\})?)+$/i.test(members)) return false;
  return [...members.matchAll(/\\x\{(\w+)\}(?:-\\x\{(\w+)\})?/g)].every(([, first = '', last = first]) => {
    const [from, to] = [Number.parseInt(first, 16), Number.parseInt(last, 16)];
    return from > 127 && !folding.some((code) => from <= code && code <= to);
  });
}

/** Members of a small class of ASCII characters. */
function membersOf(members: string): string[] | undefined {
  if (members.startsWith('^') || members.includes('[')) return undefined;
  const found = new Set<string>();
  for (let at = 0; at < members.length; at++) {
    let char = members[at]!;
    if (char === '\\') {
      char = members[++at] ?? '';
      if (/[A-Za-z0-9]|^$/.test(char)) return undefined;
    }
    let last = char;
    if (members[at + 1] === '-' && at + 2 < members.length) {
      last = members[at + 2]!;
      at += 2;
      if (last === '\\') return undefined;
    }
    if (last.charCodeAt(0) > 127 || last.charCodeAt(0) - char.charCodeAt(0) > MAX_CLASS) return undefined;
    for (let code = char.charCodeAt(0); code <= last.charCodeAt(0); code++) found.add(String.fromCharCode(code).toLowerCase());
  }
  return found.size > 0 && found.size <= MAX_CLASS ? [...found] : undefined;
}

function escaped(reader: PatternReader): Part {
  const { source } = reader;
  const char = source[reader.at + 1];
  if (char === undefined || char === 'Q' || char === 'E') throw new Error('not followed');
  if (/[A-Za-z0-9]/.test(char)) {
    if (char === 'x' || char === 'p' || char === 'P') {
      const found = /^\\(?:x\{[0-9a-f]+\}|x[0-9a-f]{2}|[pP]\{\^?\w+\}|[pP]\w)/i.exec(source.slice(reader.at, reader.at + 40));
      if (!found) throw new Error('not followed');
      reader.at += found[0].length;
      return char === 'x' && isBeyondAscii(found[0]) ? { ...nothing, isBeyondAscii: true } : nothing;
    }
    if (!/[dDwWsSbBAztnrfva]/.test(char)) throw new Error('not followed');
    reader.at += 2;
    if (char === 's') return whiteSpace;
    return /[bBAz]/.test(char) ? empty : nothing;
  }
  reader.at += 2;
  return literal(char);
}

/** Single characters that commands rarely have. */
const isRareCharacter = (text: string): boolean => text.length === 1 && '^~!|;@{}<>&$#`[]'.includes(text);

/** Selective sets without texts that another text of the set is part of: those without everyday texts, the longest shortest text first. */
function ranked(sets: readonly string[][]): string[][] {
  const usable = sets
    .filter((set) => set.length > 0 && set.every((text) => text.length >= 2 || isRareCharacter(text)))
    .map((set) => [...new Set(set)].filter((text, _, all) => !all.some((other) => other !== text && text.includes(other))));
  const keyed = new Map(usable.map((set) => [JSON.stringify(set), set]));
  return [...keyed.values()].sort((a, b) => weight(b) - weight(a)).slice(0, MAX_SETS);
}

/** Fewer alternatives break the tie. */
const weight = (texts: readonly string[]): number =>
  Math.min(...texts.map((text) => (everyday.includes(text) ? 0 : text.length))) * 100 - texts.length;
