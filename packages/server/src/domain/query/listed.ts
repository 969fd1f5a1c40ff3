/** Rows of a list that a query in its address selects, in place of the list’s timeframe. */
import { problem } from '@parapet/contract/problem.ts';
import { invalidQueryText } from '@parapet/contract/query.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type Range, rangeOf } from '../ranges.ts';
import { checkQuery } from './check.ts';
import { idsOf } from './compile.ts';
import { contextOf } from './context.ts';
import { schemaOf } from './schemas.ts';

export interface QueryRows {
  /** Id of a row by its alias. */
  id: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Subquery of their ids, within the scope. */
  ids: RawBuilder<unknown>;
  /** Of their own time; all time without one. */
  range: Range;
}

const allTime: Range = { start: 0, end: Date.parse('9999-12-31T00:00:00Z') };

/** Throws invalid for fields that the entity lacks, forbidden for related entities that the actor may not list. */
export function queryRows(actor: Actor, scope: Scope, query: Query | undefined, now: number): QueryRows | undefined {
  if (!query) return undefined;
  const schema = schemaOf(query.entity);
  if (!schema || checkQuery(query) !== undefined) throw problem.invalid({ query: [invalidQueryText] });
  return {
    id: schema.id,
    ids: idsOf(query, contextOf(actor, scope, { now, timeZone: query.timeZone })),
    range: query.time ? rangeOf(query.time.start, query.time.end) : allTime,
  };
}

/** Condition that the row of this alias is among them, for lists whose query is optional. */
export const isAmong = (alias: string, rows: QueryRows | undefined): RawBuilder<boolean>[] =>
  rows ? [sql<boolean>`${rows.id(sql.raw(alias))} in (${rows.ids})`] : [];

/** The query as a value of an audit entry. */
export const queryText = (query: Query | undefined): string | undefined => query && JSON.stringify(query);
