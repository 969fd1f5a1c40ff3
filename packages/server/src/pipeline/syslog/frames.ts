/**
 * Splits a TCP stream into syslog messages: octet counting and newline framing (RFC 6587), mixed on one connection as some
 * relays do. Works on bytes and decodes whole messages, so characters split between two chunks survive. Buffers at most one
 * message: a longer one is reported and skipped, and the stream continues behind it.
 */

/** A message, or the report of a skipped one. */
export type Frame = { text: string } | { dropped: 'too-long' };

export interface Framer {
  /** Takes the next bytes of the connection and returns the completed messages. */
  push: (chunk: Uint8Array) => Frame[];
  /** Ends the stream; returns a last message without its newline. */
  end: () => Frame[];
}

/** 256 KiB, the limit of an event. */
export const longestMessage = 256 * 1024;
/** Largest announced length to honour by skipping exactly that many bytes. */
const longestSkip = 64 * 1024 * 1024;
const newline = 10;

type State = 'start' | 'count' | 'octets' | 'line' | 'skip-octets' | 'skip-line';

/** Creates a framer for one connection. */
export function createFramer(longest = longestMessage): Framer {
  let state: State = 'start';
  let held: Buffer = Buffer.alloc(0);
  let heldLength = 0;
  /** Digits of a length being read; then the number of missing bytes. */
  let digits = '';
  let missing = 0;

  /**
   * Copies bytes out of the chunk, which is the socket’s memory; capacity doubles, so that single bytes cost no more than a
   * block.
   */
  function hold(bytes: Buffer): void {
    if (heldLength + bytes.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(heldLength + bytes.length, held.length * 2, 512));
      held.copy(larger, 0, 0, heldLength);
      held = larger;
    }
    bytes.copy(held, heldLength);
    heldLength += bytes.length;
  }

  function take(last: Buffer): string {
    let bytes = last;
    if (heldLength > 0) {
      hold(last);
      bytes = held.subarray(0, heldLength);
    }
    let end = bytes.length;
    while (end > 0 && (bytes[end - 1] === 13 || bytes[end - 1] === 0 || bytes[end - 1] === newline)) end--;
    const text = bytes.toString('utf8', 0, end);
    forget();
    return text;
  }

  function forget(): void {
    heldLength = 0;
    if (held.length > 4096) held = Buffer.alloc(0);
  }

  function emit(frames: Frame[], text: string): void {
    if (text !== '') frames.push({ text });
  }

  /** Reads a length and returns the position reached. Input that is no length is the beginning of a line. */
  function readCount(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte >= 48 && byte <= 57 && digits.length < 8) {
        digits += String.fromCharCode(byte);
        continue;
      }
      if (digits.endsWith(' ')) {
        // Only `<` begins a message after a length; `2026 is over` is a line.
        if (byte === 60 && Number(digits) <= longestSkip) {
          missing = Number(digits);
          state = missing > longest ? 'skip-octets' : 'octets';
          digits = '';
        } else becomeLine();
        return at;
      }
      if (byte === 32) {
        digits += ' ';
        continue;
      }
      becomeLine();
      return at;
    }
    return bytes.length;
  }

  function becomeLine(): void {
    hold(Buffer.from(digits, 'latin1'));
    digits = '';
    state = 'line';
  }

  function readLine(frames: Frame[], bytes: Buffer, from: number): number {
    const end = bytes.indexOf(newline, from);
    const upTo = end < 0 ? bytes.length : end;
    if (heldLength + upTo - from > longest) {
      forget();
      frames.push({ dropped: 'too-long' });
      state = end < 0 ? 'skip-line' : 'start';
      return end < 0 ? bytes.length : end + 1;
    }
    if (end < 0) {
      hold(bytes.subarray(from));
      return bytes.length;
    }
    emit(frames, take(bytes.subarray(from, end)));
    state = 'start';
    return end + 1;
  }

  function readOctets(frames: Frame[], bytes: Buffer, from: number): number {
    const available = bytes.length - from;
    if (available < missing) {
      hold(bytes.subarray(from));
      missing -= available;
      return bytes.length;
    }
    emit(frames, take(bytes.subarray(from, from + missing)));
    state = 'start';
    return from + missing;
  }

  function push(chunk: Uint8Array): Frame[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const frames: Frame[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (state === 'start') {
        const byte = bytes[at]!;
        if (byte === newline || byte === 13 || byte === 0) at++;
        else state = byte >= 49 && byte <= 57 ? 'count' : 'line';
      } else if (state === 'count') at = readCount(bytes, at);
      else if (state === 'line') at = readLine(frames, bytes, at);
      else if (state === 'octets') at = readOctets(frames, bytes, at);
      else if (state === 'skip-octets') {
        const skipped = Math.min(missing, bytes.length - at);
        missing -= skipped;
        at += skipped;
        if (missing === 0) {
          frames.push({ dropped: 'too-long' });
          state = 'start';
        }
      } else {
        const end = bytes.indexOf(newline, at);
        at = end < 0 ? bytes.length : end + 1;
        if (end >= 0) state = 'start';
      }
    }
    return frames;
  }

  function end(): Frame[] {
    const frames: Frame[] = [];
    if (state === 'count') becomeLine();
    if (state === 'skip-octets') frames.push({ dropped: 'too-long' });
    else if (state === 'line' || state === 'octets') emit(frames, take(Buffer.alloc(0)));
    state = 'start';
    forget();
    digits = '';
    return frames;
  }

  return { push, end };
}
