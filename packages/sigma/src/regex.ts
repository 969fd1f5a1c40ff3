/**
 * Regular expressions on re2js, whose time is linear in the value, so that no rule and no event can hang the process; on JavaScript's own
 * engine where its time is bounded too.
 */
import { RE2JS } from 're2js';
import { nativeRegex } from './native.ts';
import { requiredTexts } from './required.ts';

export interface Regex {
  test(value: string): boolean;
  /** Of each set at least one folded text occurs in every value that matches; empty if none could be proven. */
  required: string[][];
  /** Every value that matches has a character beyond ASCII. */
  isBeyondAscii: boolean;
}

const MAX_SOURCE = 10_000;
/** One class, no repetition: linear as well. */
const beyondAscii = /[\u0080-\uffff]/;
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
  try {
    RE2JS.compile(source, bits);
  } catch (error) {
    throw new Error(`the regular expression ${unsupported(source)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { texts, isBeyondAscii } = requiredTexts(source);
  // Compiled again for its first value: programs take 30 KB each, and most expressions of a rule base never get one.
  let compiled: RE2JS | undefined;
  const linear = (value: string): boolean => {
    compiled ??= RE2JS.compile(source, bits);
    return compiled.test(value);
  };
  const test = isBeyondAscii ? (value: string) => beyondAscii.test(value) && linear(value) : testOf(linear, source, flags);
  const regex: Regex = { test, required: texts, isBeyondAscii };
  if (cache.size > 20_000) cache.clear();
  cache.set(key, regex);
  return regex;
}

const printable = /^[\t\x20-\x7e]*$/;
/** The last value, which most often is that of the next expression too. */
let last = '';
let isLastPrintable = true;

/** Both engines agree on printable ASCII: elsewhere they fold letters and take white space and ends of lines differently. */
function isPrintable(value: string): boolean {
  if (value !== last) {
    last = value;
    isLastPrintable = printable.test(value);
  }
  return isLastPrintable;
}

function testOf(linear: Regex['test'], source: string, flags: string): Regex['test'] {
  const native = /[ms]/.test(flags) ? undefined : nativeRegex(source, flags.includes('i'));
  if (native === undefined) return linear;
  const { expression, maxLength } = native;
  return (value) => (value.length <= maxLength && isPrintable(value) ? expression.test(value) : linear(value));
}

function unsupported(source: string): string {
  if (/\(\?[=!]/.test(source)) return 'uses look-ahead, which the linear-time engine does not have';
  if (/\(\?<[=!]/.test(source)) return 'uses look-behind, which the linear-time engine does not have';
  if (/\\[1-9]/.test(source)) return 'uses a back-reference, which the linear-time engine does not have';
  if (/\(\?>|[*+?}]\+/.test(source)) return 'uses a possessive or atomic group, which the linear-time engine does not have';
  return 'cannot be compiled';
}
