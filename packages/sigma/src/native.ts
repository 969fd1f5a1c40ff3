/**
 * Regular expressions that the engine of JavaScript may run: a subset whose meaning is that of RE2 on printable ASCII, and whose time is
 * bounded before it runs. That engine backtracks, so the steps of a test are at most `choices` × length^(`degree` + 1): each place of
 * the value may begin a match (only the first, behind `^`), each unbounded repetition on a path may end anywhere, and each
 * alternative is one more way. Repetitions that what follows cannot continue (`[^/]+/`) end at one place; all of them on a path count as one.
 */

export interface NativeRegex {
  expression: RegExp;
  /** Longest value for which the steps stay within bounds. */
  maxLength: number;
}

const MAX_STEPS = 2 ** 23;
const MAX_LENGTH = 65_536;
const MIN_LENGTH = 128;
const MAX_DEPTH = 20;

interface Cost {
  /** Unbounded repetitions on the worst path. */
  degree: number;
  /** Ways through the part that may have to be tried at one place. */
  choices: number;
  /** Folded first character; undefined if it may be one of several. */
  first: string | undefined;
  /** One character of a set. */
  isSingle: boolean;
  /** Has a repetition that ends at one place. */
  isScanning?: boolean | undefined;
  /** Begins at the beginning of the value only. */
  isAnchored?: boolean;
}

interface Reader {
  source: string;
  at: number;
  depth: number;
}

/** Undefined for what is outside the subset or might take too many steps. */
export function nativeRegex(source: string, isCaseInsensitive: boolean): NativeRegex | undefined {
  const isFolded = source.startsWith('(?i)');
  const own = isFolded ? source.slice(4) : source;
  const cost = costOf(own);
  if (cost === undefined) return undefined;
  const maxLength = Math.min(
    MAX_LENGTH,
    Math.floor(
      (MAX_STEPS / cost.choices) ** (1 / Math.max(1, cost.degree + (cost.isScanning ? 1 : 0) + (cost.isAnchored ? 0 : 1))),
    ),
  );
  if (maxLength < MIN_LENGTH) return undefined;
  try {
    return { expression: new RegExp(own, isCaseInsensitive || isFolded ? 'i' : ''), maxLength };
  } catch {
    return undefined;
  }
}

function costOf(source: string): Cost | undefined {
  const reader = { source, at: 0, depth: 0 };
  try {
    const cost = alternation(reader);
    return reader.at === source.length ? cost : undefined;
  } catch (error) {
    if (error instanceof OutsideSubset) return undefined;
    throw error;
  }
}

class OutsideSubset extends Error {}

const nothing: Cost = { degree: 0, choices: 1, first: undefined, isSingle: false };

function alternation(reader: Reader): Cost {
  if (++reader.depth > MAX_DEPTH) throw new OutsideSubset();
  const branches = [sequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    branches.push(sequence(reader));
  }
  reader.depth--;
  if (branches.length === 1) return { ...branches[0]!, isSingle: false };
  return {
    degree: Math.max(...branches.map(({ degree }) => degree)),
    choices: choicesOf(branches),
    first: undefined,
    isSingle: false,
  };
}

/** Branches with different first characters exclude each other; looking at them costs a little all the same. */
function choicesOf(branches: readonly Cost[]): number {
  const byFirst = new Map<string, number>();
  let unknown = 0;
  for (const { first, choices } of branches)
    if (first === undefined) unknown += choices;
    else byFirst.set(first, (byFirst.get(first) ?? 0) + choices);
  return unknown + Math.max(0, ...byFirst.values()) + Math.ceil(branches.length / 8);
}

function sequence(reader: Reader): Cost {
  let cost = nothing;
  let isStart = true;
  /** Characters of an unbounded repetition just before. */
  let run: string | undefined;
  while (reader.at < reader.source.length && reader.source[reader.at] !== '|' && reader.source[reader.at] !== ')') {
    const from = reader.at;
    const single = atom(reader);
    const chars = single.isSingle || reader.source[from] === '$' ? charsOf(reader.source.slice(from, reader.at)) : undefined;
    const part = repeated(single, reader);
    const isRequired = chars !== undefined && !part.isOptional;
    const isEnd = run !== undefined && isRequired && !overlap(run, chars);
    cost = {
      degree: cost.degree + part.degree - (isEnd ? 1 : 0),
      choices: cost.choices * part.choices,
      first: isStart ? part.first : cost.first,
      isSingle: false,
      isScanning: cost.isScanning || part.isScanning || isEnd,
      isAnchored: isStart ? part.isAnchored : cost.isAnchored,
    };
    run = part.degree > single.degree ? chars : undefined;
    isStart = false;
  }
  return cost;
}

