/**
 * Bloom filter of the words of a block: runs of ASCII letters and digits, lower case. A search skips the blocks that lack one of its words.
 * Burton H. Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970); positions by double hashing (Kirsch, Mitzenmacher 2006).
 */
/** 3% of blocks without a word pass. */
const bitsPerToken = 7;
export const positionsPerToken = 5;
/** Shorter words are in every block. */
export const minTokenLength = 3;
/** Longer words are entered by their beginning. */
const maxTokenLength = 64;

const offset = 0x81_1c_9d_c5;
const prime = 0x01_00_01_93;

/** Of each byte: its lower case if it is part of a word, else 0. */
const wordBytes = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte).toLowerCase();
  if (byte < 128 && /[\da-z]/.test(character)) wordBytes[byte] = character.charCodeAt(0);
}

/** Two hashes of a word; the second from the first (MurmurHash3's finaliser). */
export function tokenHashes(token: string): [number, number] {
  let hash = offset;
  for (let at = 0; at < Math.min(token.length, maxTokenLength); at++)
    hash = Math.imul(hash ^ wordBytes[token.charCodeAt(at)]!, prime);
  return [hash >>> 0, secondOf(hash)];
}

function secondOf(first: number): number {
  let hash = Math.imul(first ^ (first >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) | 1) >>> 0;
}

const backslash = 92;
const letterU = 117;
const differenceMark = 2;
const lineFeed = 10;

const shuffles = crypto.getRandomValues(new Uint32Array(2));

/**
 * Set of 32-bit numbers; a Set of many takes five times as long. Slots depend on random numbers of the process: a sender who could compute them would
 * choose words that all begin at one slot, which take time by the square of their number.
 */
export class Hashes {
  readonly #first: number;
  readonly #second: number;
  #bits = 11;
  #slots = new Int32Array(1 << this.#bits);
  #hasZero = false;
  size = 0;

  /** Factors are made odd, so that no bit is lost. */
  constructor(first = shuffles[0]!, second = shuffles[1]!) {
    this.#first = first | 1;
    this.#second = second | 1;
  }

  /** Returns the number of slots that it read. */
  add(hash: number): number {
    if (hash === 0) {
      if (!this.#hasZero) this.size++;
      this.#hasZero = true;
      return 0;
    }
    const moved = 2 * this.size >= this.#slots.length ? this.#grow() : 0;
    return moved + this.#enter(hash);
  }

  #enter(hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const mixed = Math.imul(hash, this.#first);
    let at = Math.imul(mixed ^ (mixed >>> 15), this.#second) >>> (32 - this.#bits);
    let probes = 1;
    for (let held = slots[at]!; held !== 0; held = slots[at]!) {
      if (held === hash) return probes;
      at = (at + 1) & mask;
      probes++;
    }
    slots[at] = hash;
    this.size++;
    return probes;
  }

  #grow(): number {
    const before = this.#slots;
    this.#bits += 2;
    this.#slots = new Int32Array(1 << this.#bits);
    this.size = this.#hasZero ? 1 : 0;
    let probes = 0;
    for (const hash of before) if (hash !== 0) probes += this.#enter(hash);
    return probes;
  }

  each(visit: (hash: number) => void): void {
    if (this.#hasZero) visit(0);
    for (const hash of this.#slots) if (hash !== 0) visit(hash);
  }
}

export class TokenFilter {
  readonly #hashes = new Hashes();

  /** Adds the words of JSON text: letters of escapes are none. */
  addText(text: Buffer): void {
    let hash = offset;
    let length = 0;
    for (let at = 0; at <= text.length; at++) {
      const byte = at < text.length ? text[at]! : lineFeed;
      const word = wordBytes[byte]!;
      if (word !== 0) {
        if (length++ < maxTokenLength) hash = Math.imul(hash ^ word, prime);
        continue;
      }
      if (length >= minTokenLength) this.#hashes.add(hash);
      hash = offset;
      length = 0;
      if (byte === backslash) at += text[at + 1] === letterU ? 5 : 1;
      else if (byte === differenceMark) {
        const end = text.indexOf(lineFeed, at);
        at = end < 0 ? text.length - 1 : end - 1;
      }
    }
  }

  bytes(): Buffer {
    const filter = Buffer.alloc(Math.max(8, Math.ceil((this.#hashes.size * bitsPerToken) / 8)));
    const bits = filter.length * 8;
    this.#hashes.each((hash) => {
      // As `(first + position * second) % bits`, in whole numbers of 32 bits.
      const step = secondOf(hash) % bits;
      for (let position = 0, bit = (hash >>> 0) % bits; position < positionsPerToken; position++) {
        filter[bit >>> 3]! |= 1 << (bit & 7);
        bit += step;
        if (bit >= bits) bit -= bits;
      }
    });
    return filter;
  }
}
