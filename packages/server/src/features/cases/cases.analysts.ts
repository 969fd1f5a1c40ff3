/** Analysts assignable to a client's cases: provider and partner staff with write access that the caller may see, and the client's own analysts. */
import { may, providerId } from '@parapet/contract/access.ts';
import type { Analyst } from '@parapet/contract/caseList.ts';
import { shortName } from '@parapet/contract/rules/cases.ts';
import { roles } from '@parapet/contract/users.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import type { CaseRecord } from './cases.ports.ts';

const maxAnalysts = 1_000;
const workOnCases = roles
  .map(({ name }) => name)
  .filter((role) => may({ role, isPartner: true, organisationId: 0 }, 'cases:write'));

/** Without `client`, analysts assignable to any case of the scope; `userId` limits the list to one user. */
export async function listAnalysts(
  tx: Tx,
  scope: Scope,
  client: number | undefined,
  userId?: number,
): Promise<{ results: Analyst[]; total: number }> {
  const ofClient =
    client === undefined
      ? sql`true`
      : sql`(o.id = ${client} or o.id = ${providerId} or o.id = (select parent_id from organisations where id = ${client}))`;
  const { rows } = await sql<{
    id: number;
    first_name: string;
    last_name: string;
    email: string;
    organisation_id: number;
    total: number;
  }>`select u.id, u.first_name, u.last_name, u.email, u.organisation_id, count(*) over () as total
    from users u join organisations o on o.id = u.organisation_id
    where ${within('u.organisation_id', scope)} and not u.is_deleted and ${ofClient} ${userId === undefined ? sql`` : sql`and u.id = ${userId}`}
      and case when o.is_partner then u.role = any(${workOnCases}::text[]) else u.role = 'Analyst' end
    order by u.last_name, u.first_name, u.id limit ${maxAnalysts}`.execute(tx);
  return {
    results: rows.map((row) => ({
      id: row.id,
      firstName: row.first_name,
      lastName: row.last_name,
      displayName: shortName(row.first_name, row.last_name),
      emailAddress: row.email,
      clientOrganizationID: row.organisation_id,
    })),
    total: rows[0]?.total ?? 0,
  };
}

/** Returns undefined for a user whom the caller cannot assign to this client's cases. */
export async function findAnalyst(tx: Tx, actor: Actor, organisationId: number, userId: number): Promise<Analyst | undefined> {
  const { results } = await listAnalysts(tx, scopeOf(actor), organisationId, userId);
  return results[0];
}

/**
 * The analyst from whom the caller took the case by its last assignment. That one may be undone, though the caller can assign the case to no such
 * person otherwise: a partner's analyst sees none of the provider's. Returns undefined for anyone else, and once a case was assigned again.
 */
export async function findFormerAnalyst(tx: Tx, actor: Actor, record: CaseRecord, userId: number): Promise<Analyst | undefined> {
  const idIn = (change: 'before' | 'after') => sql<number | null>`(${sql.ref(change)} ->> 'analystUserId')::integer`.as(change);
  const last = await tx
    .selectFrom('case_history')
    .select(['actor_user_id', idIn('before'), idIn('after')])
    .where(within('organisation_id', scopeOf(actor)))
    .where('case_id', '=', record.id)
    .where('kind', '=', 'assignment')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const isOwn = last?.actor_user_id === actor.userId && last.before === userId && last.after === record.analyst_user_id;
  if (!isOwn) return undefined;
  const { results } = await listAnalysts(tx, 'system', record.organisation_id, userId);
  return results[0];
}
