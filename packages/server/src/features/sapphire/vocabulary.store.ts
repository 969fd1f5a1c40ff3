/** Loads the names in the caller’s scope that resemble a text: few, however large the scope. */
import { sql } from 'kysely';
import { storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { displayNameOf } from '../../domain/userState.ts';
import { shownName } from '../../domain/visibility.ts';
import type { NamedClient } from './parsing/places.ts';

const maxClients = 2_000;
const maxNames = 20;
/** Months of alerts to search for user names, matching their retention. */
const userMonths = 13;

export const listClients = (tx: Tx, scope: Scope): Promise<NamedClient[]> =>
  tx
    .selectFrom('organisations')
    .select(['id', 'name', 'is_partner as isPartner', 'industry', 'city', 'state'])
    .where(within('id', scope))
    .where('deactivated_at', 'is', null)
    .orderBy('id')
    .limit(maxClients)
    .execute();

interface Near {
  /** Lower-case stretches of the text that may be names. */
  phrases: readonly string[];
  /** Those that may be misspelt. */
  doubtful: readonly string[];
}

/** Finds devices and users by exact name, or similar to a doubtful word. */
export async function findNames(
  tx: Tx,
  scope: Scope,
  { phrases, doubtful }: Near,
  now: Date,
): Promise<{ devices: string[]; users: string[] }> {
  if (phrases.length === 0) return { devices: [], users: [] };
  const exact = phrases.map(storable);
  const near = doubtful.map(storable);
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - userMonths, 1)).toISOString().slice(0, 10);
  const { rows } = await sql<{ kind: 'device' | 'user'; name: string }>`
    (select 'device' as kind, name, max(case when key = any(${exact}::text[]) then 1 else likeness end) as rank from (
      select d.name, d.name_key as key, coalesce((select max(similarity(d.name_key, w)) from unnest(${near}::text[]) w), 0) as likeness
      from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null) d
    where key = any(${exact}::text[]) or likeness >= 0.4 group by name order by rank desc, name limit ${maxNames})
    union all
    (select 'user', name, max(case when account = any(${exact}::text[]) or lower(name) = any(${exact}::text[]) then 1 else likeness end) as rank from (
      select n.name, lower(regexp_replace(n.name, '^.*\\\\|@.*$', '')) as account, coalesce((select max(similarity(lower(n.name), w)) from unnest(${near}::text[]) w), 0) as likeness
      from (select distinct user_name as name from rollup_month_user
        where ${within('organisation_id', scope)} and month >= ${since}::date) n) u
    where account = any(${exact}::text[]) or lower(name) = any(${exact}::text[]) or likeness >= 0.4 group by name order by rank desc, name limit ${maxNames})`.execute(
    tx,
  );
  const of = (kind: 'device' | 'user') => rows.filter((row) => row.kind === kind).map(({ name }) => name);
  return { devices: of('device'), users: of('user') };
}

/** Detection rules are shared by all organisations. */
export async function listRuleTitles(tx: Tx): Promise<string[]> {
  const rows = await tx.selectFrom('rules').select('title').distinct().orderBy('title').execute();
  return rows.map(({ title }) => title);
}

/** Names of tags in use. */
export async function listTagNames(tx: Tx, scope: Scope): Promise<string[]> {
  const rows = await tx
    .selectFrom('tags')
    .select('name')
    .distinct()
    .where(within('organisation_id', scope))
    .where('is_deleted', '=', false)
    .limit(maxClients)
    .execute();
  return rows.map(({ name }) => name);
}

/** Names of people that contain one of the words: portal users where they may be listed, and those who work on cases, as the reader sees them. */
export async function findPeople(tx: Tx, scope: Scope, words: readonly string[], listsUsers: boolean): Promise<string[]> {
  if (words.length === 0) return [];
  const own = words.map((word) => `%${storable(word).replace(/[%_\\]/g, '')}%`);
  const users = listsUsers
    ? sql`select ${displayNameOf(sql`users`)} as name from users where ${within('organisation_id', scope)} and not is_deleted`
    : sql`select '' as name where false`;
  const worked = (person: string, name: string) =>
    sql`select ${shownName(scope, person, name)} from (select distinct ${sql.ref(person)}, ${sql.ref(name)} from cases
      where ${within('organisation_id', scope)} and ${sql.ref(name)} ilike any(${own}::text[])) c`;
  const { rows } = await sql<{ name: string }>`
    select distinct name from (${users} union ${worked('analyst_user_id', 'analyst_name')} union ${worked('closed_by', 'closed_by_name')}) n
    where name ilike any(${own}::text[]) order by name limit ${maxNames}`.execute(tx);
  return rows.map(({ name }) => name);
}
