/** SQL of the audit log, read only: rows are added by whoever changes something, and dropped by a function of the database's owner. */
import { sql } from 'kysely';
import { containing, storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName, visible } from '../../domain/visibility.ts';

export interface AuditFilter {
  start: string;
  end: string;
  action: readonly string[];
  actor: readonly number[];
  search?: string | undefined;
}

/** Users whose address has the searched text, at most so many. */
const maxSearchedActors = 1_000;
/** Characters of `before` and `after` that are shown. */
export const shownCharacters = 20_000;

const entriesOf = (tx: Tx, scope: Scope, range: { start: string; end: string }) =>
  tx
    .selectFrom('audit')
    .where(within('audit.organisation_id', scope))
    .where(visible('audit', scope))
    .where('audit.at', '>=', new Date(range.start))
    .where('audit.at', '<', new Date(range.end));

function filtered(tx: Tx, scope: Scope, filter: AuditFilter, searchedActors: readonly number[]) {
  let query = entriesOf(tx, scope, filter);
  if (filter.action.length > 0) query = query.where('action', 'in', filter.action.map(storable));
  // Whoever has no name for the reader cannot be told apart from others by a filter either.
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

/** The one name that stands for whom the reader does not know by name; empty where that is nobody of the provider. */
const sharedName = (scope: Scope) => shownName(scope, 'audit.actor_user_id', sql`''`);

const asText = (column: 'before' | 'after', characters: number) =>
  sql<string | null>`left(${sql.ref(`audit.${column}`)}::text, ${characters})`.as(column);

/** Which of these entries the filter has. */
export async function matchingEntries(
  tx: Tx,
  scope: Scope,
  filter: AuditFilter,
  searchedActors: readonly number[],
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await filtered(tx, scope, filter, searchedActors)
    .where(sql<boolean>`audit.id = any(${[...ids]}::bigint[])`)
    .select('audit.id')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Newest first. `before` is the position of the last row of the page above. */
export async function listEntries(
  tx: Tx,
  scope: Scope,
  filter: AuditFilter,
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
      // Finer than a Date: rows of one page end are told apart by it.
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
  filter: AuditFilter,
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

/** Whoever did something, of the organisations whose people the reader may know. */
export const findActors = (tx: Tx, scope: Scope, ids: readonly number[]) =>
  tx
    .selectFrom('users')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .where(within('users.organisation_id', scope))
    .where('users.id', 'in', [...ids])
    .select([
      'users.id',
      sql<string>`trim(users.first_name || ' ' || users.last_name)`.as('name'),
      'users.email',
      'organisations.name as organisationName',
    ])
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

/** Rows older than the log is kept; how old that is, the database's owner has fixed (migration 0006). */
export const dropOld = (tx: Tx) => sql`select drop_old_audit()`.execute(tx);
