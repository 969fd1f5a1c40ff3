/**
 * A page of the list and its total, at the same price on every page. Where the rollups know how many alerts each day has, they also say on
 * which day a page begins, so nothing is skipped one by one; where other filters or orders forbid that, paging ends at a bound.
 */
import { sql } from 'kysely';
import { isStatementTimeout, type Scope, type Tx } from '../../core/db/scope.ts';
import { type Horizon, listCounts } from '../../domain/figures.ts';
import { dayMs, floorTo, next } from '../../domain/ranges.ts';
import { type Filter, isCounted } from './alerts.filter.ts';
import { countSegments, figuresOf, findPlace, totalOf } from './alerts.places.ts';
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
/** Skipping fewer rows than this is cheaper than asking the rollups where a page begins. */
const nearby = 500;
/** From so many rows within a day on, its hours are asked. */
const manyInADay = 2_000;
const countTimeoutMs = 2_000;

export type ListAsk = Omit<AlertPageQuery, 'has'> & { horizon: Horizon };

export interface Listed {
  results: StoredRow[];
  total: number;
  totalIsAtLeast: boolean;
}

/** Whether every page can be asked for; else those within the first 10,000 rows. */
export const isUnbounded = (filter: Filter, sort: Sort): boolean =>
  isCounted(filter) && (sort === 'createdTime' || sort === 'criticality');

export async function listAlerts(tx: Tx, scope: Scope, ask: ListAsk): Promise<Listed> {
  const { filter, range, horizon, sort } = ask;
  const isNothing = range.start >= range.end || (scope !== 'system' && scope.organisationIds.length === 0);
  if (isNothing) return { results: [], total: 0, totalIsAtLeast: false };
  if (!isCounted(filter)) return listFiltered(tx, scope, ask);
  if (sort === 'createdTime') return { ...(await listByTime(tx, scope, ask)), totalIsAtLeast: false };
  if (sort === 'criticality') return { ...(await listBySeverity(tx, scope, ask)), totalIsAtLeast: false };
  const { rows } = await sql<{ total: number }>`select ${totalOf(scope, filter, range, horizon)} as total`.execute(tx);
  const total = rows[0]?.total ?? 0;
  return { results: total > ask.offset ? await readSorted(tx, scope, ask) : [], total, totalIsAtLeast: false };
}

/** The newest month that can have alerts of a range: one partition, where nearly every newest page lies. */
function newestMonth({ range, horizon }: ListAsk) {
  const month = floorTo('month', Math.min(range.end, horizon.now + dayMs) - dayMs);
  return { start: Math.min(Math.max(range.start, month), range.end), end: range.end };
}

/** Whether reading from the newest alert backwards meets a page soon: not where it could pass over a month of others. */
const isDense = (scope: Scope, { isNew, criticalities }: Filter): boolean =>
  isNew === undefined && (criticalities === undefined || (scope !== 'system' && scope.organisationIds.length <= mergedByTime));

async function listByTime(tx: Tx, scope: Scope, ask: ListAsk): Promise<{ results: StoredRow[]; total: number }> {
  const { filter, range, horizon, order, offset, limit } = ask;
  if (order === 'desc' && offset + limit <= nearby && isDense(scope, filter)) {
    const newest = newestMonth(ask);
    const found = await readPageAndTotal(tx, scope, { ...ask, range: newest }, totalOf(scope, filter, range, horizon));
    const { results, total } = found;
    if (total !== undefined && (newest.start === range.start || results.length >= Math.min(limit, total - offset)))
      return { results, total };
  }
  const inOrder = <T>(segments: T[]): T[] => (order === 'asc' ? segments : segments.reverse());
  const days = inOrder(await countSegments(tx, scope, 'day', ask));
  const total = days.reduce((sum, day) => sum + day.count, 0);
  let place = findPlace(days, offset, limit);
  const [first, ...others] = place?.segments ?? [];
  if (!place || !first) return { results: [], total };
  const hasHours =
    filter.isNew === undefined && (horizon.firstMonth === undefined || first.start >= next('month', horizon.firstMonth));
  if (place.offset > manyInADay && hasHours) {
    const hours = inOrder(await countSegments(tx, scope, 'hour', { ...ask, range: first }));
    place = findPlace([...hours, ...others], place.offset, limit) ?? place;
  }
  const near = {
    start: Math.min(...place.segments.map((segment) => segment.start)),
    end: Math.max(...place.segments.map((segment) => segment.end)),
  };
  return { results: await readPage(tx, scope, { ...ask, range: near, offset: place.offset }), total };
}

