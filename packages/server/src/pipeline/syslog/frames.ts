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
export const createFramer = (longest = longestMessage): Framer => new StreamFramer(longest);

class StreamFramer implements Framer {
  private readonly held = new HeldBytes();
  private readonly longest: number;
  private state: State = 'start';
  /** Digits of a length being read; then the number of missing bytes. */
  private digits = '';
  private missing = 0;

  constructor(longest: number) {
    this.longest = longest;
  }

  push(chunk: Uint8Array): Frame[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const frames: Frame[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.state === 'start') {
        const byte = bytes[at]!;
        if (byte === newline || byte === 13 || byte === 0) at++;
        else this.state = byte >= 49 && byte <= 57 ? 'count' : 'line';
      } else if (this.state === 'count') at = this.readCount(bytes, at);
      else if (this.state === 'line') at = this.readLine(frames, bytes, at);
      else if (this.state === 'octets') at = this.readOctets(frames, bytes, at);
      else if (this.state === 'skip-octets') {
        const skipped = Math.min(this.missing, bytes.length - at);
        this.missing -= skipped;
        at += skipped;
        if (this.missing === 0) {
          frames.push({ dropped: 'too-long' });
          this.state = 'start';
        }
      } else {
        const end = bytes.indexOf(newline, at);
        at = end < 0 ? bytes.length : end + 1;
        if (end >= 0) this.state = 'start';
      }
    }
    return frames;
  }

  end(): Frame[] {
    const frames: Frame[] = [];
    if (this.state === 'count') this.becomeLine();
    if (this.state === 'skip-octets') frames.push({ dropped: 'too-long' });
    else if (this.state === 'line' || this.state === 'octets') emit(frames, this.held.take(Buffer.alloc(0)));
    this.state = 'start';
    this.held.clear();
    this.digits = '';
    return frames;
  }

  /** Reads a length and returns the position reached. Input that is no length is the beginning of a line. */
  private readCount(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte >= 48 && byte <= 57 && this.digits.length < 8) {
        this.digits += String.fromCharCode(byte);
        continue;
      }
      if (this.digits.endsWith(' ')) {
        // Only `<` begins a message after a length; `2026 is over` is a line.
        if (byte === 60 && Number(this.digits) <= longestSkip) {
          this.missing = Number(this.digits);
          this.state = this.missing > this.longest ? 'skip-octets' : 'octets';
          this.digits = '';
        } else this.becomeLine();
        return at;
      }
      if (byte === 32) {
        this.digits += ' ';
        continue;
      }
      this.becomeLine();
      return at;
    }
    return bytes.length;
  }

  private becomeLine(): void {
    this.held.add(Buffer.from(this.digits, 'latin1'));
    this.digits = '';
    this.state = 'line';
  }

  private readLine(frames: Frame[], bytes: Buffer, from: number): number {
    const end = bytes.indexOf(newline, from);
    const upTo = end < 0 ? bytes.length : end;
    if (this.held.length + upTo - from > this.longest) {
      this.held.clear();
      frames.push({ dropped: 'too-long' });
      this.state = end < 0 ? 'skip-line' : 'start';
      return end < 0 ? bytes.length : end + 1;
    }
    if (end < 0) {
      this.held.add(bytes.subarray(from));
      return bytes.length;
    }
    emit(frames, this.held.take(bytes.subarray(from, end)));
    this.state = 'start';
    return end + 1;
  }

  private readOctets(frames: Frame[], bytes: Buffer, from: number): number {
    const available = bytes.length - from;
    if (available < this.missing) {
      this.held.add(bytes.subarray(from));
      this.missing -= available;
      return bytes.length;
    }
    emit(frames, this.held.take(bytes.subarray(from, from + this.missing)));
    this.state = 'start';
    return from + this.missing;
  }
}

/** Bytes of a message that continues in the next chunk. */
class HeldBytes {
  length = 0;
  private bytes: Buffer = Buffer.alloc(0);

  /**
   * Copies bytes out of the chunk, which is the socket’s memory; capacity doubles, so that single bytes cost no more than a
   * block.
   */
  add(more: Buffer): void {
    if (this.length + more.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.length + more.length, this.bytes.length * 2, 512));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    more.copy(this.bytes, this.length);
    this.length += more.length;
  }

  /** Text of the held bytes and `last`, without newline and padding at its end. */
  take(last: Buffer): string {
    let bytes = last;
    if (this.length > 0) {
      this.add(last);
      bytes = this.bytes.subarray(0, this.length);
    }
    let end = bytes.length;
    while (end > 0 && (bytes[end - 1] === 13 || bytes[end - 1] === 0 || bytes[end - 1] === newline)) end--;
    const text = bytes.toString('utf8', 0, end);
    this.clear();
    return text;
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > 4096) this.bytes = Buffer.alloc(0);
  }
}

function emit(frames: Frame[], text: string): void {
  if (text !== '') frames.push({ text });
}