const printableCharacters = `${Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')}\t`;
const known = new Map<string, string>();

/** Printable characters that a part of one character matches, folded; none for `$`. */
function charsOf(source: string): string {
  if (source === '$') return '';
  let chars = known.get(source);
  if (chars === undefined) {
    const one = new RegExp(`^(?:${source})$`, 'i');
    chars = [...printableCharacters].filter((char) => one.test(char)).join('');
    if (known.size < 5_000) known.set(source, chars);
  }
  return chars;
}

function overlap(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  for (const char of short) if (long.includes(char)) return true;
  return false;
}

const ordinary = /[\w\s"#%&',\-/:;<=>@_`~!]/;
const classes = /[dDwWsSbB]/;
const escapable = /[\\.^$*+?()[\]{}|/\-"'#&,:;<=>@`~!% ]/;

function atom(reader: Reader): Cost {
  const { source } = reader;
  const char = source[reader.at++]!;
  if (char === '(') return group(reader);
  if (char === '[') return characterClass(reader);
  if (char === '\\') return escaped(reader);
  if (char === '^' || char === '$') return { ...nothing, first: char === '^' ? undefined : char, isAnchored: char === '^' };
  if (char === '.') return { ...nothing, isSingle: true };
  // Printable ASCII only: beyond it the two engines fold letters differently.
  if (!ordinary.test(char) || char < ' ' || char > '~') throw new OutsideSubset();
  return { ...nothing, first: char.toLowerCase(), isSingle: true };
}

function group(reader: Reader): Cost {
  if (reader.source[reader.at] === '?') {
    if (reader.source[reader.at + 1] !== ':') throw new OutsideSubset();
    reader.at += 2;
  }
  const cost = alternation(reader);
  if (reader.source[reader.at++] !== ')') throw new OutsideSubset();
  return cost;
}

function escaped(reader: Reader): Cost {
  const char = reader.source[reader.at++];
  if (char === undefined) throw new OutsideSubset();
  if (classes.test(char)) return { ...nothing, isSingle: char.toLowerCase() !== 'b' };
  if (char === 't' || escapable.test(char)) return { ...nothing, first: char === 't' ? '\t' : char, isSingle: true };
  throw new OutsideSubset();
}

/** `[…]` of literal characters, ranges and classes; others (`[]a]`, `[[:alpha:]]`) mean different things in the two engines. */
function characterClass(reader: Reader): Cost {
  const found =
    /^\^?(?:[^\]\\[\x00-\x1f\x7f-\uffff^]|\\[\\.^$*+?()[\]{}|/\-dwsDWS"'#&,:;<=>@`~!% t])(?:[^\]\\[\x00-\x1f\x7f-\uffff]|\\[\\.^$*+?()[\]{}|/\-dwsDWS"'#&,:;<=>@`~!% t])*\]/.exec(
      reader.source.slice(reader.at, reader.at + 2_000),
    );
  if (found === null) throw new OutsideSubset();
  reader.at += found[0].length;
  return { ...nothing, isSingle: true };
}

function repeated(part: Cost, reader: Reader): Cost & { isOptional?: boolean } {
  const found = /^(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})\??/.exec(reader.source.slice(reader.at, reader.at + 16))?.[0];
  if (found === undefined) return part;
  reader.at += found.length;
  if (/^[*+?{]/.test(reader.source.slice(reader.at, reader.at + 1))) throw new OutsideSubset();
  if (found[0] === '?')
    return {
      degree: part.degree,
      choices: part.choices + 1,
      first: undefined,
      isSingle: false,
      isScanning: part.isScanning,
      isOptional: true,
    };
  if (!part.isSingle) throw new OutsideSubset();
  const [, least = '0', comma, most] = /^\{(\d+)(,)?(\d+)?\}/.exec(found) ?? [];
  const isOptional = found[0] === '*' || (found[0] === '{' && Number(least) === 0);
  const rest = { first: isOptional ? undefined : part.first, isSingle: false, isOptional };
  if (found[0] === '{' && comma === undefined) return { degree: part.degree, choices: part.choices, ...rest };
  const spread = most === undefined ? Number.POSITIVE_INFINITY : Number(most) - Number(least);
  return spread > 16
    ? { degree: part.degree + 1, choices: part.choices, ...rest }
    : { degree: part.degree, choices: part.choices * (spread + 1), ...rest };
}
