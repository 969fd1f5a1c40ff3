/**
 * A page of the list and its total, at the same price for every page. Where rollups hold the alerts per day, they also
 * locate the day of a page, so nothing is skipped one by one; other filters and orders have bounded paging.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { isStatementTimeout, type Scope, type Tx } from '../../core/db/scope.ts';
import { type Horizon, listCounts } from '../../domain/figures.ts';
import { floorTo, next } from '../../domain/ranges.ts';
import { type Filter, isCounted } from './alerts.filter.ts';
import { countSegments, figuresOf, locatePage, totalOf } from './alerts.places.ts';
import {
  type AlertPageQuery,
  countUpTo,
  mergedByTime,
  readPage,
  readPageAndTotal,
  type Sort,
  type StoredRow,
} from './alerts.rows.ts';

export const countLimit = 10_000;
/** Skipping fewer rows than this is cheaper than locating the page by rollups. */
const nearby = 500;
/** From this many rows per day on, its hours are read. */
const manyInADay = 2_000;
const countTimeoutMs = 2_000;

export type AlertListQuery = Omit<AlertPageQuery, 'has'> & { horizon: Horizon };

export interface Listed {
  results: StoredRow[];
  total: number;
  totalIsAtLeast: boolean;
}

/** True if every page can be requested; otherwise only the first 10,000 rows. */
export const isUnbounded = (filter: Filter, sort: Sort): boolean =>
  isCounted(filter) && (sort === 'createdTime' || sort === 'criticality');

export async function listAlerts(tx: Tx, scope: Scope, query: AlertListQuery): Promise<Listed> {
  const { filter, range, horizon, sort } = query;
  const isNothing = range.start >= range.end || (scope !== 'system' && scope.organisationIds.length === 0);
  if (isNothing) return { results: [], total: 0, totalIsAtLeast: false };
  if (!isCounted(filter)) return listFiltered(tx, scope, query);
  if (sort === 'createdTime') return { ...(await listByTime(tx, scope, query)), totalIsAtLeast: false };
  if (sort === 'criticality') return { ...(await listBySeverity(tx, scope, query)), totalIsAtLeast: false };
  const { rows } = await sql<{ total: number }>`select ${totalOf(scope, filter, range, horizon)} as total`.execute(tx);
  const total = rows[0]?.total ?? 0;
  return { results: total > query.offset ? await readSorted(tx, scope, query) : [], total, totalIsAtLeast: false };
}

/** The newest month that can hold alerts of a range: one partition, which has nearly every newest page. */
function newestMonth({ range, horizon }: AlertListQuery) {
  const month = floorTo('month', Math.min(range.end, horizon.now + dayMs) - dayMs);
  return { start: Math.min(Math.max(range.start, month), range.end), end: range.end };
}

/** True if reading backwards from the newest alert fills a page soon, without passing over a month of others. */
const isDense = (scope: Scope, { isNew, criticalities }: Filter): boolean =>
  isNew === undefined && (criticalities === undefined || (scope !== 'system' && scope.organisationIds.length <= mergedByTime));

async function listByTime(tx: Tx, scope: Scope, query: AlertListQuery): Promise<{ results: StoredRow[]; total: number }> {
  const { filter, range, horizon, order, offset, limit } = query;
  if (order === 'desc' && offset + limit <= nearby && isDense(scope, filter)) {
    const newest = newestMonth(query);
    const found = await readPageAndTotal(tx, scope, { ...query, range: newest }, totalOf(scope, filter, range, horizon));
    const { results, total } = found;
    if (total !== undefined && (newest.start === range.start || results.length >= Math.min(limit, total - offset)))
      return { results, total };
  }
  const inOrder = <T>(segments: T[]): T[] => (order === 'asc' ? segments : segments.reverse());
  const days = inOrder(await countSegments(tx, scope, 'day', query));
  const total = days.reduce((sum, day) => sum + day.count, 0);
  let place = locatePage(days, offset, limit);
  const [first, ...others] = place?.segments ?? [];
  if (!place || !first) return { results: [], total };
  const hasHours =
    filter.isNew === undefined && (horizon.firstMonth === undefined || first.start >= next('month', horizon.firstMonth));
  if (place.offset > manyInADay && hasHours) {
    const hours = inOrder(await countSegments(tx, scope, 'hour', { ...query, range: first }));
    place = locatePage([...hours, ...others], place.offset, limit) ?? place;
  }
  const near = {
    start: Math.min(...place.segments.map((segment) => segment.start)),
    end: Math.max(...place.segments.map((segment) => segment.end)),
  };
  return { results: await readPage(tx, scope, { ...query, range: near, offset: place.offset }), total };
}

