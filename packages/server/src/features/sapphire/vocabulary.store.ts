/** Loads the names in the caller’s scope that resemble a text: few, however large the scope. */
import { sql } from 'kysely';
import { storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { NamedClient } from './understanding/reading.ts';

const maxClients = 2_000;
const maxNames = 20;
/** Months of alerts to search for user names, matching their retention. */
const userMonths = 13;

export const listClients = (tx: Tx, scope: Scope): Promise<NamedClient[]> =>
  tx.selectFrom('organisations').select(['id', 'name']).where(within('id', scope)).orderBy('id').limit(maxClients).execute();

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
    (select 'user', name, max(case when lower(name) = any(${exact}::text[]) then 1 else likeness end) as rank from (
      select n.name, coalesce((select max(similarity(lower(n.name), w)) from unnest(${near}::text[]) w), 0) as likeness
      from (select distinct user_name as name from rollup_month_user
        where ${within('organisation_id', scope)} and month >= ${since}::date) n) u
    where lower(name) = any(${exact}::text[]) or likeness >= 0.4 group by name order by rank desc, name limit ${maxNames})`.execute(
    tx,
  );
  const of = (kind: 'device' | 'user') => rows.filter((row) => row.kind === kind).map(({ name }) => name);
  return { devices: of('device'), users: of('user') };
}

/** Detection rules are shared by all organisations. */
export const listRuleTitles = (tx: Tx): Promise<{ key: string; title: string }[]> =>
  tx.selectFrom('rules').select(['key', 'title']).orderBy('id').execute();
