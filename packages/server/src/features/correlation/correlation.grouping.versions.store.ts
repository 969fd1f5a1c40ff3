/** SQL of versions of grouping sets, their history and their counts in shadow. */
import { providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { GroupingState } from '../../core/db/tables.rules.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { GroupingSet } from './correlation.grouping.ts';

export interface VersionRow extends GroupingSet {
  id: number;
  organisationId: number;
  version: number;
  state: GroupingState;
}

interface Shadow {
  days: number;
  opened: number;
  liveOpened: number;
  joined: number;
  liveJoined: number;
  differing: number;
}

/** Provider, partner, client. */
export async function chainOf(tx: Tx, organisationId: number): Promise<number[]> {
  const row = await tx.selectFrom('organisations').select('parent_id').where('id', '=', organisationId).executeTakeFirst();
  return [...new Set([providerId, ...(row?.parent_id == null ? [] : [row.parent_id]), organisationId])];
}

export async function nameOf(tx: Tx, organisationId: number): Promise<string> {
  const row = await tx.selectFrom('organisations').select('name').where('id', '=', organisationId).executeTakeFirst();
  return row?.name ?? '';
}

/** Serialises changes of an organisation’s versions until the transaction ends. */
export const lockVersions = (tx: Tx, organisationId: number): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(7318, ${organisationId})`.execute(tx);

export async function newestVersion(tx: Tx, organisationId: number): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select coalesce(max(version), 0) as newest from grouping_versions where organisation_id = ${organisationId}`.execute(tx);
  return rows[0]!.newest;
}

export async function findVersion(tx: Tx, scope: Scope, id: number): Promise<VersionRow | undefined> {
  const { rows } = await sql<VersionRow>`
    select id, organisation_id as "organisationId", version, state, parameters, common from grouping_versions
    where ${within('organisation_id', scope)} and id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Newest first, with the counts in shadow of the clients in scope of the transaction. */
export async function listVersions(
  tx: Tx,
  scope: Scope,
): Promise<(VersionRow & { note: string; author: string; createdAt: Date; shadow: Shadow | null })[]> {
  const { rows } = await sql<VersionRow & { note: string; author: string; createdAt: Date; shadow: Shadow | null }>`
    select v.id, v.organisation_id as "organisationId", v.version, v.state, v.parameters, v.common, v.note, v.author_name as author,
      v.created_at as "createdAt", (
        select jsonb_build_object('days', count(distinct day), 'opened', sum(opened), 'liveOpened', sum(live_opened), 'joined', sum(joined),
          'liveJoined', sum(live_joined), 'differing', sum(differing))
        from grouping_shadow_days d where d.version_id = v.id and d.day > current_date - 30 having count(*) > 0
      ) as shadow
    from grouping_versions v where ${within('v.organisation_id', scope)} order by v.version desc limit 200`.execute(tx);
  return rows;
}

export async function listHistory(
  tx: Tx,
  scope: Scope,
): Promise<{ at: Date; actor: string; action: string; version: number; why: string }[]> {
  const { rows } = await sql<{ at: Date; actor: string; action: string; version: number; why: string }>`
    select at, actor_name as actor, action, version, why from grouping_history
    where ${within('organisation_id', scope)} order by at desc, id desc limit 500`.execute(tx);
  return rows;
}

export async function listOverrides(
  tx: Tx,
  scope: Scope,
): Promise<{ clientOrganizationID: number; organisation: string; state: 'live' | 'shadow'; differences: number }[]> {
  const { rows } = await sql<{
    clientOrganizationID: number;
    organisation: string;
    state: 'live' | 'shadow';
    differences: number;
  }>`
    select v.organisation_id as "clientOrganizationID", o.name as organisation, v.state,
      ((select count(*) from jsonb_object_keys(v.parameters)) + jsonb_array_length(v.common))::integer as differences
    from grouping_versions v join organisations o on o.id = v.organisation_id
    where ${within('v.organisation_id', scope)} and v.state in ('live', 'shadow') order by v.organisation_id, v.state limit 1000`.execute(
    tx,
  );
  return rows;
}

export const leaveState = (tx: Tx, organisationId: number, from: GroupingState, to: GroupingState): Promise<unknown> =>
  sql`update grouping_versions set state = ${to} where organisation_id = ${organisationId} and state = ${from}`.execute(tx);

/** Former counts, so that a shadow begins from nothing. */
export const forgetShadow = (tx: Tx, scope: Scope, id: number): Promise<unknown> =>
  sql`delete from grouping_shadow_days where ${within('organisation_id', scope)} and version_id = ${id}`.execute(tx);

export const addHistory = (
  tx: Tx,
  actor: Actor,
  { organisationId, version, action, why }: { organisationId: number; version: number; action: string; why: string },
): Promise<unknown> =>
  tx
    .insertInto('grouping_history')
    .values({ organisation_id: organisationId, version, actor_id: actor.userId, actor_name: actor.displayName, action, why })
    .execute();
