/** Locates a page of the list in time by the rollups, so that page 10,000 costs as much as page 2. */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Figure, figureSum, type Horizon, type Narrowing } from '../../domain/figures.ts';
import { ceilTo, dateOf, floorTo, type Range } from '../../domain/ranges.ts';
import type { Filter } from './alerts.filter.ts';

/** Figures whose sum (for seen alerts: difference) is the count of a filter. */
export function figuresOf({ isNew }: Filter): { figure: Figure; sign: 1 | -1 }[] {
  if (isNew === undefined) return [{ figure: 'severity', sign: 1 }];
  if (isNew) return [{ figure: 'newSeverity', sign: 1 }];
  return [
    { figure: 'severity', sign: 1 },
    { figure: 'newSeverity', sign: -1 },
  ];
}

const narrowingOf = ({ criticalities }: Filter): Narrowing => (criticalities ? { criticalities } : {});

/** SQL expression of a filter’s number of alerts in a range. */
export function totalOf(scope: Scope, filter: Filter, range: Range, horizon: Horizon): RawBuilder<number> {
  const terms = figuresOf(filter).map(
    ({ figure, sign }) =>
      sql`${sql.raw(sign === 1 ? '+' : '-')} ${figureSum(figure, scope, range, horizon, narrowingOf(filter))}`,
  );
  return sql<number>`(${sql.join(terms, sql` `)})`;
}

export type Segment = Range & { count: number };

/** Returns the segments that hold a page, and the number of rows before it; undefined past the last row. */
export function locatePage(
  segments: readonly Segment[],
  offset: number,
  limit: number,
): { segments: Segment[]; offset: number } | undefined {
  const held: Segment[] = [];
  let before = 0;
  let skipped = 0;
  for (const segment of segments) {
    if (before + segment.count > offset) {
      if (held.length === 0) skipped = offset - before;
      held.push(segment);
    }
    before += segment.count;
    if (before >= offset + limit) break;
  }
  return held.length > 0 ? { segments: held, offset: skipped } : undefined;
}

/** Alerts per day or hour of a range, oldest first; empty ones are omitted. */
export async function countSegments(
  tx: Tx,
  scope: Scope,
  unit: 'day' | 'hour',
  { filter, range, horizon }: { filter: Filter; range: Range; horizon: Horizon },
): Promise<Segment[]> {
  const first = Math.min(ceilTo(unit, range.start), range.end);
  const last = Math.max(floorTo(unit, range.end), first);
  const edges = [
    { start: range.start, end: first },
    { start: last, end: range.end },
  ].filter((edge) => edge.start < edge.end);
  const column = sql.ref(unit);
  const bound = (at: number) => (unit === 'day' ? sql`${dateOf(at)}::date` : sql`${new Date(at)}`);
  // Rows of days and hours hold new alerts beside all.
  const terms = figuresOf(filter).map(
    ({ figure, sign }) => sql`${sql.raw(sign === 1 ? '+' : '-')} sum(${sql.raw(figure === 'severity' ? 'count' : 'new_count')})`,
  );
  const { rows } = await sql<{ start: number | null; edge: number | null; count: number }>`
    select extract(epoch from ${unit === 'day' ? sql`day::timestamp` : sql`hour`})::bigint * 1000 as start, null::integer as edge,
        (${sql.join(terms, sql` `)})::bigint as count
      from ${sql.table(unit === 'day' ? 'rollup_day_severity' : 'rollup_hour_severity')}
      where ${within('organisation_id', scope)} and ${column} >= ${bound(first)} and ${column} < ${bound(last)}
      ${filter.criticalities ? sql`and criticality = any(${filter.criticalities}::smallint[])` : sql``}
      group by ${column}
    ${edges.length > 0 ? sql`union all` : sql``}
    ${sql.join(
      edges.map((edge, index) => sql`select null, ${index}::integer, ${totalOf(scope, filter, edge, horizon)}`),
      sql` union all `,
    )}`.execute(tx);
  const length = unit === 'day' ? dayMs : hourMs;
  return rows
    .filter((row) => row.count > 0)
    .map(
      ({ start, edge, count }): Segment =>
        start === null ? { ...edges[edge ?? 0]!, count } : { start, end: start + length, count },
    )
    .sort((a, b) => a.start - b.start);
}
