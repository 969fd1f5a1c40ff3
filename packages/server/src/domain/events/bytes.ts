/** Growing buffer of unsigned integers (LEB128) and texts, and its reader. */
export class Writer {
  #buffer: Buffer;
  #at = 0;

  /** With the bytes that are expected: each growth leaves a buffer behind, whose room returns with the next collection. */
  constructor(expected = 4_096) {
    this.#buffer = Buffer.allocUnsafe(expected);
  }

  #room(length: number): void {
    if (this.#at + length <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#at + length));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }

  number(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at++] = rest;
  }

  /** Fixed width, so that equal sequences of numbers are equal bytes. */
  short(value: number): void {
    this.#room(2);
    this.#at = this.#buffer.writeUInt16LE(value, this.#at);
  }

  text(value: string): void {
    const most = 3 * value.length;
    this.#room(8 + most);
    const length = Buffer.byteLength(value);
    this.number(length);
    this.#at += this.#buffer.write(value, this.#at);
  }

  /** Without its length. */
  raw(value: string): void {
    this.#room(3 * value.length);
    this.#at += this.#buffer.write(value, this.#at);
  }

  buffer(value: Buffer): void {
    this.#room(value.length);
    this.#at += value.copy(this.#buffer, this.#at);
  }

  get length(): number {
    return this.#at;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }
}

export class Reader {
  readonly #buffer: Buffer;
  at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#buffer[this.at++];
      if (byte === undefined || factor > 2 ** 49) throw new RangeError('A number is cut off.');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  short(): number {
    this.at += 2;
    return this.#buffer.readUInt16LE(this.at - 2);
  }

  take(length: number): Buffer {
    if (this.at + length > this.#buffer.length) throw new RangeError('A part is cut off.');
    this.at += length;
    return this.#buffer.subarray(this.at - length, this.at);
  }

  text(): string {
    return this.take(this.number()).toString('utf8');
  }
}
