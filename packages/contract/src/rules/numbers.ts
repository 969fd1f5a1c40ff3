/** Numbers as screens, reports, exports and Sapphire write them, in one place so that they agree. */

/** Spec §9: K, M, B, T at 1e3, 1e6, 1e9, 1e12. */
const units: readonly [limit: number, unit: string][] = [
  [1e3, 'K'],
  [1e6, 'M'],
  [1e9, 'B'],
  [1e12, 'T'],
];

/** Rounded to nearest, three digits at most: 999 → 999, 1182 → 1.2K, 123456 → 123K, 999950 → 1M. */
export function abbreviate(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  const at = units.findLastIndex(([limit]) => size >= limit);
  if (at < 0) return sign + size;
  const [limit, unit] = units[at]!;
  const tenths = Math.round((size * 10) / limit);
  // One decimal below 100; 999.5 and more is 1 of the next unit.
  const rounded = tenths < 1000 ? tenths / 10 : Math.round(size / limit);
  const next = rounded >= 1000 ? units[at + 1] : undefined;
  return next ? `${sign}1${next[1]}` : `${sign}${rounded}${unit}`;
}

/** 1234567 → 1,234,567, at most three decimals. Without Intl, whose formatter takes longer to create than all figures of a page. */
export const exact = (value: number): string =>
  String(Math.round(value * 1000) / 1000).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** "1 alert", "2 alerts". */
export const counted = (value: number, one: string, many = `${one}s`): string => `${exact(value)} ${value === 1 ? one : many}`;
