/**
 * Bulk request bodies as buffered and sent: events as line pairs (an action with the id, then the event), and lines of files as
 * blocks (`agentLines.ts`).
 */
import { crc32 } from 'node:zlib';
import { type LinesHeader, lineEnds, linesHeader } from '@parapet/contract/agentLines.ts';

const newline = 10;

/** Consecutive raw lines of a file. */
export interface Block {
  stream: string;
  /** Byte offset of the first line in the file. */
  offset: number;
  bytes: Buffer;
  /** Number of non-empty lines. */
  count: number;
  /** The block is the beginning of a single line that exceeds the limit. */
  isCut: boolean;
}

/** Encodes an event with its id; `json` must be a single line. */
export const encodeEvent = (id: string, json: string): string => `{"create":{"_id":${JSON.stringify(id)}}}\n${json}\n`;

/** Encodes a block; `event` holds the fields shared by its events. */
export function blockParts({ stream, offset, bytes, count }: Omit<Block, 'isCut'>, event: LinesHeader['event']): Buffer[] {
  const ending = bytes.at(-1) === newline ? [] : [Buffer.from('\n')];
  const crc = ending.reduce((sum, part) => crc32(part, sum), crc32(bytes));
  const lines: LinesHeader = { count, bytes: bytes.length + ending.length, crc, stream, offset, event };
  return [Buffer.from(`${JSON.stringify({ lines })}\n`), bytes, ...ending];
}

/** Line pair or block. */
interface Unit {
  end: number;
  events: number;
  block?: { header: LinesHeader; bytes: Buffer };
}

/** Parses the unit that begins at `from`; undefined if it is incomplete or malformed. */
function unitAt(body: Buffer, from: number): Unit | undefined {
  const first = body.indexOf(newline, from);
  if (first === -1) return undefined;
  // The third byte distinguishes {"create" from {"lines".
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

/** Returns end offset and event count of the complete units; stops after the unit that reaches `maxEvents`. */
export function scanComplete(body: Buffer, maxEvents: number): { end: number; events: number } {
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

/** Returns end offset and event count of the intact prefix; stops at data torn by power loss. */
export function scanIntact(body: Buffer): { end: number; events: number } {
  let end = 0;
  let events = 0;
  for (let unit = unitAt(body, end); unit && isIntact(body.subarray(end, unit.end), unit); unit = unitAt(body, end)) {
    end = unit.end;
    events += unit.events;
  }
  return { end, events };
}

const pairStart = Buffer.from('{"create":{"_id":"');
function isIntact(bytes: Buffer, { block }: Unit): boolean {
  if (block) return crc32(block.bytes) === block.header.crc;
  return (
    bytes.subarray(0, pairStart.length).equals(pairStart) &&
    bytes[bytes.indexOf(newline) + 1] === 123 &&
    bytes.at(-2) === 125 &&
    !bytes.includes(0)
  );
}

/** Splits a body into one body per event: a pair, or a block of one line. */
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
