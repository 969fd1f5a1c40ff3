/** SQL of offboarding. Every function takes the client, and runs in its scope or the portal’s own. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

export interface Progress {
  name: string;
  isPartner: boolean;
  endedAt: Date | null;
  archivedAt: Date | null;
  working: number;
  told: number;
  left: number;
  ingestKeys: number;
  enrolmentTokens: number;
  users: number;
}

/** An agent counts by its newest task `leave`. */
export async function findProgress(tx: Tx, client: number): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`
    with told as (
      select a.revoked_at is null as "isValid",
        (select t.state from agent_tasks t where t.agent_id = a.id and t.action = 'leave' order by t.sequence desc limit 1) as state
      from agents a where a.organisation_id = ${client}
    )
    select o.name, o.is_partner as "isPartner", o.deactivated_at as "endedAt",
      (select max(at) from audit where organisation_id = o.id and action = 'offboarding.archived') as "archivedAt",
      (select count(*) filter (where "isValid" and coalesce(state not in ('queued', 'sent', 'acknowledged', 'verified'), true))
        from told)::integer as working,
      (select count(*) filter (where "isValid" and state in ('queued', 'sent', 'acknowledged')) from told)::integer as told,
      (select count(*) filter (where state = 'verified') from told)::integer as left,
      (select count(*)::integer from ingest_keys k where k.organisation_id = o.id and k.revoked_at is null) as "ingestKeys",
      (select count(*)::integer from enrolment_tokens t where t.organisation_id = o.id and t.revoked_at is null
        and t.expires_at > now()) as "enrolmentTokens",
      (select count(*)::integer from users u where u.organisation_id = o.id and not u.is_deleted) as users
    from organisations o where o.id = ${client}`.execute(tx);
  return rows[0];
}

/** Agents with a valid key and without a waiting or confirmed task `leave`. */
export async function listAgentsToDismiss(tx: Tx, client: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.id from agents a where a.organisation_id = ${client} and a.revoked_at is null and not exists (
      select from agent_tasks t where t.agent_id = a.id and t.action = 'leave' and t.state in ('queued', 'sent', 'acknowledged', 'verified')
    ) order by a.id`.execute(tx);
  return rows.map(({ id }) => id);
}

const keyTables = {
  ingestKeys: 'ingest_keys',
  enrolmentTokens: 'enrolment_tokens',
  agents: 'agents',
  apiKeys: 'api_keys',
  assistants: 'assistant_grants',
} as const;

/** Revokes what is still valid; returns the numbers. */
export async function revokeKeys(tx: Tx, client: number, at: Date): Promise<Record<keyof typeof keyTables, number>> {
  const counts = { ingestKeys: 0, enrolmentTokens: 0, agents: 0, apiKeys: 0, assistants: 0 };
  for (const [what, table] of Object.entries(keyTables) as [
    keyof typeof keyTables,
    (typeof keyTables)[keyof typeof keyTables],
  ][]) {
    const { numUpdatedRows } = await tx
      .updateTable(table)
      .set({ revoked_at: at })
      .where('organisation_id', '=', client)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    counts[what] = Number(numUpdatedRows);
  }
  return counts;
}
