/**
 * Regular expressions on re2js, whose time is linear in the value, so that no rule and no event can hang the process. Also derives
 * the text that every match must contain, so that an expression runs only where that text occurs.
 */
import { RE2JS } from 're2js';

export interface Regex {
  test(value: string): boolean;
  /** Folded texts, one of which occurs in every value that matches; undefined if none could be proven. */
  required: string[] | undefined;
}

const MAX_SOURCE = 10_000;
const cache = new Map<string, Regex>();

/** @param flags of `i`, `m`, `s` @throws Error naming a construct that the linear-time engine lacks (look-around, back-references) */
export function compileRegex(source: string, flags: string): Regex {
  const key = `${flags}/${source}`;
  const known = cache.get(key);
  if (known) return known;
  if (source.length > MAX_SOURCE) throw new Error(`the regular expression is longer than ${MAX_SOURCE} characters`);
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, bits);
  } catch (error) {
    throw new Error(`the regular expression ${unsupported(source)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const regex: Regex = { test: (value) => compiled.test(value), required: requiredTexts(source) };
  if (cache.size > 20_000) cache.clear();
  cache.set(key, regex);
  return regex;
}

function unsupported(source: string): string {
  if (/\(\?[=!]/.test(source)) return 'uses look-ahead, which the linear-time engine does not have';
  if (/\(\?<[=!]/.test(source)) return 'uses look-behind, which the linear-time engine does not have';
  if (/\\[1-9]/.test(source)) return 'uses a back-reference, which the linear-time engine does not have';
  if (/\(\?>|[*+?}]\+/.test(source)) return 'uses a possessive or atomic group, which the linear-time engine does not have';
  return 'cannot be compiled';
}

/** One of `any` must occur in a match; `exact` is set while the part matches just this text. */
interface Part {
  any: string[] | undefined;
  exact: string | undefined;
}

const MAX_ALTERNATIVES = 64;

/** Conservative: returns undefined for unsupported constructs. Exported for its tests. */
export function requiredTexts(source: string): string[] | undefined {
  try {
    const reader = { source, at: 0, depth: 0 };
    const part = alternation(reader);
    if (reader.at < source.length) return undefined;
    const any = part.exact ? [part.exact] : part.any;
    return any?.every((text) => text.length >= 2) ? any.map((text) => text.toLowerCase()) : undefined;
  } catch {
    return undefined;
  }
}

interface PatternReader {
  source: string;
  at: number;
  depth: number;
}

function alternation(reader: PatternReader): Part {
  if (++reader.depth > 50) throw new Error('too deep');
  const parts = [sequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    parts.push(sequence(reader));
  }
  reader.depth--;
  if (parts.length === 1) return parts[0]!;
  const any = parts.flatMap((part) => (part.exact ? [part.exact] : (part.any ?? [''])));
  return { exact: undefined, any: any.includes('') || any.length > MAX_ALTERNATIVES ? undefined : any };
}

function sequence(reader: PatternReader): Part {
  let run = '';
  let best: string[] | undefined;
  let isExact = true;
  const offer = (texts: string[] | undefined) => {
    if (texts && weight(texts) > weight(best)) best = texts;
  };
  const endRun = () => {
    if (run) offer([run]);
    run = '';
  };
  while (reader.at < reader.source.length && reader.source[reader.at] !== '|' && reader.source[reader.at] !== ')') {
    const part = atom(reader);
    const count = quantifier(reader);
    if (count === undefined && part.exact !== undefined) {
      run += part.exact;
      continue;
    }
    endRun();
    isExact = false;
    if (count !== 0) offer(part.exact ? [part.exact] : part.any);
  }
  const exact = isExact ? run : undefined;
  endRun();
  return { exact, any: best };
}

/** Prefers the longest shortest text; fewer alternatives break the tie. */
const weight = (texts: string[] | undefined): number =>
  texts ? Math.min(...texts.map((text) => text.length)) * 100 - texts.length : Number.NEGATIVE_INFINITY;

/** Minimum repetitions, or undefined without a quantifier. */
function quantifier(reader: PatternReader): number | undefined {
  const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 20));
  if (!found) return undefined;
  reader.at += found[0].length;
  if (found[1] !== undefined) return Number(found[1]);
  return found[0][0] === '+' ? 1 : 0;
}

function atom(reader: PatternReader): Part {
  const { source } = reader;
  const char = source[reader.at]!;
  if (char === '(') return group(reader);
  if (char === '[') return charClass(reader);
  if (char === '\\') return escaped(reader);
  reader.at++;
  if (char === '.' || char === '^' || char === '$') return { any: undefined, exact: undefined };
  if (char === '*' || char === '+' || char === '?') throw new Error('a quantifier without an atom');
  return literal(char);
}

/** Only ASCII letters fold in a way that lower-casing follows; any other character ends a text. */
function literal(char: string): Part {
  return { any: undefined, exact: char.charCodeAt(0) < 128 ? char : undefined };
}

function group(reader: PatternReader): Part {
  const { source } = reader;
  reader.at++;
  if (source[reader.at] === '?') {
    const head = /^\?(?:P?<[A-Za-z_]\w*>|[imsU-]*:)/.exec(source.slice(reader.at, reader.at + 80));
    const flags = /^\?[imsU-]+\)/.exec(source.slice(reader.at, reader.at + 10));
    if (flags) {
      reader.at += flags[0].length;
      return { any: undefined, exact: undefined };
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
  reader.at = at + 1;
  return { any: undefined, exact: undefined };
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
    } else if (/[dDwWsSbBAztnrfva]/.test(char)) reader.at += 2;
    else throw new Error('not followed');
    return { any: undefined, exact: undefined };
  }
  reader.at += 2;
  return literal(char);
}
