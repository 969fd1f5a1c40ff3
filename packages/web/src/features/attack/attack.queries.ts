/** Queries of the attack indicators, and the timeframe they are compared with. */
import { attackApi, type navigatorLayers } from '@parapet/contract/attack.ts';
import {
  type Range,
  resolveTimeframe,
  type Timeframe,
  timeframeLabel,
  toolbarTimeframes,
} from '@parapet/contract/rules/timeframe.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { Scope } from '../../lib/scope.ts';

type Seen = Pick<Scope, 'client' | 'range'>;
const paramsOf = ({ client, range }: Seen) => ({ client, start: range.start, end: range.end });

export const comparisons = ['none', 'before', ...toolbarTimeframes] as const;
export type Comparison = (typeof comparisons)[number];
export const comparisonLabel = (comparison: Comparison): string =>
  comparison === 'none' ? 'Nothing' : comparison === 'before' ? 'Previous period' : timeframeLabel(comparison as Timeframe);

/** Comparison timeframe: the preceding one of equal length, or another one of the toolbar. */
export function comparedRange(comparison: Comparison, range: Range, timeZone: string): Range | undefined {
  if (comparison === 'none') return undefined;
  if (comparison !== 'before') return resolveTimeframe(comparison, Date.now(), timeZone);
  const [start, end] = [Date.parse(range.start), Date.parse(range.end)];
  return { start: new Date(2 * start - end).toISOString(), end: range.start };
}

export const matrixQuery = (scope: Seen, compared: Range | undefined) =>
  queryOptionsOf(attackApi.matrix, {
    params: paramsOf(scope),
    query: compared ? { compareStart: compared.start, compareEnd: compared.end } : {},
  });
export const controlsQuery = (scope: Seen) => queryOptionsOf(attackApi.controls, { params: paramsOf(scope) });
export const navigatorOf = (scope: Seen, layer: (typeof navigatorLayers)[number]) => ({
  params: paramsOf(scope),
  query: { layer },
});
