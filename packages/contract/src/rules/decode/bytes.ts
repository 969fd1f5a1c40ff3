/** Text in encoded bytes: Base64, hexadecimal, gzip and deflate. Every output is bounded; bytes that are no text give undefined. */
import { Decompress } from 'fflate';

/** Characters of a text, before and after decoding. */
export const maxLength = 64 * 1024;

/** Output that decompression may still produce for one text. */
export interface Budget {
  bytes: number;
}

export const newBudget = (): Budget => ({ bytes: 4 * maxLength });
/** Bytes that an attempt counts for, whatever it yields: each takes a window. */
const attempt = 4 * 1024;

export interface ReadBytes {
  text: string;
  /** `UTF-16LE` where bytes are text in it, `gzip` or `deflate` where they were compressed; outermost first. */
  steps: string[];
  isPartial: boolean;
}

const base64Values = new Uint8Array(128);
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  base64Values[char.charCodeAt(0)] = value;

/** @param text of the alphabet alone; padding is not needed, and a last character that fills no byte is left out */
export function base64Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    bits = ((bits << 6) | base64Values[text.charCodeAt(i)]!) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = bits >> held;
  }
  return bytes;
}

/** @param text pairs of hexadecimal digits */
export const hexBytes = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length >> 1 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));

/** Tab, line feed and carriage return are text; other control characters are not. */
export const isPrintable = (code: number): boolean => (code >= 0x20 && code < 0x7f) || code > 0x9f || (code >= 9 && code <= 13);

/** Compressions inside each other. */
const maxLayers = 4;

/** @param isCompressed bytes without a header may be deflated, since the text around them names a decompression */
export function readBytes(bytes: Uint8Array, budget: Budget, isCompressed = false, layers = maxLayers): ReadBytes | undefined {
  const wide = wideText(bytes);
  if (wide !== undefined) return { text: wide, steps: ['UTF-16LE'], isPartial: false };
  const text = narrowText(bytes);
  if (text !== undefined) return { text, steps: [], isPartial: false };
  const format = compressionOf(bytes) ?? (isCompressed ? 'deflate' : undefined);
  if (format === undefined || budget.bytes <= 0) return undefined;
  const { data, isPartial } = inflate(bytes);
  budget.bytes -= attempt + data.length;
  // A cut may fall inside a character.
  const inner = wideText(data) ?? narrowText(isPartial ? data.subarray(0, lastAscii(data)) : data);
  if (inner !== undefined) return { text: inner, steps: [format], isPartial };
  const next = compressionOf(data) && layers > 1 ? readBytes(data, budget, false, layers - 1) : undefined;
  return next && { text: next.text, steps: [format, ...next.steps], isPartial: isPartial || next.isPartial };
}

/** By the first bytes (RFC 1952, RFC 1950). */
export const compressionOf = (bytes: Uint8Array): string | undefined => {
  const [first = 0, second = 0, third = 0] = bytes;
  if (first === 0x1f && second === 0x8b && third === 8) return 'gzip';
  return first === 0x78 && ((first << 8) | second) % 31 === 0 ? 'deflate' : undefined;
};

const lastAscii = (bytes: Uint8Array): number => bytes.findLastIndex((byte) => byte < 0x80) + 1;

/** Compressed bytes that are read at once: deflate makes at most 1,032 of one (RFC 1951), so that the output is bounded before it is checked. */
const sliceLength = 256;

function inflate(bytes: Uint8Array): { data: Uint8Array; isPartial: boolean } {
  const parts: Uint8Array[] = [];
  let length = 0;
  let isPartial = false;
  try {
    const stream = new Decompress((part) => {
      parts.push(part);
      length += part.length;
    });
    for (let at = 0; at < bytes.length && length <= maxLength; at += sliceLength)
      stream.push(bytes.subarray(at, at + sliceLength));
  } catch {
    isPartial = true;
  }
  const data = new Uint8Array(Math.min(length, maxLength));
  let at = 0;
  for (const part of parts) {
    const fitting = part.subarray(0, data.length - at);
    data.set(fitting, at);
    at += fitting.length;
  }
  return { data, isPartial: isPartial || length > maxLength };
}

/** UTF-16LE: most characters of scripts are ASCII, whose second byte is zero. Lone surrogates become U+FFFD. */
function wideText(bytes: Uint8Array): string | undefined {
  const from = bytes[0] === 0xff && bytes[1] === 0xfe ? 2 : 0;
  let to = bytes.length & ~1;
  while (to > from && bytes[to - 1] === 0 && bytes[to - 2] === 0) to -= 2;
  const pairs = (to - from) / 2;
  if (pairs < 2) return undefined;
  let narrow = 0;
  for (let at = from; at < to; at += 2) {
    if (bytes[at + 1] !== 0) continue;
    if (!isPrintable(bytes[at]!)) return undefined;
    narrow++;
  }
  if (narrow * 4 < pairs * 3) return undefined;
  let text = '';
  for (let at = from; at < to; at += 2) text += String.fromCharCode(bytes[at]! | (bytes[at + 1]! << 8));
  return text.toWellFormed();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** ASCII or UTF-8. */
export function narrowText(bytes: Uint8Array): string | undefined {
  if (bytes.length < 1) return undefined;
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! < 0x80 && !isPrintable(bytes[at]!)) return undefined;
  try {
    const text = utf8.decode(bytes);
    return text === '' || /[\u0080-\u009f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
