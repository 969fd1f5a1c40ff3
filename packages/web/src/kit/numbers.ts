/** Numbers as the portal writes them: K, M, B, T at 1e3, 1e6, 1e9, 1e12 (spec §9), the exact value one hover away. */

const units: [limit: number, unit: string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

/** 999 → 999, 1234 → 1.2K, 12345 → 12.3K, 999950 → 1M. Rounded down, so that a figure never claims more than there is. */
export function abbreviate(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  for (const [limit, unit] of units) {
    if (size < limit) continue;
    const tenths = Math.floor((size / limit) * 10) / 10;
    return `${value < 0 ? '−' : ''}${tenths >= 100 ? Math.floor(tenths) : tenths}${unit}`;
  }
  return value < 0 ? `−${size}` : String(value);
}

/** 1234567 → 1,234,567, at most three decimals. By hand: the browser's own format takes longer to be made than all figures of a page. */
export const exact = (value: number) =>
  String(Math.round(value * 1000) / 1000).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** "1 alert", "2 alerts". */
export const counted = (value: number, one: string, many = `${one}s`) => `${exact(value)} ${value === 1 ? one : many}`;

export type Trend = { direction: 'up' | 'down' | 'level'; text: string };

/** Trend against the previous period; undefined where that has no data. */
export function trendOf(value: number, before: number): Trend | undefined {
  if (before === 0) return value === 0 ? undefined : { direction: 'up', text: 'new' };
  const percent = Math.round(((value - before) / before) * 100);
  if (percent === 0) return { direction: 'level', text: '0%' };
  return { direction: percent > 0 ? 'up' : 'down', text: percent > 999 ? '>999%' : `${Math.abs(percent)}%` };
}
