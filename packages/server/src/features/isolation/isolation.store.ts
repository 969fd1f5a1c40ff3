/** Trials of isolation by pair of organisations, and what was had. */
import { type SqlBool, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Place } from './isolation.plan.ts';
import type { Trial } from './isolation.probe.ts';

/** Active organisations; deactivated ones have no people. */
export const listPlaces = (tx: Tx): Promise<Place[]> =>
  tx
    .selectFrom('organisations')
    .select(['id', 'parent_id as parentId', 'is_partner as isPartner'])
    .where('deactivated_at', 'is', null)
    .where('erased_at', 'is', null)
    .orderBy('id')
    .execute();

/** When people of each organisation last tried. */
export async function lastTrials(tx: Tx): Promise<Map<number, Date>> {
  const rows = await tx
    .selectFrom('isolation_pairs')
    .select(({ fn }) => ['actor_organisation_id as id', fn.max('tried_at').as('at')])
    .groupBy('actor_organisation_id')
    .execute();
  return new Map(rows.map(({ id, at }) => [id, at as Date]));
}

/** Targets that people of this organisation tried since then, and those of which they had data last time. */
export async function readPairs(
  tx: Tx,
  actorOrganisationId: number,
  since: Date,
): Promise<{ tried: Set<number>; found: number[] }> {
  const rows = await tx
    .selectFrom('isolation_pairs')
    .select(['organisation_id as id', 'tried_at as at', 'found'])
    .where('actor_organisation_id', '=', actorOrganisationId)
    .execute();
  return {
    tried: new Set(rows.flatMap(({ id, at }) => (at >= since ? [id] : []))),
    found: rows.flatMap(({ id, found }) => (found > 0 ? [id] : [])),
  };
}

/** Pairs of organisations that were deactivated, or whose data the actor may see by now. */
export const forgetOthers = (tx: Tx, actorOrganisationId: number, foreign: readonly number[]): Promise<unknown> =>
  sql`delete from isolation_pairs p where p.actor_organisation_id = ${actorOrganisationId}
    and not p.organisation_id = any(${[...foreign]}::integer[])`.execute(tx);

export async function saveTrial(tx: Tx, actorOrganisationId: number, trial: Trial, at: Date): Promise<void> {
  const of = { actor_organisation_id: actorOrganisationId };
  for (const [organisationId, attempts] of trial.attempts) {
    const found = trial.findings.filter((finding) => finding.organisationId === organisationId);
    const row = {
      tried_at: at,
      attempts,
      refused: trial.refused.get(organisationId) ?? 0,
      found: found.length,
      failed: [...trial.failed],
    };
    await tx
      .insertInto('isolation_pairs')
      .values({ ...of, organisation_id: organisationId, ...row })
      .onConflict((conflict) => conflict.columns(['organisation_id', 'actor_organisation_id']).doUpdateSet(row))
      .execute();
  }
  if (trial.findings.length === 0) return;
  const rows = trial.findings.map(({ organisationId, operation, how }) => ({
    ...of,
    organisation_id: organisationId,
    operation,
    how,
    found_at: at,
  }));
  await tx.insertInto('isolation_findings').values(rows).execute();
}

export interface Proof {
  triedAt: Date | null;
  attempts: number;
  refused: number;
  found: number;
  failed: number;
  organisations: number;
}

/** Sums of the day up to the last trial of these organisations; `organisations` of thirty days. */
export async function readProof(tx: Tx, scope: Scope, now: Date): Promise<Proof> {
  const { rows } = await sql<Proof>`
    select max(tried_at) as "triedAt", coalesce(sum(attempts) filter (where is_last), 0)::integer as attempts,
      coalesce(sum(refused) filter (where is_last), 0)::integer as refused, coalesce(sum(found) filter (where is_last), 0)::integer as found,
      coalesce(sum(cardinality(failed)) filter (where is_last), 0)::integer as failed,
      (count(distinct actor_organisation_id) filter (where tried_at > ${now}::timestamptz - interval '30 days'))::integer as organisations
    from (
      select *, tried_at > max(tried_at) over () - interval '24 hours' as is_last from isolation_pairs where ${within('organisation_id', scope)}
    ) p`.execute(tx);
  return rows[0]!;
}

/** Active organisations whose people see none of these. */
export async function countOthers(tx: Tx, organisationIds: readonly number[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from organisations o
    where o.id <> 1 and o.deactivated_at is null and o.erased_at is null and not o.id = any(${[...organisationIds]}::integer[])
      and exists (select from organisations t where t.id = any(${[...organisationIds]}::integer[]) and t.parent_id is distinct from o.id)`.execute(
    tx,
  );
  return rows[0]!.count;
}

export interface FindingRow {
  foundAt: Date;
  clientOrganizationID: number;
  clientOrganizationName: string;
  actorOrganizationName: string;
  operation: string;
  how: 'answered' | 'content' | 'changed';
}

export async function listFindings(tx: Tx, limit: number): Promise<FindingRow[]> {
  const { rows } = await sql<FindingRow>`
    select f.found_at as "foundAt", f.organisation_id as "clientOrganizationID", o.name as "clientOrganizationName", a.name as "actorOrganizationName",
      f.operation, f.how
    from isolation_findings f join organisations o on o.id = f.organisation_id join organisations a on a.id = f.actor_organisation_id
    order by f.found_at desc, f.id desc limit ${limit}`.execute(tx);
  return rows;
}

export async function countFindings(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from isolation_findings`.execute(tx);
  return rows[0]!.count;
}

/** Time of the last request for a trial of all, while it is not done. */
export async function findRequest(tx: Tx): Promise<Date | undefined> {
  const { rows } = await sql<{
    at: Date;
  }>`select requested_at as at from isolation_requests where ${sql<SqlBool>`done_at is null`}`.execute(tx);
  return rows[0]?.at;
}

export const saveRequest = (tx: Tx, at: Date): Promise<unknown> =>
  sql`insert into isolation_requests (requested_at) values (${at})
    on conflict (is_only) do update set requested_at = excluded.requested_at, done_at = null`.execute(tx);

export const finishRequest = (tx: Tx, requestedAt: Date, at: Date): Promise<unknown> =>
  sql`update isolation_requests set done_at = ${at} where requested_at = ${requestedAt}`.execute(tx);
