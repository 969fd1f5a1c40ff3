/** Search through raw events of any shape. Each query writes an audit entry: raw events reveal everything that users do. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import type { Range as Ends } from '@parapet/contract/rules/timeframe.ts';
import { deadLetterDays, maxEventHits, maxSearchDays } from '@parapet/contract/rules/values.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isStatementTimeout, readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeFor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryRows, queryText } from '../../domain/query/listed.ts';
import { type Range, rangeOf } from '../../domain/ranges.ts';
import { countDeadLetters, listDeadLetters } from './events.dead-letters.ts';
import { createFieldCounts } from './events.fields.ts';
import type { EventsFilter } from './events.filter.ts';
import { clearSearches, listSearches, rememberSearch } from './events.history.ts';
import { createSearchLimits, type SearchLimits } from './events.limits.ts';
import { createLiveEvents, type Following, type LiveEvents } from './events.live.ts';
import { countEvents, listEvents, retentionDaysOf, totalTimeMs, visitNewest } from './events.store.ts';
import { unmatchedClauses } from './events.unmatched.ts';

export type EventsService = ReturnType<typeof createEventsService>;

/** Bar widths in minutes; the first that yields at most 200 bars is used. */
const bucketsOfMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360];
const maxBars = 200;
/** Events whose fields are listed, the newest. */
const maxFieldEvents = 500;

export function searchRangeOf(start: string, end: string): Range {
  const range = rangeOf(start, end);
  if (range.end - range.start > maxSearchDays * dayMs)
    throw problem.invalid({
      end: [`Events are searched over at most ${maxSearchDays} days at once. Choose a shorter timeframe.`],
    });
  return range;
}

/** Read-only queries with a time limit of their own; a timeout becomes advice on narrowing the search. */
async function readInTime<T>(db: Database, scope: Scope, read: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await readScoped(db, scope, read, { statementTimeoutMs: totalTimeMs, isolation: 'repeatable read' });
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw problem.unavailable(
      `The search took longer than ${totalTimeMs / 1000} seconds. Name a device or user, or choose a shorter timeframe.`,
    );
  }
}

export interface EventsDeps {
  db: Database;
  eventRetentionDays: number;
  clock: Clock;
}

/** A search as values of an audit entry. */
const auditedSearch = (
  params: SearchParams,
  by: 'happened' | 'arrived',
  { search, ...filter }: EventsFilter,
  query: Query | undefined,
) => ({ ...params, ...(by === 'arrived' && { by }), ...filter, ...(search && { search }), query: queryText(query) });

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

const placeOf = ({ before, beforeID }: { before?: string | undefined; beforeID?: string | undefined }) =>
  before === undefined ? undefined : { at: Date.parse(before), id: beforeID };

/** Without a time of its own, a query covers the searched one: events are too many to read whole. */
const rowsOf = (clock: Clock, actor: Actor, scope: Scope, { start, end }: Ends, query: Query | undefined) =>
  queryRows(actor, scope, query && { time: { start, end, label: '' }, ...query }, clock.now());

const keptAside =
  ({ db, eventRetentionDays, clock }: EventsDeps) =>
  async (
    actor: Actor,
    client: number,
    start: string,
    end: string,
    { pageSize, reason, query, before, beforeID }: z.output<typeof eventsApi.keptAside.query>,
  ): Promise<AnswerOf<typeof eventsApi.keptAside>> => {
    const scope = scopeFor(actor, client);
    const rows = queryRows(actor, scope, query, clock.now());
    const range = rows?.range ?? rangeOf(start, end);
    await scoped(db, scope, (tx) =>
      recordAudit(tx, actor, {
        action: 'events.keptAsideRead',
        organisationId: client || actor.organisationId,
        after: {
          client,
          start,
          end,
          ...(reason.length > 0 && { reason }),
          query: queryText(query),
          ...(before && { before }),
        },
      }),
    );
    const search = { range, rows, reasons: reason, limit: pageSize, before: placeOf({ before, beforeID }) };
    const { keptDays, results, reasons } = await readInTime(db, scope, async (tx) => ({
      keptDays: Math.min(await retentionDaysOf(tx, scope, eventRetentionDays), deadLetterDays),
      results: await listDeadLetters(tx, scope, search),
      reasons: await countDeadLetters(tx, scope, search, maxEventHits),
    }));
    const add = (counts: typeof reasons) => counts.reduce((sum, { count }) => sum + count, 0);
    const total = add(reason.length === 0 ? reasons : reasons.filter((each) => reason.includes(each.reason)));
    return {
      keptDays,
      results,
      total: Math.min(total, maxEventHits),
      isAtLeast: add(reasons) > maxEventHits,
      reasons,
    };
  };

type SearchDeps = EventsDeps & { limits: SearchLimits };
type SearchParams = z.output<typeof eventsApi.search.params>;

