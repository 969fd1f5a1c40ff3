/** Searches of events: newest first, until enough match. */
import type { EventRow } from '@parapet/contract/events.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { eventStore, type ScanQuery, type StoredEvent } from '../../domain/events/eventStore.ts';
import { namesOf } from '../../domain/events/filter.ts';
import type { QueryRows } from '../../domain/query/listed.ts';
import type { Range } from '../../domain/ranges.ts';
import { eventDaysOf } from '../../domain/retentionDays.ts';
import { type EventsFilter, isOfHeads, literalsOf, matchesOf } from './events.filter.ts';

export interface EventSearchQuery {
  range: Range;
  /** Time that `range` applies to; the order is always that of occurrence. */
  by?: 'happened' | 'arrived';
  filter: EventsFilter;
  rows?: QueryRows | undefined;
  isOldestFirst?: boolean | undefined;
  /** Position of an earlier call’s last row, or the place that it ended at. */
  before?: Cursor | undefined;
  signal?: AbortSignal | undefined;
}

/** The contract’s limit per response. */
const maxRows = 200;
export const totalTimeMs = 5_000;
/** Time of one call, which then returns its rows and the place to go on from. */
const sliceMs = 2_000;
/** Clocks may be five minutes ahead of the arrival (pipeline/steps/normalise.ts). */
const aheadMs = hourMs;

export interface Cursor {
  at: number;
  id: string | undefined;
}

const organisationsIn = (scope: Scope) => (scope === 'system' ? [] : scope.organisationIds);

/** Visits the events that match until `visit` returns true. Returns the place that its time ended at; throws as a statement past its time limit. */
async function scan(
  tx: Tx,
  scope: Scope,
  { range, by, filter, rows, before, isOldestFirst, signal }: EventSearchQuery,
  visit: (event: StoredEvent) => boolean,
  { timeMs = totalTimeMs, isCounted = false } = {},
): Promise<number | undefined> {
  const startedAt = performance.now();
  const { devices, users } = await namesOf(tx, filter);
  const ids = rows && (await idsOf(tx, rows));
  const named = users && new Set(users);
  const matches = matchesOf(filter);
  const query: ScanQuery = {
    ...(by === 'arrived' ? { start: 0, end: range.end + aheadMs, received: range } : range),
    before,
    devices,
    ...literalsOf(filter),
    isOfHeads: isCounted && isOfHeads(filter),
    isOldestFirst,
    signal,
    stopAt: startedAt + Math.min(sliceMs, timeMs),
    deadline: startedAt + timeMs,
    ...(isCounted && { counted: matches }),
    ...((named ?? ids) && {
      fits: ({ id, userName }) => (!named || (userName !== null && named.has(userName))) && (!ids || ids.has(id)),
    }),
  };
  return eventStore.scan(tx, scope, query, isCounted ? visit : (event) => matches(event) && visit(event));
}

