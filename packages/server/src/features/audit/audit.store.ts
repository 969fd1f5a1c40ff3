/** SQL of the audit log, read-only: features add rows, and a function of the database’s owner prunes them. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { sql } from 'kysely';
import { containing, storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { isAmong, type QueryRows, queryRows } from '../../domain/query/listed.ts';
import { displayNameOf } from '../../domain/userState.ts';
import { shownName, visible } from '../../domain/visibility.ts';

export interface AuditFilter {
  start: string;
  end: string;
  action: readonly string[];
  actor: readonly number[];
  search?: string | undefined;
  query?: Query | undefined;
}

/** A filter whose query is resolved to its rows and their range. */
type AuditSelection = Omit<AuditFilter, 'query'> & { rows?: QueryRows };

export function selectionOf(actor: Actor, scope: Scope, { query, ...filter }: AuditFilter, now: number): AuditSelection {
  const rows = queryRows(actor, scope, query, now);
  if (!rows) return filter;
  return { ...filter, rows, start: new Date(rows.range.start).toISOString(), end: new Date(rows.range.end).toISOString() };
}

/** Maximum number of users matched by a search in email addresses. */
const maxSearchedActors = 1_000;
/** Maximum characters of `before` and `after` in a list. */
export const shownCharacters = 20_000;

const entriesOf = (tx: Tx, scope: Scope, range: { start: string; end: string }) =>
  tx
    .selectFrom('audit')
    .where(within('audit.organisation_id', scope))
    .where(visible('audit', scope))
    .where('audit.at', '>=', new Date(range.start))
    .where('audit.at', '<', new Date(range.end));

function filtered(tx: Tx, scope: Scope, filter: AuditSelection, searchedActors: readonly number[]) {
  let query = entriesOf(tx, scope, filter).where((eb) => eb.and(isAmong('audit', filter.rows)));
  if (filter.action.length > 0) query = query.where('action', 'in', filter.action.map(storable));
  // Users anonymous to the reader can’t be distinguished by a filter either.
  if (filter.actor.length > 0) query = query.where('actor_user_id', 'in', [...filter.actor]).where(sharedName(scope), '=', '');
  if (filter.search) {
    const pattern = containing(filter.search);
    query = query.where((eb) =>
      eb.or([
        eb('action', 'ilike', pattern),
        eb('target', 'ilike', pattern),
        eb('address', 'ilike', pattern),
        ...(searchedActors.length > 0 ? [eb('actor_user_id', 'in', [...searchedActors])] : []),
      ]),
    );
  }
  return query;
}

/** Shared name of the provider’s staff for readers who do not see them by name; otherwise empty. */
const sharedName = (scope: Scope) => shownName(scope, 'audit.actor_user_id', sql`''`);

const asText = (column: 'before' | 'after', characters: number) =>
  sql<string | null>`left(${sql.ref(`audit.${column}`)}::text, ${characters})`.as(column);

/** Subset of the given entries that match the filter. */
export async function matchingEntries(
  tx: Tx,
  scope: Scope,
  filter: AuditSelection,
  searchedActors: readonly number[],
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await filtered(tx, scope, filter, searchedActors)
    .where(sql<boolean>`audit.id = any(${[...ids]}::bigint[])`)
    .select('audit.id')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Entries, newest first. `below` is the position of the previous page’s last row. */
export async function listEntries(
  tx: Tx,
  scope: Scope,
  filter: AuditSelection,
  page: {
    searchedActors: readonly number[];
    limit: number;
    offset?: number;
    below?: { position: string; id: number } | undefined;
    characters?: number;
  },
) {
  let query = filtered(tx, scope, filter, page.searchedActors)
    .innerJoin('organisations', 'organisations.id', 'audit.organisation_id')
    .select([
      'audit.id',
      'audit.at',
      // Microseconds, finer than a Date: distinguishes rows at a page boundary.
      sql<string>`audit.at::text`.as('position'),
      'audit.organisation_id as organisationId',
      'organisations.name as organisationName',
      'audit.action',
      sql<string>`left(audit.target, 2000)`.as('target'),
      'audit.actor_user_id as actorId',
      sharedName(scope).as('sharedName'),
      'audit.address',
      asText('before', page.characters ?? shownCharacters),
      asText('after', page.characters ?? shownCharacters),
    ])
    .orderBy('audit.at', 'desc')
    .orderBy('audit.id', 'desc')
    .limit(page.limit)
    .offset(page.offset ?? 0);
  if (page.below)
    query = query.where(sql<boolean>`(audit.at, audit.id) < (${page.below.position}::timestamptz, ${page.below.id}::bigint)`);
  return query.execute();
}

export async function countEntries(
  tx: Tx,
  scope: Scope,
  filter: AuditSelection,
  searchedActors: readonly number[],
): Promise<number> {
  const { total } = await filtered(tx, scope, filter, searchedActors)
    .select(sql<number>`count(*)::integer`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

const count = sql<number>`count(*)::integer`;

export const countActions = (tx: Tx, scope: Scope, range: { start: string; end: string }) =>
  entriesOf(tx, scope, range)
    .select(['action', count.as('count')])
    .groupBy('action')
    .orderBy(count, 'desc')
    .orderBy('action')
    .limit(500)
    .execute();

export const countActors = (tx: Tx, scope: Scope, range: { start: string; end: string }) =>
  entriesOf(tx, scope, range)
    .where('actor_user_id', 'is not', null)
    .select(['actor_user_id as id', count.as('count')])
    .groupBy('actor_user_id')
    .orderBy(count, 'desc')
    .orderBy('actor_user_id')
    .limit(200)
    .execute();

export const findPartnerOf = (tx: Tx, organisationId: number) =>
  tx.selectFrom('organisations').where('id', '=', organisationId).select('parent_id').executeTakeFirst();

/** Actors of the organisations whose users the reader sees by name. */
export const findActors = (tx: Tx, scope: Scope, ids: readonly number[]) =>
  tx
    .selectFrom('users')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .where(within('users.organisation_id', scope))
    .where('users.id', 'in', [...ids])
    .select(['users.id', displayNameOf(sql`users`).as('name'), 'users.email', 'organisations.name as organisationName'])
    .execute();

export async function searchActors(tx: Tx, scope: Scope, text: string): Promise<number[]> {
  const rows = await tx
    .selectFrom('users')
    .where(within('organisation_id', scope))
    .where('email', 'ilike', containing(text))
    .select('id')
    .limit(maxSearchedActors)
    .execute();
  return rows.map(({ id }) => id);
}

/** Drops rows beyond the retention, which the database’s owner sets (migration 0006). */
export const dropOld = (tx: Tx) => sql`select drop_old_audit()`.execute(tx);
