/**
 * SQL of events: newest first, along each organisation’s index of time, until enough match; by arrival, late events are
 * searched separately.
 */
import type { EventRow } from '@parapet/contract/events.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { dayMs, hourMs, type Range } from '../../domain/ranges.ts';
import { conditionsOf, type EventsFilter, matchesOf } from './events.filter.ts';

export interface EventSearchQuery {
  range: Range;
  /** Time that `range` applies to; the order is always that of occurrence. */
  by?: 'happened' | 'arrived';
  filter: EventsFilter;
  rows?: QueryRows | undefined;
}

/** The contract’s limit per response. */
const maxRows = 200;
export const totalTimeMs = 5_000;
/** Events of several organisations have no common order: the newest hour of all is searched before an older one of any. */
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

/** A part of the time in which events happened. */
interface Window extends Range {
  /** Few of its events match, so it is not read in index order. */
  isSparse?: boolean;
}

/**
 * Events that happened this much before their arrival are late. Clocks may be five minutes ahead
 * (pipeline/steps/normalise.ts).
 */
const lateMs = hourMs;

/**
 * Windows in which the requested events happened, newest first, none at or after `until`. By arrival: around the arrival, in
 * the order of time; and any earlier time, where the few late ones are found by their arrival.
 */
function windowsOf({ range, by }: EventSearchQuery, isSplit: boolean, until = Number.POSITIVE_INFINITY): Window[] {
  const isByArrival = by === 'arrived';
  const start = isByArrival ? range.start - lateMs : range.start;
  const windows: Window[] = [];
  let to = Math.min(until, isByArrival ? range.end + lateMs : range.end);
  for (const length of isSplit ? windowsMs : windowsMs.slice(-1)) {
    if (to <= start) break;
    windows.push({ start: Math.max(start, to - length), end: to });
    to = Math.max(start, to - length);
  }
  if (isByArrival) windows.push({ start: 0, end: Math.min(to, start), isSparse: true });
  return windows;
}

/** Reads windows until `read` has enough, within one overall time limit; `limitTime` limits the next statement to what is left of it. */
async function byWindows(
  tx: Tx,
  windows: readonly Window[],
  read: (window: Window, limitTime: () => Promise<unknown>) => Promise<boolean>,
  timeMs = totalTimeMs,
): Promise<void> {
  const until = performance.now() + timeMs;
  const limitTime = () =>
    sql`set local statement_timeout = ${sql.lit(Math.max(1, Math.ceil(until - performance.now())))}`.execute(tx);
  for (const window of windows) {
    if (windows.length > 1) await limitTime();
    if (await read(window, limitTime)) return;
  }
}

const organisationsIn = (scope: Scope) => (scope === 'system' ? [] : scope.organisationIds);

/** True if a window may pass without enough matches; false where all match and the index has the order of time. */
const isSparse = ({ filter, rows }: EventSearchQuery) =>
  filter.text !== '' || filter.search !== '' || filter.field.length > 0 || rows !== undefined;

/**
 * Returns at least `limit` rows if there are as many: all rows of the last instant are included, up to 200, because a reader
 * may continue before that time. A cursor with the last row’s id continues within it. Exceeds the statement’s time limit
 * after 5 s.
 */
export async function listEvents(
  tx: Tx,
  scope: Scope,
  ask: EventSearchQuery & { limit: number; before?: Cursor | undefined },
): Promise<EventRow[]> {
  const { limit, before } = ask;
  if (matchesOf(ask.filter)) return searchEvents(tx, scope, ask);
  const organisations = organisationsIn(scope);
  const until = untilOf(before);
  const conditions = [...conditionsIn(ask), ...behind(before)];
  const found: Row[] = [];
  await byWindows(tx, windowsOf(ask, organisations.length > 1 && isSparse(ask), until), async (window) => {
    const newest = newestIn(organisations, window, conditions, sql`fetch first ${limit - found.length} rows with ties`);
    found.push(...(await rowsOf(tx, newest, maxRows)));
    return found.length >= limit;
  });
  return found.slice(0, maxRows).map(toEventRow);
}

interface Cursor {
  at: number;
  id: string | undefined;
}

/** End of the time behind a cursor; includes its instant when the id distinguishes the events already seen. */
const untilOf = (before: Cursor | undefined) => before && (before.id === undefined ? before.at : before.at + 1);

const behind = (before: Cursor | undefined): RawBuilder<boolean>[] =>
  before?.id === undefined ? [] : [sql<boolean>`(e.at, e.id) < (${new Date(before.at)}, ${before.id}::uuid)`];