const search =
  ({ db, clock, limits }: SearchDeps) =>
  async (
    actor: Actor,
    { client, start, end }: SearchParams,
    { pageSize, before, beforeID, by, order, query, ...filter }: z.output<typeof eventsApi.search.query>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<typeof eventsApi.search>> => {
    const scope = scopeFor(actor, client);
    const range = searchRangeOf(start, end);
    const rows = rowsOf(clock, actor, scope, { start, end }, query);
    const searched = auditedSearch({ client, start, end }, by, filter, query);
    // Written before the query, so that one that never ends is recorded too.
    await scoped(db, scope, (tx) =>
      recordAudit(tx, actor, {
        action: 'events.searched',
        organisationId: client || actor.organisationId,
        after: { ...searched, ...(before && { before }) },
      }),
    );
    if (!before && !actor.apiKey)
      await scoped(db, ownScope(actor), (tx) => rememberSearch(tx, actor, filter, new Date(clock.now())));
    const place = placeOf({ before, beforeID });
    const search = { range, rows, by, filter, limit: pageSize, before: place, isOldestFirst: order === 'oldest', signal };
    const { results, searchedTo } = await limits.run(actor, () => readInTime(db, scope, (tx) => listEvents(tx, scope, search)));
    return { results, searchedTo: timeOf(searchedTo) };
  };

const timeline =
  ({ db, clock, eventRetentionDays, limits }: SearchDeps) =>
  async (
    actor: Actor,
    { client, start, end }: SearchParams,
    { by, query, before, counted, ...filter }: z.output<typeof eventsApi.timeline.query>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<typeof eventsApi.timeline>> => {
    const scope = scopeFor(actor, client);
    const range = searchRangeOf(start, end);
    const rows = rowsOf(clock, actor, scope, { start, end }, query);
    const minutes = (range.end - range.start) / 60_000;
    // One bar more than fits: neither end needs to coincide with a bar.
    const bucketMinutes = bucketsOfMinutes.find((bucket) => minutes / bucket <= maxBars - 1) ?? 360;
    const search = { range, rows, by, filter, bucketMs: bucketMinutes * 60_000, before: placeOf({ before }), signal };
    const { bars, total, searchedTo, keptDays, unmatched } = await limits.run(actor, async () => {
      const found = await readInTime(db, scope, async (tx) => ({
        keptDays: await retentionDaysOf(tx, scope, eventRetentionDays),
        ...(await countEvents(tx, scope, search)),
      }));
      const hasNone = counted + found.total === 0 && found.searchedTo === undefined;
      return { ...found, unmatched: hasNone ? await unmatchedClauses(db, scope, { ...search, before: undefined }) : [] };
    });
    return {
      keptDays,
      bucketMinutes,
      bars: [...bars].sort(([a], [b]) => a - b).map(([at, count]) => ({ at: new Date(at).toISOString(), count })),
      total,
      isAtLeast: searchedTo !== undefined,
      searchedTo: timeOf(searchedTo),
      unmatched,
    };
  };

const fields =
  ({ db, clock, limits }: SearchDeps) =>
  async (
    actor: Actor,
    { client, start, end }: SearchParams,
    { by, query, ...filter }: z.output<typeof eventsApi.fields.query>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<typeof eventsApi.fields>> => {
    const scope = scopeFor(actor, client);
    const range = searchRangeOf(start, end);
    const rows = rowsOf(clock, actor, scope, { start, end }, query);
    const after = auditedSearch({ client, start, end }, by, filter, query);
    await scoped(db, scope, (tx) =>
      recordAudit(tx, actor, { action: 'events.fieldsRead', organisationId: client || actor.organisationId, after }),
    );
    const counts = createFieldCounts();
    const search = { range, rows, by, filter, signal };
    const events = await limits.run(actor, () =>
      readInTime(db, scope, (tx) => visitNewest(tx, scope, search, maxFieldEvents, counts.add)),
    );
    return { events, fields: counts.fields() };
  };

const historyOf = ({ db }: EventsDeps) => ({
  history: (actor: Actor) => readScoped(db, ownScope(actor), (tx) => listSearches(tx, ownScope(actor), actor.userId)),
  clearHistory: (actor: Actor) => scoped(db, ownScope(actor), (tx) => clearSearches(tx, ownScope(actor), actor.userId)),
});

const follow =
  ({ db }: EventsDeps, live: LiveEvents) =>
  async (actor: Actor, client: number, filter: EventsFilter, stream: Pick<Following, 'open' | 'stillAllowed'>): Promise<void> => {
    const scope = scopeFor(actor, client);
    if (scope === 'system') throw new Error('A person follows organisations, never the whole system.');
    const { search, ...others } = filter;
    await scoped(db, scope, (tx) =>
      recordAudit(tx, actor, {
        action: 'events.searched',
        organisationId: client || actor.organisationId,
        after: { client, live: true, ...others, ...(search && { search }) },
      }),
    );
    live.follow({ userId: actor.userId, scope, filter, ...stream });
  };

export function createEventsService(deps: EventsDeps & { log: Log }) {
  const live = createLiveEvents(deps);
  const all = { ...deps, limits: createSearchLimits() };
  return {
    search: search(all),
    timeline: timeline(all),
    fields: fields(all),
    keptAside: keptAside(all),
    ...historyOf(deps),
    follow: follow(deps, live),
    closeStreams: live.closeStreams,
    close: live.close,
  };
}
