export type Random = () => number;

/** Mulberry32 (T. Ettinger): the same seed, the same events. */
export function seeded(seed: number): Random {
  let state = (seed * 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
export const between = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

export function text(random: Random, alphabet: string, length: number): string {
  let filled = '';
  for (let at = 0; at < length; at++) filled += alphabet[Math.floor(random() * alphabet.length)];
  return filled;
}

/** Picks by weight in logarithmic time. */
export function weighted<T>(items: readonly T[], weightOf: (item: T) => number): (random: Random) => T {
  let sum = 0;
  const sums = items.map((item) => {
    sum += weightOf(item);
    return sum;
  });
  return (random) => {
    const wanted = random() * sum;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > wanted) high = middle;
      else low = middle + 1;
    }
    return items[low]!;
  };
}
