/**
 * The body of a bulk request, as the buffer keeps it and the portal takes it: events as pairs of lines (an action with the id, the event), and lines of
 * files as blocks (`agentLines.ts`).
 */
import { crc32 } from 'node:zlib';
import { type LinesHeader, lineEnds, linesHeader } from '@parapet/contract/agentLines.ts';

const newline = 10;

/** Lines as they stand in a file, one behind the other. */
export interface Block {
  stream: string;
  /** Where they begin in the file. */
  offset: number;
  bytes: Buffer;
  /** Lines that are not empty. */
  count: number;
  /** It is one line, and too long: its beginning. */
  isCut: boolean;
}

/** An event with its own id, as it is kept and sent; `json` is one line. */
export const encodeEvent = (id: string, json: string): string => `{"create":{"_id":${JSON.stringify(id)}}}\n${json}\n`;

/** A block as it is kept and sent; `event` is what its events share. */
export function blockParts({ stream, offset, bytes, count }: Omit<Block, 'isCut'>, event: LinesHeader['event']): Buffer[] {
  const ending = bytes.at(-1) === newline ? [] : [Buffer.from('\n')];
  const crc = ending.reduce((sum, part) => crc32(part, sum), crc32(bytes));
  const lines: LinesHeader = { count, bytes: bytes.length + ending.length, crc, stream, offset, event };
  return [Buffer.from(`${JSON.stringify({ lines })}\n`), bytes, ...ending];
}

/** A pair or a block. */
interface Unit {
  end: number;
  events: number;
  block?: { header: LinesHeader; bytes: Buffer };
}

/** The one that begins at `from`; undefined when it is not whole, or nothing that the agent wrote. */
function unitAt(body: Buffer, from: number): Unit | undefined {
  const first = body.indexOf(newline, from);
  if (first === -1) return undefined;
  // Its second letter tells: {"create" or {"lines".
  if (body[from + 2] === 0x6c) {
    const header = headerOf(body.toString('utf8', from, first));
    const end = header && first + 1 + header.bytes;
    if (!header || !end || end > body.length) return undefined;
    return { end, events: header.count, block: { header, bytes: body.subarray(first + 1, end) } };
  }
  const second = body.indexOf(newline, first + 1);
  return second === -1 ? undefined : { end: second + 1, events: 1 };
}

function headerOf(line: string): LinesHeader | undefined {
  try {
    return linesHeader.parse(JSON.parse(line)).lines;
  } catch {
    return undefined;
  }
}

/** Where the last whole unit ends, and how many events these are; no unit more once there are `maxEvents`. */
export function wholeOf(body: Buffer, maxEvents: number): { end: number; events: number } {
  let end = 0;
  let events = 0;
  while (events < maxEvents) {
    const unit = unitAt(body, end);
    if (!unit) break;
    end = unit.end;
    events += unit.events;
  }
  return { end, events };
}

/** Like `wholeOf`, up to what is not as it was written: a power cut may leave zeros, or blocks of the disk that were never written. */
export function scanIntact(body: Buffer): { end: number; events: number } {
  let end = 0;
  let events = 0;
  for (let unit = unitAt(body, end); unit && isSound(body.subarray(end, unit.end), unit); unit = unitAt(body, end)) {
    end = unit.end;
    events += unit.events;
  }
  return { end, events };
}

const pairStart = Buffer.from('{"create":{"_id":"');
function isSound(bytes: Buffer, { block }: Unit): boolean {
  if (block) return crc32(block.bytes) === block.header.crc;
  return (
    bytes.subarray(0, pairStart.length).equals(pairStart) &&
    bytes[bytes.indexOf(newline) + 1] === 123 &&
    bytes.at(-2) === 125 &&
    !bytes.includes(0)
  );
}

/** Each event alone, as a body of its own: a pair, or a block of one line. */
export function eventsOf(body: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const unit = unitAt(body, at);
    if (!unit) break;
    if (unit.block) {
      const { header, bytes } = unit.block;
      for (const [from, to] of lineEnds(bytes)) {
        const line = { stream: header.stream, offset: header.offset + from, bytes: bytes.subarray(from, to), count: 1 };
        all.push(Buffer.concat(blockParts(line, header.event)));
      }
    } else all.push(body.subarray(at, unit.end));
    at = unit.end;
  }
  return all;
}
