/** Versions by their numbers: 8.9.1 comes before 8.17.0. What stands after them ("-rc1") does not count. */

const numbersOf = (version: string): number[] => (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);

/** Below 0 where `a` is older, above 0 where it is newer. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
