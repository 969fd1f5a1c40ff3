/** Signs of an encoding, found in one pass over every command line: ordinary ones have none and cost this pass alone. */
import { base64Bytes, compressionOf, hexBytes, isPrintable } from './bytes.ts';

/** Characters in a row that are tried as Base64 or hexadecimal digits without a word about it. */
export const minRun = 20;
/** Numbers in a list. */
const minNumbers = 4;

const lower = 1;
const upper = 2;
const sign = 4;
const lowerHex = 8;
const upperHex = 16;
const digit = 32;
/** Ends a run; a sign in some places. */
const mark = 64;
/** Continues a run; a sign in some places. */
const markInRun = 128;

const kinds = new Uint8Array(0x10000);
const setKind = (chars: string, kind: number) => {
  for (const char of chars) kinds[char.charCodeAt(0)]! |= kind;
};
setKind('ghijklmnopqrstuvwxyz', lower);
setKind('GHIJKLMNOPQRSTUVWXYZ', upper);
setKind('abcdef', lowerHex);
setKind('ABCDEF', upperHex);
setKind('0123456789', digit);
setKind('+/', sign);
setKind('^`%[(,\\-\u2013\u2014\u2015', mark);
setKind('4+/xX', markInRun);

const letter = lower | upper | lowerHex | upperHex;
const notHex = lower | upper | sign;

/** True if `decode` may find something. */
export function mayBeEncoded(text: string): boolean {
  let run = 0;
  let seen = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)]!;
    if ((kind & (mark | markInRun)) !== 0) {
      if (isSign(text, at)) return true;
      if (text.charCodeAt(at) === 0x2c && isDigit(text, at - 1) && ++commas >= minNumbers - 1) return true;
    }
    if (kind === 0 || kind === mark) {
      run = 0;
      seen = 0;
      continue;
    }
    seen |= kind;
    if (++run === minRun && isEncodedRun(text.slice(at + 1 - run, at + 1), seen)) return true;
  }
  return false;
}

/** Letters of both cases, or hexadecimal digits, that begin a text or compressed bytes. */
function isEncodedRun(run: string, seen: number): boolean {
  if ((seen & (lower | lowerHex)) !== 0 && (seen & (upper | upperHex)) !== 0) return isPlausible(base64Bytes(run));
  return (seen & notHex) === 0 && (seen & (lowerHex | upperHex)) !== 0 && isPlausible(hexBytes(run));
}

const maxBeyondAscii = 4;
const maxOdd = 2;

function isPlausible(bytes: Uint8Array): boolean {
  if (compressionOf(bytes) !== undefined) return true;
  let beyond = 0;
  let control = 0;
  let wide = 0;
  for (const [at, byte] of bytes.entries()) {
    if (byte >= 0x80) beyond++;
    else if (byte === 0 && at % 2 === 1) wide++;
    else if (!isPrintable(byte)) control++;
  }
  return wide > 0 ? wide + maxOdd >= bytes.length >> 1 : control === 0 && beyond <= maxBeyondAscii;
}

const kindAt = (text: string, at: number): number => kinds[text.charCodeAt(at)] ?? 0;
const isDigit = (text: string, at: number): boolean => (kindAt(text, at) & (digit | lowerHex | upperHex)) !== 0;
const isLetter = (text: string, at: number): boolean => (kindAt(text, at) & letter) !== 0;
const isQuote = (code: number): boolean => code === 0x27 || code === 0x22;

function isSign(text: string, at: number): boolean {
  switch (text[at]) {
    case '^':
      return at + 1 < text.length && text.charCodeAt(at + 1) > 0x20;
    case '`':
      return isLetter(text, at - 1) && isLetter(text, at + 1);
    case '%':
      return isDigit(text, at + 1) && isDigit(text, at + 2) && !text.startsWith('20', at + 1);
    case '[':
      return /^\[(?:char|byte)/i.test(text.slice(at, at + 6));
    case '(':
      return /chrw?\($/i.test(text.slice(Math.max(0, at - 4), at + 1));
    case '\\':
      return /^\\x[0-9a-f]{2}\\x/i.test(text.slice(at, at + 6));
    case '+':
      return isQuote(text.charCodeAt(before(text, at))) || isQuote(text.charCodeAt(at + 1));
    case '4':
      return text[at - 1] === '6' && /[eb]/i.test(text[at - 2] ?? '');
    case 'x':
    case 'X':
      return isWord(text, at - 2, 'hex') || isWord(text, at, 'xxd');
    case ',':
      return false;
    default:
      return isOption(text, at);
  }
}

const isWord = (text: string, at: number, word: string): boolean =>
  at >= 0 && text.slice(at, at + word.length).toLowerCase() === word;

function before(text: string, at: number): number {
  let to = at - 1;
  while (to > 0 && to > at - 8 && text.charCodeAt(to) <= 0x20) to--;
  return to;
}

/** `-e …`, `/enc …`: a beginning of `-EncodedCommand` with its argument. Or `-f` behind a string. */
function isOption(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1) | 0x20;
  if (next === 0x66) return isQuote(text.charCodeAt(before(text, at))) || text[before(text, at)] === ')';
  return next === 0x65 && /^.e[ncodemad]{0,13}[\s:]/i.test(text.slice(at, at + 16));
}