/** Reads severity by severity, each as a list by time. */
async function listBySeverity(tx: Tx, scope: Scope, query: AlertListQuery): Promise<{ results: StoredRow[]; total: number }> {
  const counts = new Map<number, number>();
  for (const { figure, sign } of figuresOf(query.filter)) {
    for (const { key, count } of await listCounts<number>(tx, scope, figure, query.range, query.horizon)) {
      counts.set(key, (counts.get(key) ?? 0) + sign * count);
    }
  }
  const wanted = query.filter.criticalities ?? [1, 2, 3, 4, 5];
  const levels = [...wanted].sort((a, b) => (query.order === 'asc' ? a - b : b - a));
  const results: StoredRow[] = [];
  let before = 0;
  for (const level of levels) {
    const count = counts.get(level) ?? 0;
    const offset = Math.max(0, query.offset - before);
    const limit = query.limit - results.length;
    if (count > offset && limit > 0) {
      const part = { ...query, sort: 'createdTime' as const, filter: { ...query.filter, criticalities: [level] }, offset, limit };
      results.push(...(await listByTime(tx, scope, part)).results);
    }
    before += count;
  }
  return { results, total: before };
}

async function listFiltered(tx: Tx, scope: Scope, query: AlertListQuery): Promise<Listed> {
  const { filter, range, sort, order, offset, limit } = query;
  const found = await countBounded(tx, scope, query);
  if (found !== undefined && found <= offset) return { results: [], total: found, totalIsAtLeast: false };
  const isMany = found === undefined || found > countLimit;
  const listed = (results: StoredRow[]): Listed => ({
    results,
    total: found === undefined ? offset + results.length : Math.min(found, countLimit),
    totalIsAtLeast: isMany,
  });
  if (sort !== 'createdTime') return listed(await readSorted(tx, scope, query));
  if (isMany && order === 'desc') {
    const results = await readPage(tx, scope, { ...query, range: newestMonth(query) });
    if (results.length === limit) return listed(results);
  }
  return listed(await readPage(tx, scope, { ...query, filter, range }));
}

/** Counts up to one more than the limit; undefined when a search through texts or cases exceeds its time. */
async function countBounded(tx: Tx, scope: Scope, { filter, range }: AlertListQuery): Promise<number | undefined> {
  if (!filter.text && !filter.dispositions) return countUpTo(tx, scope, filter, range, countLimit + 1);
  await sql`savepoint counting`.execute(tx);
  try {
    await sql`set local statement_timeout = ${sql.lit(countTimeoutMs)}`.execute(tx);
    return await countUpTo(tx, scope, filter, range, countLimit + 1);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return undefined;
  } finally {
    // Ends the failed statement and its shorter time limit.
    await sql`rollback to savepoint counting`.execute(tx).catch(() => undefined);
  }
}

const columnOf = { deviceName: 'device_name', userName: 'user_name' } as const;

/** Orders other than time. Alerts without a device or user come last in both directions. */
async function readSorted(tx: Tx, scope: Scope, query: AlertListQuery): Promise<StoredRow[]> {
  const { filter, range, sort, offset, limit } = query;
  if (sort !== 'deviceName' && sort !== 'userName') return readPage(tx, scope, query);
  const named = await readPage(tx, scope, { ...query, has: true });
  if (named.length === limit) return named;
  const namedCount = named.length > 0 ? offset + named.length : await countUpTo(tx, scope, filter, range, offset, columnOf[sort]);
  const nameless = await readPage(tx, scope, {
    ...query,
    has: false,
    offset: Math.max(0, offset - namedCount),
    limit: limit - named.length,
  });
  return [...named, ...nameless];
}
