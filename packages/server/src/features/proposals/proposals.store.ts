/** SQL of proposals. */
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

export type ProposalRecord = Selectable<Tables['case_proposals']>;

const openOf = (tx: Tx, scope: Scope, caseId: number) =>
  tx
    .selectFrom('case_proposals')
    .where(within('organisation_id', scope))
    .where('case_id', '=', caseId)
    .where('state', '=', 'open');

/** Oldest first. */
export const listOpen = (tx: Tx, scope: Scope, caseId: number, limit: number) =>
  openOf(tx, scope, caseId)
    .selectAll()
    .select(shownName(scope, 'proposed_by', 'proposed_by_name').as('proposer'))
    .orderBy('id')
    .limit(limit)
    .execute();

export async function countOpen(tx: Tx, scope: Scope, caseId: number): Promise<number> {
  const { count } = await openOf(tx, scope, caseId).select(sql<number>`count(*)::integer`.as('count')).executeTakeFirstOrThrow();
  return count;
}

/** Of a case that the caller found in its scope and locked. */
export async function insertProposal(tx: Tx, row: Insertable<Tables['case_proposals']>): Promise<number> {
  return (await tx.insertInto('case_proposals').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

/** Locks a proposal until the transaction ends; undefined outside the scope. */
export const lockProposal = (tx: Tx, scope: Scope, id: number): Promise<ProposalRecord | undefined> =>
  tx
    .selectFrom('case_proposals')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const saveDecision = (
  tx: Tx,
  scope: Scope,
  id: number,
  set: { state: 'accepted' | 'dismissed'; decided_by: number; decided_at: Date },
) => tx.updateTable('case_proposals').set(set).where(within('organisation_id', scope)).where('id', '=', id).execute();