async function idsOf(tx: Tx, { ids }: QueryRows): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select i.id::text as id from (${ids}) i (id)`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns at least `limit` rows if there are as many: all rows of the last instant are included, up to 200, because a reader
 * may continue before that time. A cursor with the last row’s id continues within it. Fewer with `searchedTo`: the time that
 * the search has come to.
 */
export async function listEvents(
  tx: Tx,
  scope: Scope,
  query: EventSearchQuery & { limit: number },
): Promise<{ results: EventRow[]; searchedTo: number | undefined }> {
  const found: StoredEvent[] = [];
  const searchedTo = await scan(tx, scope, query, (event) => {
    if (found.length >= query.limit && event.at !== found.at(-1)?.at) return true;
    found.push(event);
    return found.length >= maxRows;
  });
  return { results: await toEventRows(tx, scope, found), searchedTo };
}

export async function toEventRows(tx: Tx, scope: Scope, found: readonly StoredEvent[]): Promise<EventRow[]> {
  const organisations = await tx
    .selectFrom('organisations')
    .select(['id', 'name'])
    .where(within('id', scope))
    .where('id', 'in', [...new Set(found.map(({ organisationId }) => organisationId)), 0])
    .execute();
  const names = new Map(organisations.map(({ id, name }) => [id, name]));
  return found.map((event) => toEventRow(event, names.get(event.organisationId) ?? ''));
}

/** Characters of a line in the contract. */
const maxLine = 2_000;
const lineOf = (text: string): string => [...text.slice(0, 2 * maxLine)].slice(0, maxLine).join('');

const toEventRow = (event: StoredEvent, clientOrganizationName: string): EventRow => ({
  id: event.id,
  clientOrganizationID: event.organisationId,
  clientOrganizationName,
  at: new Date(event.at).toISOString(),
  receivedAt: new Date(event.receivedAt).toISOString(),
  clockSkew: event.clockSkew > 0 ? 'future' : event.clockSkew < 0 ? 'past' : 'none',
  shape: event.shape.slice(0, 20),
  deviceName: event.deviceName === null ? null : lineOf(event.deviceName),
  userName: event.userName === null ? null : lineOf(event.userName),
  text: lineOf(event.text),
  document: event.document,
});

/** The next matches, at most `limit`, and the position to go on from; undefined once all are read. */
export async function readMatches(
  tx: Tx,
  scope: Scope,
  query: EventSearchQuery,
  limit: number,
): Promise<{ events: StoredEvent[]; next: Cursor | undefined }> {
  const events: StoredEvent[] = [];
  const searchedTo = await scan(tx, scope, query, (event) => events.push(event) >= limit);
  const last = events.at(-1);
  if (last && events.length >= limit) return { events, next: { at: last.at, id: last.id } };
  return { events, next: searchedTo === undefined ? undefined : { at: searchedTo, id: undefined } };
}

/** Visits the newest matches, as many as there are within the time of a slice. */
export async function visitNewest(
  tx: Tx,
  scope: Scope,
  query: EventSearchQuery,
  limit: number,
  visit: (event: StoredEvent) => void,
): Promise<number> {
  let count = 0;
  await scan(tx, scope, query, (event) => {
    visit(event);
    return ++count >= limit;
  });
  return count;
}

/** True if any event matches; undefined where the time ended before. */
export async function hasMatch(tx: Tx, scope: Scope, query: EventSearchQuery, timeMs: number): Promise<boolean | undefined> {
  let isFound = false;
  const searchedTo = await scan(
    tx,
    scope,
    query,
    () => {
      isFound = true;
      return true;
    },
    { timeMs, isCounted: true },
  );
  return searchedTo === undefined ? isFound : undefined;
}

/** Events by bar of time, exactly: all of a range from the counts of blocks, matches by reading, down to `searchedTo`. */
export async function countEvents(
  tx: Tx,
  scope: Scope,
  { bucketMs, ...query }: EventSearchQuery & { bucketMs: number },
): Promise<{ bars: Map<number, number>; total: number; searchedTo: number | undefined }> {
  const { range, by, filter, rows, before } = query;
  if (by !== 'arrived' && !rows && !before && isOfHeads(filter) && filter.device === undefined && filter.user === undefined) {
    const counts = await eventStore.counts(tx, scope, { ...range, bucketMs });
    return { bars: counts, total: [...counts.values()].reduce((sum, count) => sum + count, 0), searchedTo: undefined };
  }
  const bars = new Map<number, number>();
  let total = 0;
  const searchedTo = await scan(
    tx,
    scope,
    query,
    ({ at, receivedAt }) => {
      const bar = Math.floor((by === 'arrived' ? receivedAt : at) / bucketMs) * bucketMs;
      bars.set(bar, (bars.get(bar) ?? 0) + 1);
      total++;
      return false;
    },
    { isCounted: true },
  );
  return { bars, total, searchedTo };
}

/** Retention of raw events in days; the maximum of several organisations. */
export async function retentionDaysOf(tx: Tx, scope: Scope, portalDays: number): Promise<number> {
  const organisations = organisationsIn(scope);
  const [row] = await tx
    .selectFrom('organisations')
    .select(({ fn }) => fn.max<number>(eventDaysOf('organisations', portalDays)).as('days'))
    .where('id', 'in', [...organisations, 0])
    .execute();
  return row?.days ?? portalDays;
}