async function rowsOf(tx: Tx, newest: RawBuilder<unknown>, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select e.id, e.organisation_id as "clientOrganizationID", (select name from organisations where id = e.organisation_id) as "clientOrganizationName",
      e.at, e.received_at as "receivedAt", e.clock_skew as skew, left(e.shape, 20) as shape, left(e.device_name, 2000) as "deviceName",
      left(e.user_name, 2000) as "userName", left(e.text, 2000) as text, e.document
    from (${newest}) e order by e.at desc, e.id desc limit ${limit}`.execute(tx);
  return rows;
}

/** Rows read at once by a search, whose test runs here. */
const rowsPerRead = 500;

/** Visits the events that match a search, newest first, until `visit` returns true. */
async function scanEvents(
  tx: Tx,
  scope: Scope,
  ask: EventSearchQuery & { before?: Cursor | undefined },
  visit: (event: EventRow) => boolean,
  timeMs = totalTimeMs,
): Promise<void> {
  const matches = matchesOf(ask.filter) ?? (() => true);
  const organisations = organisationsIn(scope);
  const conditions = conditionsIn(ask);
  let before = ask.before;
  const read = async (window: Window, limitTime: () => Promise<unknown>) => {
    for (;;) {
      await limitTime();
      const limit = sql`, e.id desc limit ${rowsPerRead}`;
      const rows = await rowsOf(tx, newestIn(organisations, window, [...conditions, ...behind(before)], limit), rowsPerRead);
      for (const event of rows.map(toEventRow)) if (matches(event) && visit(event)) return true;
      const last = rows.at(-1);
      if (!last || rows.length < rowsPerRead) return false;
      before = { at: last.at.getTime(), id: last.id };
    }
  };
  await byWindows(tx, windowsOf(ask, organisations.length > 1, untilOf(before)), read, timeMs);
}

async function searchEvents(
  tx: Tx,
  scope: Scope,
  ask: EventSearchQuery & { limit: number; before?: Cursor | undefined },
): Promise<EventRow[]> {
  const found: EventRow[] = [];
  await scanEvents(tx, scope, ask, (event) => {
    if (found.length >= ask.limit && event.at !== found.at(-1)?.at) return true;
    found.push(event);
    return found.length >= maxRows;
  });
  return found;
}

/** True if any event matches; exceeds the statement’s time limit after `timeMs`. */
export async function hasMatch(tx: Tx, scope: Scope, ask: EventSearchQuery, timeMs: number): Promise<boolean> {
  let isFound = false;
  await scanEvents(
    tx,
    scope,
    ask,
    () => {
      isFound = true;
      return true;
    },
    timeMs,
  );
  return isFound;
}

const conditionsIn = ({ filter, rows, range: { start, end }, by }: EventSearchQuery): RawBuilder<boolean>[] => [
  ...conditionsOf(filter),
  ...isAmong('e', rows),
  ...(by === 'arrived' ? [sql<boolean>`e.received_at >= ${new Date(start)} and e.received_at < ${new Date(end)}`] : []),
];

/** The newest events of a window, of all organisations together. */
function newestIn(
  organisations: readonly number[],
  { start, end, isSparse }: Window,
  conditions: readonly RawBuilder<boolean>[],
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const ids = sql`${[...organisations]}::integer[]`;
  const fit = sql.join([sql`e.at >= ${new Date(start)} and e.at < ${new Date(end)}`, ...conditions], sql` and `);
  // Not by the bare column: the planner would walk its index past all rows that do not match.
  if (isSparse)
    return sql`select e.* from events e where e.organisation_id = any(${ids}) and ${fit} order by e.at + interval '0' desc ${limit}`;
  return sql`select e.* from unnest(${ids}) h (organisation_id) cross join lateral (
      select e.* from events e where e.organisation_id = h.organisation_id and ${fit} order by e.at desc ${limit}
    ) e order by e.at desc ${limit}`;
}

const toEventRow = ({ skew, at, receivedAt, ...row }: Row): EventRow => ({
  ...row,
  at: at.toISOString(),
  receivedAt: receivedAt.toISOString(),
  clockSkew: skew > 0 ? 'future' : skew < 0 ? 'past' : 'none',
});

/** Events by bar of time, newest first, until `limit` were counted; `total` is one more if there are more. */
export async function countEvents(
  tx: Tx,
  scope: Scope,
  { bucketMs, limit, ...ask }: EventSearchQuery & { bucketMs: number; limit: number },
): Promise<{ bars: Map<number, number>; total: number }> {
  if (matchesOf(ask.filter)) return countMatches(tx, scope, { bucketMs, limit, ...ask });
  const organisations = organisationsIn(scope);
  const conditions = conditionsIn(ask);
  const time = sql.ref(ask.by === 'arrived' ? 'e.received_at' : 'e.at');
  const bars = new Map<number, number>();
  let total = 0;
  await byWindows(tx, windowsOf(ask, organisations.length > 1), async (window) => {
    const newest = newestIn(organisations, window, conditions, sql`limit ${limit + 1 - total}`);
    const { rows } = await sql<{ bar: number; count: number }>`
      select floor(extract(epoch from ${time}) * 1000 / ${bucketMs})::bigint as bar, count(*)::integer as count from (${newest}) e group by 1`.execute(
      tx,
    );
    for (const { bar, count } of rows) {
      bars.set(bar * bucketMs, (bars.get(bar * bucketMs) ?? 0) + count);
      total += count;
    }
    return total > limit;
  });
  return { bars, total };
}

async function countMatches(
  tx: Tx,
  scope: Scope,
  { bucketMs, limit, ...ask }: EventSearchQuery & { bucketMs: number; limit: number },
): Promise<{ bars: Map<number, number>; total: number }> {
  const bars = new Map<number, number>();
  let total = 0;
  await scanEvents(tx, scope, ask, ({ at, receivedAt }) => {
    const bar = Math.floor(Date.parse(ask.by === 'arrived' ? receivedAt : at) / bucketMs) * bucketMs;
    bars.set(bar, (bars.get(bar) ?? 0) + 1);
    return ++total > limit;
  });
  return { bars, total };
}

/** Retention of raw events in days, of the portal’s `days`; the maximum of several organisations. */
export async function retentionDaysOf(tx: Tx, scope: Scope, days: number): Promise<number> {
  const organisations = organisationsIn(scope);
  const [row] = await tx
    .selectFrom('organisations')
    .select(({ fn }) => fn.max<number>(sql<number>`least(coalesce(event_retention_days, ${days}), ${days})`).as('days'))
    .where('id', 'in', [...organisations, 0])
    .execute();
  return row?.days ?? days;
}
