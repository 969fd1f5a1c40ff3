/** Searches of events: newest first, until enough match. */
import type { EventRow } from '@parapet/contract/events.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { eventStore, type ScanQuery, type StoredEvent } from '../../domain/events/eventStore.ts';
import { namesOf } from '../../domain/events/filter.ts';
import type { QueryRows } from '../../domain/query/listed.ts';
import { hourMs, type Range } from '../../domain/ranges.ts';
import { eventDaysOf } from '../../domain/retentionDays.ts';
import { type EventsFilter, isOfHeads, literalsOf, matchesOf } from './events.filter.ts';

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
/** Clocks may be five minutes ahead of the arrival (pipeline/steps/normalise.ts). */
const aheadMs = hourMs;

interface Cursor {
  at: number;
  id: string | undefined;
}

const organisationsIn = (scope: Scope) => (scope === 'system' ? [] : scope.organisationIds);

/** Visits the events that match, newest first, until `visit` returns true. Throws as a statement past its time limit. */
async function scan(
  tx: Tx,
  scope: Scope,
  { range, by, filter, rows, before }: EventSearchQuery & { before?: Cursor | undefined },
  visit: (event: StoredEvent) => boolean,
  { timeMs = totalTimeMs, isCounted = false } = {},
): Promise<void> {
  const deadline = performance.now() + timeMs;
  const { devices, users } = await namesOf(tx, filter);
  const ids = rows && (await idsOf(tx, rows));
  const named = users && new Set(users);
  const ask: ScanQuery = {
    ...(by === 'arrived' ? { start: 0, end: range.end + aheadMs, received: range } : range),
    before,
    devices,
    ...literalsOf(filter),
    isOfHeads: isCounted && isOfHeads(filter),
    deadline,
    ...((named ?? ids) && {
      fits: ({ id, userName }) => (!named || (userName !== null && named.has(userName))) && (!ids || ids.has(id)),
    }),
  };
  const matches = matchesOf(filter);
  await eventStore.scan(tx, scope, ask, (event) => matches(event) && visit(event));
}

async function idsOf(tx: Tx, { ids }: QueryRows): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select i.id::text as id from (${ids}) i (id)`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

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
  const found: StoredEvent[] = [];
  await scan(tx, scope, ask, (event) => {
    if (found.length >= ask.limit && event.at !== found.at(-1)?.at) return true;
    found.push(event);
    return found.length >= maxRows;
  });
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

/** True if any event matches; exceeds the statement’s time limit after `timeMs`. */
export async function hasMatch(tx: Tx, scope: Scope, ask: EventSearchQuery, timeMs: number): Promise<boolean> {
  let isFound = false;
  await scan(
    tx,
    scope,
    ask,
    () => {
      isFound = true;
      return true;
    },
    { timeMs, isCounted: true },
  );
  return isFound;
}

/**
 * Events by bar of time. All of a range are counted exactly; those that match a filter, newest first, until `limit` were counted, and `total` is one
 * more if there are more.
 */
export async function countEvents(
  tx: Tx,
  scope: Scope,
  { bucketMs, limit, ...ask }: EventSearchQuery & { bucketMs: number; limit: number },
): Promise<{ bars: Map<number, number>; total: number; isAtLeast: boolean }> {
  const { range, by, filter, rows } = ask;
  if (by !== 'arrived' && !rows && isOfHeads(filter) && filter.device === undefined && filter.user === undefined) {
    const counts = await eventStore.counts(tx, scope, { ...range, bucketMs });
    return { bars: counts, total: [...counts.values()].reduce((sum, count) => sum + count, 0), isAtLeast: false };
  }
  const bars = new Map<number, number>();
  let total = 0;
  await scan(
    tx,
    scope,
    ask,
    ({ at, receivedAt }) => {
      const bar = Math.floor((by === 'arrived' ? receivedAt : at) / bucketMs) * bucketMs;
      bars.set(bar, (bars.get(bar) ?? 0) + 1);
      return ++total > limit;
    },
    { isCounted: true },
  );
  return { bars, total: Math.min(total, limit), isAtLeast: total > limit };
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
