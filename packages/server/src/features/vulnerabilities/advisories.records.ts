/**
 * Extracts JSON objects from a stream, whether a single one, an array or one per line, in bounded memory. Broken, oversized or too deep records
 * are reported and skipped. Scans brackets and strings only; JSON.parse reads each object.
 */
import { shouldYield, yieldToEventLoop } from '../../core/yielding.ts';

const maxRecordBytes = 16 * 1024 * 1024;
const maxDepth = 100;

export interface Skips {
  add(why: string): void;
}

const [quote, backslash, newline, open, close, listOpen, listClose, comma] = [...'"\\\n{}[],'].map((each) =>
  each.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];
const isSpace = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9;

type Fields = Record<string, unknown>;
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns undefined for anything but a JSON object in UTF-8. */
export function parseObject(bytes: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Yields objects in order; `count` numbers them in skip messages. */
export async function* readRecords(stream: AsyncIterable<Uint8Array>, skips: Skips): AsyncGenerator<Fields> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  /** End of the skipped part: nothing, the record’s end, or the next object. */
  let leavingOut: 'nothing' | 'record' | 'garbage' = 'nothing';
  let count = 0;

  const drop = (why: string) => {
    skips.add(`Entry ${count}: ${why}`);
    parts = [];
    length = 0;
  };
  const reset = () => {
    [depth, isInText, isEscaped, leavingOut, parts, length] = [0, false, false, 'nothing', [], 0];
  };
  /** Rescans an unclosed record, which may be a broken line with complete ones after it. */
  function* rescue(): Generator<Fields> {
    const lines = Buffer.concat(parts).toString('latin1').split('\n').slice(1);
    for (const line of lines) {
      if (line.trim() === '') continue;
      count++;
      const value = parseObject(Buffer.from(line.replace(/,\s*$/, ''), 'latin1'));
      if (value) yield value;
      else skips.add(`Entry ${count}: not a JSON object.`);
    }
  }

  for await (const chunk of stream) {
    let from = depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (depth === 0) {
        if (byte === open) {
          count++;
          [depth, from, leavingOut] = [1, at, 'nothing'];
        } else if (leavingOut !== 'garbage' && !isSpace(byte) && byte !== comma && byte !== listOpen && byte !== listClose) {
          // Accept a byte order mark.
          if (byte === 0xef || byte === 0xbb || byte === 0xbf) continue;
          count++;
          skips.add(`Entry ${count}: not a JSON object.`);
          leavingOut = 'garbage';
        } else if (byte === newline) leavingOut = 'nothing';
        continue;
      }
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInText = false;
        else if (byte === newline) {
          // JSON strings never span lines.
          drop('unterminated string.');
          reset();
          from = -1;
        }
        continue;
      }
      if (byte === quote) isInText = true;
      else if (byte === open || byte === listOpen) {
        depth++;
        if (depth > maxDepth && leavingOut === 'nothing') {
          drop(`nested deeper than ${maxDepth} levels.`);
          leavingOut = 'record';
        }
      } else if (byte === close || byte === listClose) {
        depth--;
        if (depth > 0) continue;
        if (leavingOut === 'nothing') {
          const value = parseObject(joined(parts, chunk.subarray(from, at + 1)));
          if (value) yield value;
          else drop('not a JSON object.');
        }
        reset();
        from = -1;
        if (shouldYield()) await yieldToEventLoop();
      }
    }
    if (depth > 0 && leavingOut === 'nothing') {
      parts.push(chunk.slice(from));
      length += chunk.length - from;
      if (length > maxRecordBytes) {
        const before = count;
        const found = [...rescue()];
        drop(`larger than ${maxRecordBytes / 1024 / 1024} MB.`);
        if (found.length === 0 || count === before) leavingOut = 'record';
        else reset();
        yield* found;
      }
    }
    if (shouldYield()) await yieldToEventLoop();
  }
  if (depth > 0) {
    const found = leavingOut === 'nothing' ? [...rescue()] : [];
    drop('unterminated object.');
    yield* found;
  }
}

const joined = (parts: readonly Uint8Array[], last: Uint8Array): Uint8Array =>
  parts.length === 0 ? last : Buffer.concat([...parts, last]);

/** Reads a stream fully, for formats that need the whole file. */
export async function readWhole(stream: AsyncIterable<Uint8Array>, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Yields UTF-8 lines without terminators; lines longer than `maxLength` bytes are reported and skipped. */
export async function* readLines(stream: AsyncIterable<Uint8Array>, skips: Skips, maxLength = 64 * 1024): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  let count = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(newline, from); end !== -1; end = chunk.indexOf(newline, from)) {
      count++;
      const line = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(from, end)]) : Buffer.from(chunk.subarray(from, end));
      if (isTooLong || line.length > maxLength) skips.add(`Line ${count} is longer than ${maxLength} bytes.`);
      else yield line.toString('utf8').replace(/\r$/, '');
      [rest, isTooLong, from] = [Buffer.alloc(0), false, end + 1];
      if (shouldYield()) await yieldToEventLoop();
    }
    if (isTooLong) continue;
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > maxLength) [rest, isTooLong] = [Buffer.alloc(0), true];
  }
  if (isTooLong) skips.add(`Line ${count + 1} is longer than ${maxLength} bytes.`);
  else if (rest.length > 0) yield rest.toString('utf8').replace(/\r$/, '');
}
