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

/** Set of 32-bit numbers; a Set of many takes five times as long. */
class Hashes {
  #slots = new Int32Array(2_048);
  #hasZero = false;
  size = 0;

  add(hash: number): void {
    if (hash === 0) {
      if (!this.#hasZero) this.size++;
      this.#hasZero = true;
      return;
    }
    if (2 * this.size >= this.#slots.length) this.#grow();
    this.#enter(hash);
  }

  #enter(hash: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    // The lowest bits of FNV-1a are its weakest.
    let at = (hash ^ (hash >>> 15)) & mask;
    for (let held = slots[at]!; held !== 0; held = slots[at]!) {
      if (held === hash) return;
      at = (at + 1) & mask;
    }
    slots[at] = hash;
    this.size++;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(4 * before.length);
    this.size = this.#hasZero ? 1 : 0;
    for (const hash of before) if (hash !== 0) this.#enter(hash);
  }

  *all(): Generator<number, void> {
    if (this.#hasZero) yield 0;
    for (const hash of this.#slots) if (hash !== 0) yield hash;
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
    for (const hash of this.#hashes.all()) {
      const [first, second] = [hash >>> 0, secondOf(hash)];
      for (let position = 0; position < positionsPerToken; position++) {
        const bit = (first + position * second) % bits;
        filter[bit >>> 3]! |= 1 << (bit & 7);
      }
    }
    return filter;
  }
}
