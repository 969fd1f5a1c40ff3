/** Spellings that shells undo: escapes, character codes, joined and formatted strings. Each function returns its text if nothing changes. */
import { isPrintable } from './bytes.ts';

/** `p^ow^ershell`: cmd takes `^x` for `x`. A single one between a letter and a digit may be a reference (`HEAD^2`). */
export function withoutCarets(text: string): string {
  const inner = text.match(/[\w"'/-]\^{1,4}(?=[\w"'/-])/g) ?? [];
  if (inner.length < 2 && !/[a-z]\^[a-z]/i.test(text)) return text;
  return text.replace(/\^{1,4}(?=[^\s^])/g, '');
}

/** Escapes that mean another character in PowerShell (about_Special_Characters); in other places a backtick means nothing. */
const special = new Set('0abfnrtv');

const ofWord = /[\w`-]/;
const maxWord = 1_000;

/** Backticks inside a word, of which one is an escape that means nothing: then none does. */
export function withoutBackticks(text: string): string {
  let out = '';
  let from = 0;
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at)) {
    let start = at;
    while (start > from && at - start < maxWord && ofWord.test(text[start - 1]!)) start--;
    let end = at + 1;
    while (end < text.length && end - at < maxWord && ofWord.test(text[end]!)) end++;
    const word = text.slice(start, end);
    // One that begins a word is a quote of a Unix shell, one that ends it continues a line.
    const isPlain = /^[\w-].*[\w-]$/.test(word) && [...word.matchAll(/`(.)/g)].some(([, next]) => !special.has(next!));
    if (isPlain) {
      out += text.slice(from, start) + word.replaceAll('`', '');
      from = end;
    }
    at = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

const number = '(?:0x[0-9a-f]{1,4}|&h[0-9a-f]{1,4}|\\d{1,5})';
const codeOf = (text: string): number => Number(text.replace(/^&h/i, '0x'));

/** Text of character codes; undefined if one is no printable character. */
function textOf(codes: readonly string[]): string | undefined {
  const numbers = codes.map(codeOf);
  return numbers.every((code) => code <= 0xffff && isPrintable(code))
    ? String.fromCharCode(...numbers).toWellFormed()
    : undefined;
}

const quoted = (text: string): string => (text.includes("'") ? `"${text}"` : `'${text}'`);

const numbers = new RegExp(number, 'gi');
const charCall = `(?:\\[char\\]\\s?(?:\\(\\s?${number}\\s?\\)|${number})|\\bchrw?\\(\\s?${number}\\s?\\))`;
/** `[char]73`, `([char]0x49)`, `Chr(73)`; several joined by `+` or `&`. */
const charCalls = new RegExp(`\\(?${charCall}\\)?(?:\\s?[+&]\\s?\\(?${charCall}\\)?){0,5000}`, 'gi');
const numberList = new RegExp(`(?<![\\w.])${number}(?:\\s{0,2},\\s{0,2}${number}){3,5000}(?![\\w.])`, 'gi');
/** Words beside a list of numbers that becomes characters. */
const converts = /char|chr|join|byte|ascii/i;
const before = 120;
const behind = 200;

/** Character codes as text in quotes. Lists count beside a conversion, or where all are hexadecimal. */
export function withCharacters(text: string): string {
  const joined = text.replace(charCalls, (calls) => {
    const codes = calls.replace(/\bchrw?\(|\[char\]/gi, ' ').match(numbers) ?? [];
    const found = textOf(codes);
    if (found === undefined) return calls;
    // Brackets around the sum, and those of which only one is part of it.
    const open = calls.split('(').length - calls.split(')').length;
    const around = calls.startsWith('(') && open === 0 ? 1 : 0;
    return `${'('.repeat(Math.max(around, open))}${quoted(found)}${')'.repeat(Math.max(around, -open))}`;
  });
  return joined.replace(numberList, (list, at: number) => {
    const codes = list.split(',').map((code) => code.trim());
    const isHex = codes.every((code) => /^0x/i.test(code));
    const near = () =>
      converts.test(joined.slice(Math.max(0, at - before), at)) ||
      converts.test(joined.slice(at + list.length, at + list.length + behind));
    const found = isHex || near() ? textOf(codes) : undefined;
    return found === undefined ? list : quoted(found);
  });
}

interface Literal {
  text: string;
  /** Position behind the closing quote. */
  end: number;
}

/** Quotes of strings, and those of strings inside a quoted argument. */
const quotes = ["'", '\\"', '"'];

function literalAt(text: string, at: number): Literal | undefined {
  const quote = quotes.find((each) => text.startsWith(each, at));
  if (quote === undefined) return undefined;
  const start = at + quote.length;
  const close = text.indexOf(quote, start);
  return close < 0 ? undefined : { text: text.slice(start, close), end: close + quote.length };
}

/** Position behind white space, of which at most 100 characters count. */
function behindSpace(text: string, at: number): number {
  let to = at;
  while (to < at + 100 && (text[to] === ' ' || text[to] === '\t' || text[to] === '\r' || text[to] === '\n')) to++;
  return to;
}

/** Strings behind `at` that are joined with `+`, or single ones in brackets. */
function joinedAt(text: string, at: number): Literal | undefined {
  const plus = behindSpace(text, at);
  if (text[plus] !== '+') return undefined;
  const next = behindSpace(text, plus + 1);
  if (text[next] !== '(') return literalAt(text, next);
  const inner = literalAt(text, behindSpace(text, next + 1));
  const close = inner && behindSpace(text, inner.end);
  return inner && text[close!] === ')' ? { text: inner.text, end: close! + 1 } : undefined;
}

const maxArguments = 500;

/** Arguments of `-f` behind `at`. */
function argumentsAt(text: string, at: number): { values: string[]; end: number } | undefined {
  let next = behindSpace(text, at);
  if (text[next] === ')') next = behindSpace(text, next + 1);
  if (!/^-f/i.test(text.slice(next, next + 2))) return undefined;
  next = behindSpace(text, next + 2);
  const isOpen = text[next] === '(';
  if (isOpen) next = behindSpace(text, next + 1);
  const values: string[] = [];
  let end = at;
  while (values.length < maxArguments) {
    const value = literalAt(text, next);
    if (!value) break;
    values.push(value.text);
    end = value.end;
    next = behindSpace(text, end);
    if (text[next] !== ',') break;
    next = behindSpace(text, next + 1);
  }
  return values.length === 0 ? undefined : { values, end };
}

function formatted(format: string, values: readonly string[]): string | undefined {
  let isComplete = true;
  const text = format.replace(/\{(\d{1,3})\}/g, (_, index: string) => {
    const value = values[Number(index)];
    if (value === undefined) isComplete = false;
    return value ?? '';
  });
  return isComplete && text !== format ? text : undefined;
}

/**
 * Strings that stand joined (`'a'+'b'`) or formatted (`"{1}{0}" -f 'b','a'`) as one. Each kind of quote is read separately, since one argument
 * in quotes may hold a script with the other kind.
 */
export function withWholeStrings(text: string): { text: string; steps: string[] } {
  const steps = new Set<string>();
  let found = text;
  for (const quote of quotes) found = wholeStrings(found, quote, steps);
  return { text: found, steps: [...steps] };
}

function wholeStrings(text: string, quote: string, steps: Set<string>): string {
  let out = '';
  let from = 0;
  for (let at = text.indexOf(quote); at >= 0; ) {
    const literal = literalAt(text, at);
    if (!literal) break;
    let { text: value, end } = literal;
    let isChanged = false;
    for (let next = joinedAt(text, end); next; next = joinedAt(text, end)) {
      value += next.text;
      end = next.end;
      isChanged = true;
      steps.add('String concatenation');
    }
    const given = value.includes('{') ? argumentsAt(text, end) : undefined;
    const whole = given && formatted(value, given.values);
    if (given && whole !== undefined) {
      // A bracket that closed the format stays closed.
      const isClosed = text[behindSpace(text, end)] === ')';
      value = whole;
      end = given.end;
      out += `${text.slice(from, at)}${quote}${value}${quote}${isClosed ? ')' : ''}`;
      from = end;
      steps.add('String format');
    } else if (isChanged) {
      out += `${text.slice(from, at)}${quote}${value}${quote}`;
      from = end;
    }
    at = text.indexOf(quote, end);
  }
  return from === 0 ? text : out + text.slice(from);
}
