/** SQL of events: newest first, along each organisation's index of time, until enough of them fit. */
import type { EventRow } from '@parapet/contract/events.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { dayMs, hourMs, type Range } from '../../core/ranges.ts';
import { conditionsOf, type EventsFilter } from './events.filter.ts';

export interface EventsAsk {
  range: Range;
  filter: EventsFilter;
}

/** The contract's limit of one answer. */
const maxRows = 200;
export const totalTimeMs = 5_000;
/** Several organisations' events lie in no common order: the newest hour is looked through in all of them before an older one in any. */
const windowsMs = [hourMs, 6 * hourMs, dayMs, 4 * dayMs, Number.POSITIVE_INFINITY];

interface Row {
  id: string;
  clientOrganizationID: number;
  clientOrganizationName: string;
  at: Date;
  receivedAt: Date;
  skew: number;
  shape: string;
  deviceName: string | null;
  userName: string | null;
  text: string;
  document: Record<string, unknown>;
}

/** Reads a range window by window, the newest first, until `read` says that it has enough. All within one limit of time. */
async function byWindows(
  tx: Tx,
  { start, end }: Range,
  isSplit: boolean,
  read: (window: Range) => Promise<boolean>,
): Promise<void> {
  const until = performance.now() + totalTimeMs;
  let to = end;
  for (const length of isSplit ? windowsMs : windowsMs.slice(-1)) {
    if (to <= start) return;
    const window = { start: Math.max(start, to - length), end: to };
    if (isSplit)
      await sql`set local statement_timeout = ${sql.lit(Math.max(1, Math.ceil(until - performance.now())))}`.execute(tx);
    if (await read(window)) return;
    to = window.start;
  }
}

const organisationsIn = (scope: Scope) => (scope === 'system' ? [] : scope.organisationIds);

/** Whether a window can pass without enough that fits: not where all fit and the index stands in the order of time. */
const isSparse = (filter: EventsFilter) => filter.text !== '' || filter.field.length > 0;

/**
 * At least `limit` rows where there are so many: those of the last row's very instant come along, up to 200, because a reader may go on before
 * that time. One that names the last row's id too goes on within it. Runs into the statement's time limit when all takes longer than 5 s.
 */
export async function listEvents(
  tx: Tx,
  scope: Scope,
  ask: EventsAsk & { limit: number; below?: { at: number; id: string } | undefined },
): Promise<EventRow[]> {
  const { range, filter, limit, below } = ask;
  const organisations = organisationsIn(scope);
  const conditions = [
    ...conditionsOf(filter),
    ...(below ? [sql<boolean>`(e.at, e.id) < (${new Date(below.at)}, ${below.id}::uuid)`] : []),
  ];
  const found: Row[] = [];
  await byWindows(tx, range, organisations.length > 1 && isSparse(filter), async (window) => {
    const { rows } = await eventsOf(organisations, window, conditions, limit - found.length).execute(tx);
    found.push(...rows);
    return found.length >= limit;
  });
  return found.slice(0, maxRows).map(toEventRow);
}

const conditionsIn = ({ start, end }: Range, conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(
    [sql`e.organisation_id = h.organisation_id`, sql`e.at >= ${new Date(start)} and e.at < ${new Date(end)}`, ...conditions],
    sql` and `,
  )}`;

function eventsOf(
  organisations: readonly number[],
  range: Range,
  conditions: readonly RawBuilder<boolean>[],
  limit: number,
): RawBuilder<Row> {
  return sql<Row>`
    select e.id, e.organisation_id as "clientOrganizationID", (select name from organisations where id = e.organisation_id) as "clientOrganizationName",
      e.at, e.received_at as "receivedAt", e.clock_skew as skew, left(e.shape, 20) as shape, left(e.device_name, 2000) as "deviceName",
      left(e.user_name, 2000) as "userName", left(e.text, 2000) as text, e.document
    from (
      select e.* from unnest(${[...organisations]}::integer[]) h (organisation_id) cross join lateral (
        select e.* from events e where ${conditionsIn(range, conditions)} order by e.at desc fetch first ${limit} rows with ties
      ) e order by e.at desc fetch first ${limit} rows with ties
    ) e order by e.at desc, e.id desc limit ${maxRows}`;
}

const toEventRow = ({ skew, at, receivedAt, ...row }: Row): EventRow => ({
  ...row,
  at: at.toISOString(),
  receivedAt: receivedAt.toISOString(),
  clockSkew: skew > 0 ? 'future' : skew < 0 ? 'past' : 'none',
});

/** Events by bar of time, from the newest on, until `limit` were counted; `total` is one more than that where there are more. */
export async function countEvents(
  tx: Tx,
  scope: Scope,
  { range, filter, bucketMs, limit }: EventsAsk & { bucketMs: number; limit: number },
): Promise<{ bars: Map<number, number>; total: number }> {
  const organisations = organisationsIn(scope);
  const conditions = conditionsOf(filter);
  const bars = new Map<number, number>();
  let total = 0;
  await byWindows(tx, range, organisations.length > 1, async (window) => {
    const most = limit + 1 - total;
    const { rows } = await sql<{ bar: number; count: number }>`
      select floor(extract(epoch from at) * 1000 / ${bucketMs})::bigint as bar, count(*)::integer as count from (
        select e.at from unnest(${[...organisations]}::integer[]) h (organisation_id) cross join lateral (
          select e.at from events e where ${conditionsIn(window, conditions)} order by e.at desc limit ${most}
        ) e order by e.at desc limit ${most}
      ) e group by 1`.execute(tx);
    for (const { bar, count } of rows) {
      bars.set(bar * bucketMs, (bars.get(bar * bucketMs) ?? 0) + count);
      total += count;
    }
    return total > limit;
  });
  return { bars, total };
}