/** Severity by severity, each a list by time. */
async function listBySeverity(tx: Tx, scope: Scope, ask: ListAsk): Promise<{ results: StoredRow[]; total: number }> {
  const counts = new Map<number, number>();
  for (const { figure, sign } of figuresOf(ask.filter)) {
    for (const { key, count } of await listCounts<number>(tx, scope, figure, ask.range, ask.horizon)) {
      counts.set(key, (counts.get(key) ?? 0) + sign * count);
    }
  }
  const wanted = ask.filter.criticalities ?? [1, 2, 3, 4, 5];
  const levels = [...wanted].sort((a, b) => (ask.order === 'asc' ? a - b : b - a));
  const results: StoredRow[] = [];
  let before = 0;
  for (const level of levels) {
    const count = counts.get(level) ?? 0;
    const offset = Math.max(0, ask.offset - before);
    const limit = ask.limit - results.length;
    if (count > offset && limit > 0) {
      const part = { ...ask, sort: 'createdTime' as const, filter: { ...ask.filter, criticalities: [level] }, offset, limit };
      results.push(...(await listByTime(tx, scope, part)).results);
    }
    before += count;
  }
  return { results, total: before };
}

async function listFiltered(tx: Tx, scope: Scope, ask: ListAsk): Promise<Listed> {
  const { filter, range, sort, order, offset, limit } = ask;
  const found = await countBounded(tx, scope, ask);
  if (found !== undefined && found <= offset) return { results: [], total: found, totalIsAtLeast: false };
  const isMany = found === undefined || found > countLimit;
  const told = (results: StoredRow[]): Listed => ({
    results,
    total: found === undefined ? offset + results.length : Math.min(found, countLimit),
    totalIsAtLeast: isMany,
  });
  if (sort !== 'createdTime') return told(await readSorted(tx, scope, ask));
  if (isMany && order === 'desc') {
    const results = await readPage(tx, scope, { ...ask, range: newestMonth(ask) });
    if (results.length === limit) return told(results);
  }
  return told(await readPage(tx, scope, { ...ask, filter, range }));
}

/** Up to one more than the limit; undefined when a search through texts or cases took too long to be counted. */
async function countBounded(tx: Tx, scope: Scope, { filter, range }: ListAsk): Promise<number | undefined> {
  if (!filter.text && !filter.fates) return countUpTo(tx, scope, filter, range, countLimit + 1);
  await sql`savepoint counting`.execute(tx);
  try {
    await sql`set local statement_timeout = ${sql.lit(countTimeoutMs)}`.execute(tx);
    return await countUpTo(tx, scope, filter, range, countLimit + 1);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return undefined;
  } finally {
    // Ends the failed statement and the shorter time limit alike.
    await sql`rollback to savepoint counting`.execute(tx).catch(() => undefined);
  }
}

const columnOf = { deviceName: 'device_name', userName: 'user_name' } as const;

/** Orders other than time. Alerts without a device or user stand last, whichever way that column is sorted. */
async function readSorted(tx: Tx, scope: Scope, ask: ListAsk): Promise<StoredRow[]> {
  const { filter, range, sort, offset, limit } = ask;
  if (sort !== 'deviceName' && sort !== 'userName') return readPage(tx, scope, ask);
  const named = await readPage(tx, scope, { ...ask, has: true });
  if (named.length === limit) return named;
  const namedCount = named.length > 0 ? offset + named.length : await countUpTo(tx, scope, filter, range, offset, columnOf[sort]);
  const nameless = await readPage(tx, scope, {
    ...ask,
    has: false,
    offset: Math.max(0, offset - namedCount),
    limit: limit - named.length,
  });
  return [...named, ...nameless];
}
