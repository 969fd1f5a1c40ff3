/**
 * Users by any of the names that a client's identity rules join. `identity_names` holds the names of alerts, kept by correlation; a name that it
 * lacks stands for itself.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';

/** A user by name, and the names joined with it by organisation. */
export interface NamedUser {
  name: string;
  /** Without the name itself. */
  joined: readonly { organisationId: number; name: string }[];
}

const maxJoined = 500;
const lowered = (values: readonly string[]): RawBuilder<string[]> =>
  sql<string[]>`${values.map((value) => value.toLowerCase())}::text[]`;

/** Organisation and name of the users that a condition on `u` selects, by all of their names. Evaluated once in a statement. */
const joinedTo = (condition: RawBuilder<boolean>, scope: Scope): RawBuilder<unknown> => sql`
  select j.organisation_id, j.user_name from identity_names u join identity_names j on j.organisation_id = u.organisation_id and j.identity = u.identity
  where ${condition} and ${within('u.organisation_id', scope)}`;

export async function findNamedUser(tx: Tx, scope: Scope, name: string): Promise<NamedUser> {
  const { rows } = await sql<{ organisation_id: number; user_name: string }>`
    ${joinedTo(sql`u.user_name = ${name}`, scope)} order by 1, 2 limit ${maxJoined}`.execute(tx);
  return {
    name,
    joined: rows.flatMap(({ organisation_id: organisationId, user_name }) =>
      user_name === name ? [] : [{ organisationId, name: user_name }],
    ),
  };
}

/** Condition that the row of this alias is the user’s. An equality without joined names, so that an index yields a page in order. */
export function isOfUser(alias: string, { name, joined }: NamedUser): RawBuilder<boolean> {
  const [user, organisation] = [sql.ref(`${alias}.user_name`), sql.ref(`${alias}.organisation_id`)];
  if (joined.length === 0) return sql<boolean>`${user} = ${name}`;
  const names = joined.map((each) => each.name);
  return sql<boolean>`(${user} = any(${[name, ...names]}::text[]) and (${user} = ${name} or (${organisation}, ${user}) in (
    select * from unnest(${joined.map(({ organisationId }) => organisationId)}::integer[], ${names}::text[]))))`;
}

/** The same for a row with several names, such as a case. */
export const hasUser = (row: RawBuilder<unknown>, names: RawBuilder<unknown>, wanted: readonly string[], scope: Scope) =>
  sql<boolean>`exists (select from unnest(${names}) as user_name where lower(user_name) = any(${lowered(wanted)})
    or (${row}.organisation_id, user_name) in (${joinedTo(sql`lower(u.user_name) = any(${lowered(wanted)})`, scope)}))`;

/** Names of the user in what the transaction sees, as an array. */
export const namesOfUser = (name: string): RawBuilder<string[]> =>
  sql<string[]>`(array(select n.user_name from (${joinedTo(sql`u.user_name = ${name}`, 'system')}) n) || ${name}::text)`;

/** All names of the users that are shown by these, as an array. */
export const namesOfShown = (shown: readonly string[]): RawBuilder<string[]> => sql<string[]>`(array(
  select user_name from identity_names where shown_name = any(${[...shown]}::text[])) || ${[...shown]}::text[])`;

/** Join of the identity of a row’s user; the table drops out of statements that do not read it. */
export const identityJoin = (row: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`left join identity_names ${row}_who on ${row}_who.organisation_id = ${row}.organisation_id and ${row}_who.user_name = ${row}.user_name`;

/** Name that stands for a row’s user, with `identityJoin`. */
export const shownUser = (row: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`coalesce(${row}_who.shown_name, ${row}.user_name)`;

/** Name that stands for a named user of a row, for tables that are small. */
export const shownOf = (row: RawBuilder<unknown>, name: RawBuilder<unknown>): RawBuilder<string> => sql<string>`coalesce(
  (select i.shown_name from identity_names i where i.organisation_id = ${row}.organisation_id and i.user_name = ${name}), ${name})`;

/** Names of a row, one for each person, the first ones first. */
export const shownUsers = (row: RawBuilder<unknown>, names: RawBuilder<unknown>): RawBuilder<string[]> => sql<string[]>`(
  select coalesce(array_agg(name order by place), '{}') from (
    select coalesce(i.shown_name, n.name) as name, min(n.place) as place from unnest(${names}) with ordinality n (name, place)
    left join identity_names i on i.organisation_id = ${row}.organisation_id and i.user_name = n.name group by 1
  ) s)`;
