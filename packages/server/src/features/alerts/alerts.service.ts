/** Alert queries, and marks as seen or unseen. */
import type { Readable } from 'node:stream';
import type { AlertDetail, AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { Bus } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { retainedRange } from '../../domain/figures.ts';
import { type QueryRows, queryRows, queryText } from '../../domain/query/listed.ts';
import { rangeOf } from '../../domain/ranges.ts';
import { type Catalogue, createCatalogue } from './alerts.catalogue.ts';
import { findAlert } from './alerts.detail.ts';
import { alertsCsv } from './alerts.export.ts';
import { listFacets, listRuleNames } from './alerts.facets.ts';
import { conditionsIn, type ListQuery, readFilter, type SelectionQuery } from './alerts.filter.ts';
import { countLimit, isUnbounded, listAlerts } from './alerts.list.ts';
import { createLiveAlerts } from './alerts.live.ts';
import { createMarks, markAlerts } from './alerts.marks.ts';
import { listOfEvent } from './alerts.ofEvent.ts';
import { type AlertKey, readByKeys, toAlertRows } from './alerts.rows.ts';

export type AlertsService = ReturnType<typeof createAlertsService>;

export interface AlertsServiceDeps {
  db: Database;
  bus: Pick<Bus, 'on'>;
  log: Log;
  clock: Clock;
}

interface AlertsReading extends Pick<AlertsServiceDeps, 'db' | 'clock'> {
  catalogue: Catalogue;
}

const listableRange = ({ clock }: AlertsReading, tx: Tx, start: string, end: string, rows?: QueryRows) =>
  retainedRange(tx, rows?.range ?? rangeOf(start, end), clock.now());

const list =
  (reading: AlertsReading) =>
  async (
    actor: Actor,
    client: number,
    start: string,
    end: string,
    query: ListQuery,
  ): Promise<AnswerOf<typeof alertsApi.list>> => {
    const { db, catalogue } = reading;
    const scope = scopeFor(actor, client);
    const offset = (query.page - 1) * query.pageSize;
    return readScoped(db, scope, async (tx) => {
      const rows = queryRows(actor, scope, query.query, reading.clock.now());
      const filter = await readFilter(tx, scope, await catalogue.rules(tx), query, rows);
      if (!filter) return { results: [], total: 0, totalIsAtLeast: false };
      const { sort, order, pageSize: limit } = query;
      if (offset + limit > countLimit && !isUnbounded(filter, sort)) {
        throw problem.invalid({
          page: [
            `With this filter or order, the first ${countLimit} alerts can be paged through; narrow the timeframe or the filters.`,
          ],
        });
      }
      const range = await listableRange(reading, tx, start, end, rows);
      const found = await listAlerts(tx, scope, { ...range, filter, sort, order, offset, limit });
      return { ...found, results: await toAlertRows(tx, catalogue, found.results) };
    });
  };

/** Read by pages while sent, so that a long list is never held in memory. */
const exportList =
  (reading: AlertsReading) =>
  async (actor: Actor, client: number, start: string, end: string, query: SelectionQuery): Promise<Readable> => {
    const { db, catalogue } = reading;
    const scope = scopeFor(actor, client);
    const rows = queryRows(actor, scope, query.query, reading.clock.now());
    const found = await scoped(db, scope, async (tx) => {
      await recordAudit(tx, actor, {
        action: 'alerts.exported',
        organisationId: client || actor.organisationId,
        after: { client, start, end, ...query, query: queryText(query.query) },
      });
      const filter = await readFilter(tx, scope, await catalogue.rules(tx), query, rows);
      return { filter, ...(await listableRange(reading, tx, start, end, rows)) };
    });
    return alertsCsv(db, scope, catalogue, found);
  };

/** Query of the ids and times of a filtered list, for bulk jobs. */
const selection =
  (reading: AlertsReading) =>
  async (
    tx: Tx,
    actor: Actor,
    scope: Scope,
    start: string,
    end: string,
    query: SelectionQuery,
  ): Promise<RawBuilder<unknown> | undefined> => {
    const rows = queryRows(actor, scope, query.query, reading.clock.now());
    const filter = await readFilter(tx, scope, await reading.catalogue.rules(tx), query, rows);
    if (!filter) return undefined;
    const { range } = await listableRange(reading, tx, start, end, rows);
    const conditions = sql.join(conditionsIn(scope, range, filter), sql` and `);
    return sql`select a.organisation_id, a.id, a.at from alerts a where ${conditions}`;
  };

export function createAlertsService({ db, bus, log, clock }: AlertsServiceDeps) {
  const catalogue = createCatalogue({ bus });
  const live = createLiveAlerts({ db, bus, catalogue, log });
  const reading = { db, clock, catalogue };

  return {
    list: list(reading),
    exportList: exportList(reading),
    selection: selection(reading),

    ...createMarks(db),
    /** Part of the caller’s transaction. */
    markIn: markAlerts,

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
      return readScoped(db, scope, async (tx) => {
        const { range, horizon } = await listableRange(reading, tx, start, end);
        return listFacets(tx, scope, catalogue, range, horizon);
      });
    },

    async ruleNames(actor: Actor, client: number, start: string, end: string): Promise<AnswerOf<typeof alertsApi.ruleNames>> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, async (tx) => {
        const { range, horizon } = await listableRange(reading, tx, start, end);
        return listRuleNames(tx, scope, catalogue, range, horizon);
      });
    },

    async detail(actor: Actor, id: number): Promise<AlertDetail> {
      const scope = scopeOf(actor);
      const alert = await readScoped(db, scope, (tx) => findAlert(tx, scope, catalogue, id));
      if (!alert) throw problem.notFound('alert', id);
      return alert;
    },

    async ofEvent(
      actor: Actor,
      { client, event, at }: z.output<typeof alertsApi.ofEvent.params>,
    ): Promise<AnswerOf<typeof alertsApi.ofEvent>> {
      const scope = scopeFor(actor, client);
      const read = async (tx: Tx) => {
        const { rows, caseOf } = await listOfEvent(tx, scope, event, at);
        const alerts = await toAlertRows(tx, catalogue, rows);
        return { results: alerts.map((alert) => ({ ...alert, caseID: caseOf.get(alert.id) ?? null })) };
      };
      // One snapshot: a copy may be packed between the statements.
      return readScoped(db, scope, read, { isolation: 'repeatable read' });
    },

    /** Within the caller’s transaction: alert rows by key, in that order. */
    rowsOf: async (tx: Tx, scope: Scope, keys: readonly AlertKey[]): Promise<AlertRow[]> =>
      toAlertRows(tx, catalogue, await readByKeys(tx, scope, keys)),

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
