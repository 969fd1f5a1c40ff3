/** A person’s own last searches, for as long as they are among the newest 50. Searches with an API key leave none. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { EventsFilter } from './events.filter.ts';

const maxStored = 50;
const maxLength = 8_000;

interface Person {
  userId: number;
  organisationId: number;
}

/** Conditions as the query string of the page; empty without one. */
export function queryOfFilter({ search, text, device, user, field }: EventsFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ search, text, device, user, field: field.join(',') }))
    if (value) query.set(name, value);
  return query.toString();
}

export async function rememberSearch(tx: Tx, { userId, organisationId }: Person, filter: EventsFilter, at: Date): Promise<void> {
  const query = queryOfFilter(filter);
  if (query === '' || query.length > maxLength) return;
  await sql`insert into event_searches (organisation_id, user_id, query, query_hash, searched_at)
    values (${organisationId}, ${userId}, ${query}, sha256(convert_to(${query}, 'UTF8')), ${at})
    on conflict (user_id, query_hash) do update set searched_at = excluded.searched_at`.execute(tx);
  await sql`delete from event_searches where user_id = ${userId} and organisation_id = ${organisationId} and query_hash in (
    select query_hash from event_searches where user_id = ${userId} order by searched_at desc offset ${maxStored})`.execute(tx);
}

export async function listSearches(tx: Tx, scope: Scope, userId: number): Promise<AnswerOf<typeof eventsApi.history>> {
  const rows = await tx
    .selectFrom('event_searches')
    .select(['query', 'searched_at as searchedAt'])
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .orderBy('searched_at', 'desc')
    .limit(maxStored)
    .execute();
  return { results: rows.map(({ query, searchedAt }) => ({ query, searchedAt: searchedAt.toISOString() })) };
}

export async function clearSearches(tx: Tx, scope: Scope, userId: number): Promise<void> {
  await tx.deleteFrom('event_searches').where(within('organisation_id', scope)).where('user_id', '=', userId).execute();
}
