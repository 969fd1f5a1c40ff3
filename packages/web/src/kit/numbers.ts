/** Numbers of figures and lists, with their change against the period before. */

export { abbreviate, counted, exact } from '@parapet/contract/rules/numbers.ts';

export type Trend = { direction: 'up' | 'down' | 'level'; text: string };

/** Trend against the previous period; undefined where that has no data. */
export function trendOf(value: number, before: number): Trend | undefined {
  if (before === 0) return value === 0 ? undefined : { direction: 'up', text: 'new' };
  const percent = Math.round(((value - before) / before) * 100);
  if (percent === 0) return { direction: 'level', text: '0%' };
  return { direction: percent > 0 ? 'up' : 'down', text: percent > 999 ? '>999%' : `${Math.abs(percent)}%` };
}
