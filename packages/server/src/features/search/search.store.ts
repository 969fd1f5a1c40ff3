/** SQL of the global search: up to five hits per kind, ranked 0 for an exact match, 1 for a prefix, 2 for a substring. */
import { severityOf } from '@parapet/contract/primitives.ts';
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import type { Found } from '@parapet/contract/search.ts';
import { type RawBuilder, sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { displayNameOf } from '../../domain/userState.ts';

export interface Ask {
  text: string;
  /** The text as a number, when it is one. */
  number: number | undefined;
}
export type Hit = Found & { rank: number };

const maxPerKind = 5;
const line = (text: string) => text.slice(0, 2000);
const rankOf = (name: RawBuilder<string>, text: string) =>
  sql<number>`case when lower(${name}) = lower(${text}) then 0 when starts_with(lower(${name}), lower(${text})) then 1 else 2 end`;

export async function findAlerts(tx: Tx, scope: Scope, { number }: Ask): Promise<Hit[]> {
  if (number === undefined) return [];
  const rows = await tx
    .selectFrom('alerts as a')
    .innerJoin('organisations as o', 'o.id', 'a.organisation_id')
    .innerJoin('rules as r', 'r.id', 'a.rule_id')
    .where(within('a.organisation_id', scope))
    .where('a.id', '=', number)
    .select(['a.id', 'r.title', 'a.device_name as device', 'a.user_name as user', 'a.organisation_id', 'o.name as organisation'])
    .limit(maxPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'alert',
    id: String(row.id),
    title: line(row.title),
    detail: line([`#${row.id}`, row.device ?? row.user, row.organisation].filter(Boolean).join(' · ')),
    clientOrganizationID: row.organisation_id,
    rank: 0,
  }));
}

/** Cases, newest first within a rank. */
export async function findCases(tx: Tx, scope: Scope, { text, number }: Ask): Promise<Hit[]> {
  const isNumber = sql<boolean>`c.id = ${number ?? null}::integer`;
  const rows = await tx
    .selectFrom('cases as c')
    .innerJoin('organisations as o', 'o.id', 'c.organisation_id')
    .where(within('c.organisation_id', scope))
    .where((eb) => eb.or([eb('c.title', 'ilike', containing(text)), isNumber]))
    .select([
      'c.id',
      'c.title',
      'c.status',
      'c.organisation_id',
      'o.name as organisation',
      sql<number>`case when ${isNumber} then 0 else ${rankOf(sql`c.title`, text)} end`.as('rank'),
    ])
    .orderBy('rank')
    .orderBy('c.id', 'desc')
    .limit(maxPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'case',
    id: String(row.id),
    title: line(row.title),
    detail: line(`#${row.id} · ${statusLabel(row.status)} · ${row.organisation}`),
    clientOrganizationID: row.organisation_id,
    rank: row.rank,
  }));
}

/**
 * Devices by name prefix from the index, five per organisation, so that a single letter reads few rows; substrings only when prefixes
 * give too few.
 */
export async function findDevices(tx: Tx, scope: Scope, { text }: Ask): Promise<Hit[]> {
  const startsSo = sql<boolean>`d.name_key >= lower(${text}) and d.name_key < lower(${text}) || ${'\u{10FFFF}'}`;
  const run = async (condition: RawBuilder<boolean>) => {
    const { rows } = await sql<{ id: string; name: string; organisation_id: number; organisation: string; rank: number }>`
      select d.*, o.name as organisation from organisations o cross join lateral (
        select d.id, d.name, d.organisation_id, d.name_key, ${rankOf(sql`d.name`, text)} as rank from devices d
        where d.organisation_id = o.id and ${within('d.organisation_id', scope)} and ${condition} order by d.name_key limit ${maxPerKind}) d
      where ${within('o.id', scope)} order by d.rank, d.name_key, d.organisation_id limit ${maxPerKind}`.execute(tx);
    return rows;
  };
  const starting = await run(startsSo);
  const rows =
    starting.length < maxPerKind
      ? [...starting, ...(await run(sql`d.name_key like lower(${containing(text)}) and not (${startsSo})`))]
      : starting;
  return rows.slice(0, maxPerKind).map((row) => ({
    kind: 'device',
    id: row.id,
    title: line(row.name),
    detail: line(row.organisation),
    clientOrganizationID: row.organisation_id,
    rank: row.rank,
  }));
}

/** Users; `onlyId` limits the search to the caller. */
export async function findUsers(tx: Tx, scope: Scope, { text }: Ask, onlyId: number | undefined): Promise<Hit[]> {
  const name = displayNameOf(sql`u`);
  const email = sql<string>`u.email`;
  const pattern = containing(text);
  let query = tx
    .selectFrom('users as u')
    .innerJoin('organisations as o', 'o.id', 'u.organisation_id')
    .where(within('u.organisation_id', scope))
    .where('u.is_deleted', '=', false)
    .where((eb) => eb.or([eb(name, 'ilike', pattern), eb(email, 'ilike', pattern)]));
  if (onlyId !== undefined) query = query.where('u.id', '=', onlyId);
  const rows = await query
    .select([
      'u.id',
      name.as('name'),
      'u.email',
      'u.organisation_id',
      'o.name as organisation',
      sql<number>`least(${rankOf(name, text)}, ${rankOf(email, text)})`.as('rank'),
    ])
    .orderBy('rank')
    .orderBy(sql`lower(${name})`)
    .orderBy('u.id')
    .limit(maxPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'user',
    id: String(row.id),
    title: line(row.name),
    detail: line(`${row.email} · ${row.organisation}`),
    clientOrganizationID: row.organisation_id,
    rank: row.rank,
  }));
}

/** Detection rules, which are shared by all tenants. */
export async function findRules(tx: Tx, { text }: Ask): Promise<Hit[]> {
  const rows = await tx
    .selectFrom('rules')
    .where('title', 'ilike', containing(text))
    .select(['id', 'title', 'category', 'criticality', rankOf(sql`title`, text).as('rank')])
    .orderBy('rank')
    .orderBy(sql`lower(title)`)
    .orderBy('id')
    .limit(maxPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'rule',
    id: String(row.id),
    title: line(row.title),
    detail: line(`${row.category} · ${severityOf(row.criticality)}`),
    clientOrganizationID: null,
    rank: row.rank,
  }));
}

export async function findOrganisations(tx: Tx, scope: Scope, { text, number }: Ask): Promise<Hit[]> {
  const isNumber = sql<boolean>`id = ${number ?? null}::integer`;
  const rows = await tx
    .selectFrom('organisations')
    .where(within('id', scope))
    .where((eb) => eb.or([eb('name', 'ilike', containing(text)), isNumber]))
    .select([
      'id',
      'name',
      'is_partner',
      sql<number>`case when ${isNumber} then 0 else ${rankOf(sql`name`, text)} end`.as('rank'),
    ])
    .orderBy('rank')
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .limit(maxPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'organisation',
    id: String(row.id),
    title: line(row.name),
    detail: `${row.is_partner ? 'Partner' : 'Client'} ${row.id}`,
    clientOrganizationID: row.id,
    rank: row.rank,
  }));
}
