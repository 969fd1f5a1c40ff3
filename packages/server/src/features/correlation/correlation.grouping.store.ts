/** SQL of grouping sets in force, and of the counts of sets in shadow. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { type GroupingRow, type InForce, inForce } from './correlation.grouping.ts';
import type { Candidate, Judgement } from './correlation.judge.ts';

/** Sets that hold for an organisation, the provider's first. */
export async function listInForce(tx: Tx, organisationId: number): Promise<GroupingRow[]> {
  const { rows } = await sql<GroupingRow>`
    select id, organisation_id as "organisationId", state, parameters, common from grouping_in_force(${organisationId})`.execute(
    tx,
  );
  return rows;
}

/** The rules that hold for an organisation: read in each transaction, so that a change holds for the next alert in every process. */
export const readGrouping = async (tx: Tx, organisationId: number): Promise<InForce> =>
  inForce(await listInForce(tx, organisationId));

/** Counts the decisions of a set in shadow beside those of the set in force, from the same cases. */
export async function countShadow(
  tx: Tx,
  organisationId: number,
  versionId: number,
  candidates: readonly Candidate[],
  live: Judgement,
  shadow: Judgement,
): Promise<void> {
  const [own, other] = [live, shadow].map(({ joined }) => new Set(joined.map(({ alertId }) => alertId))) as [
    Set<number>,
    Set<number>,
  ];
  const differing = [...own].filter((id) => !other.has(id)).length + [...other].filter((id) => !own.has(id)).length;
  const day = new Date(Math.max(...candidates.map(({ at }) => at))).toISOString().slice(0, 10);
  await sql`
    insert into grouping_shadow_days as d (organisation_id, version_id, day, opened, live_opened, joined, live_joined, differing)
    values (${organisationId}, ${versionId}, ${day}::date, ${shadow.opened.length}, ${live.opened.length}, ${other.size}, ${own.size},
      ${differing})
    on conflict (organisation_id, version_id, day) do update set opened = d.opened + excluded.opened,
      live_opened = d.live_opened + excluded.live_opened, joined = d.joined + excluded.joined,
      live_joined = d.live_joined + excluded.live_joined, differing = d.differing + excluded.differing`.execute(tx);
}
