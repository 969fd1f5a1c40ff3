/** Seeded random numbers (sfc32, seeded by a 128-bit string hash), identical on every machine. The only source of chance of the world. */

export interface Random {
  /** [0, 1) */
  next(): number;
  /** An integer, both ends inclusive. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Picks by weight; weights need not sum to 1. */
  weighted<T>(list: readonly T[], weightOf: (item: T) => number): T;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
  /** A UUID's shape. */
  uuid(): string;
}

/** Bob Jenkins' style mix of a string into four words (cyrb128, public domain). */
function hash128(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [(a ^ b ^ c ^ d) >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0, (d ^ a) >>> 0];
}

/** Independent stream for each list of parts, so that events added in one place leave all others unchanged. */
export function randomFor(...parts: (string | number)[]): Random {
  let [a, b, c, d] = hash128(parts.join('/'));
  const word = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) word();
  const next = () => word() / 4294967296;
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const hex = (digits: number) => {
    let text = '';
    while (text.length < digits) text += word().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  };
  return {
    next,
    int,
    hex,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)]!,
    weighted: (list, weightOf) => {
      let total = 0;
      for (const item of list) total += weightOf(item);
      let left = next() * total;
      for (const item of list) {
        left -= weightOf(item);
        if (left < 0) return item;
      }
      return list[list.length - 1]!;
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}
