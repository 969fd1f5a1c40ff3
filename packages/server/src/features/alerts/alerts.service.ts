/** What people ask about alerts. Everything here reads. */
import type { AlertDetail, alertsApi } from '@parapet/contract/alerts.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Bus } from '../../core/bus.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { findFirstMonth, type Horizon } from '../../core/db/figures.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import type { Log } from '../../core/log.ts';
import { dayMs, type Range } from '../../core/ranges.ts';
import { createCatalogue } from './alerts.catalogue.ts';
import { findAlert } from './alerts.detail.ts';
import { listFacets, listRuleNames } from './alerts.facets.ts';
import { type ListQuery, resolveFilter } from './alerts.filter.ts';
import { countLimit, isUnbounded, listAlerts } from './alerts.list.ts';
import { createLiveAlerts } from './alerts.live.ts';
import { toAlertRows } from './alerts.rows.ts';

export type AlertsService = ReturnType<typeof createAlertsService>;

/** Retention keeps at least this much, so a range within it needs no look at what was dropped. */
const surelyKeptMs = 27 * dayMs;

export function createAlertsService({
  db,
  bus,
  log,
  clock = systemClock,
}: {
  db: Database;
  bus: Pick<Bus, 'on'>;
  log: Log;
  clock?: Clock;
}) {
  const catalogue = createCatalogue({ bus });
  const live = createLiveAlerts({ db, bus, catalogue, log });

  /** A list reaches back no further than alerts are kept; figures of dropped months would promise rows that are gone. */
  const listable = async (tx: Tx, start: string, end: string): Promise<{ range: Range; horizon: Horizon }> => {
    const now = clock.now();
    const range = { start: Date.parse(start), end: Date.parse(end) };
    if (range.start >= now - surelyKeptMs) return { range, horizon: { now } };
    const firstMonth = (await findFirstMonth(tx)) ?? range.end;
    return { range: { ...range, start: Math.max(range.start, firstMonth) }, horizon: { now, firstMonth } };
  };

  return {
    async list(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      query: ListQuery,
    ): Promise<AnswerOf<typeof alertsApi.list>> {
      const scope = scopeFor(actor, client);
      const offset = (query.page - 1) * query.pageSize;
      return scoped(
        db,
        scope,
        async (tx) => {
          const filter = resolveFilter(await catalogue.rules(tx), query);
          if (!filter) return { results: [], total: 0, totalIsAtLeast: false };
          const { sort, order, pageSize: limit } = query;
          if (offset + limit > countLimit && !isUnbounded(filter, sort)) {
            throw problem.invalid({
              page: [
                `With this filter or order, the first ${countLimit} alerts can be paged through; narrow the timeframe or the filters.`,
              ],
            });
          }
          const found = await listAlerts(tx, scope, { ...(await listable(tx, start, end)), filter, sort, order, offset, limit });
          return { ...found, results: await toAlertRows(tx, catalogue, found.results) };
        },
        { readOnly: true },
      );
    },

    async filters(
      actor: Actor,
      client: number,
      query: { start?: string | undefined; end?: string | undefined },
    ): Promise<AnswerOf<typeof alertsApi.filters>> {
      const scope = scopeFor(actor, client);
      const now = clock.now();
      const start = query.start ?? new Date(now - 30 * dayMs).toISOString();
      const end = query.end ?? new Date(now).toISOString();
      if (Date.parse(start) >= Date.parse(end)) throw problem.invalid({ end: ['The end must be after the start.'] });
      return scoped(
        db,
        scope,
        async (tx) => {
          const { range, horizon } = await listable(tx, start, end);
          return listFacets(tx, scope, catalogue, range, horizon);
        },
        { readOnly: true },
      );
    },

    async ruleNames(actor: Actor, client: number, start: string, end: string): Promise<AnswerOf<typeof alertsApi.ruleNames>> {
      const scope = scopeFor(actor, client);
      return scoped(
        db,
        scope,
        async (tx) => {
          const { range, horizon } = await listable(tx, start, end);
          return listRuleNames(tx, scope, catalogue, range, horizon);
        },
        { readOnly: true },
      );
    },

    async detail(actor: Actor, id: number): Promise<AlertDetail> {
      const scope = scopeOf(actor);
      const alert = await scoped(db, scope, (tx) => findAlert(tx, scope, catalogue, id), { readOnly: true });
      if (!alert) throw problem.notFound('alert', id);
      return alert;
    },

    async follow(
      actor: Actor,
      client: number,
      stream: { after: number | undefined; open: () => EventSink; stillAllowed: () => Promise<boolean> },
    ): Promise<void> {
      const scope = scopeFor(actor, client);
      if (scope === 'system') throw new Error('A person follows organisations, never the whole system.');
      await live.follow({ actor, scope, ...stream });
    },

    closeStreams: () => live.closeStreams(),

    close() {
      live.close();
      catalogue.close();
    },
  };
}
