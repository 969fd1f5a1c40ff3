/** Second-person check of approvers (docs/decisions/0024-second-person.md), and the single-operator setting. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';
import type { Actor } from '../core/http/actor.ts';

/** Values of the SQL function approver_faults. */
export type ApproverFault = 'requester' | 'samePerson' | 'changed' | 'young';

/** Reasons shown to a refused approver. */
export const faultTexts: Record<ApproverFault, string> = {
  requester: 'You requested it yourself. Needs a different approver.',
  samePerson: 'This account belongs to the requester. Needs a different approver.',
  changed:
    'The requester created, invited or changed this account within the last 30 days, so it is not a second person. Needs a different approver.',
  young: 'This account is less than 24 hours old. It can approve from its second day; until then, needs a different approver.',
};

/** SQL: reason why the account cannot approve what the requester requested; null for a possible approver. */
export const faultOf = (
  requester: RawBuilder<number | null>,
  account: number | null,
  now: Date,
): RawBuilder<ApproverFault | null> =>
  sql<ApproverFault | null>`(select f.fault from approver_faults(${requester}, array[${account}::integer], ${now}::timestamptz) f limit 1)`;

/** The same of the requester’s account: a person alone can also have made the account that requested. */
const requesterTexts: Record<ApproverFault, string> = {
  ...faultTexts,
  changed:
    'You created, invited or changed the account that ran the preview within the last 30 days, so you are not a second person. Needs a different approver.',
  young:
    'The account that ran the preview is less than 24 hours old. It counts as a person from its second day; until then, needs a preview by another account.',
};

/**
 * Reason why the actor and the requester of a preview are not two persons; undefined if they are. Looks in both directions. A deleted account
 * cannot be judged.
 */
export async function pairFault(tx: Tx, actor: Actor, requester: number | null, now: Date): Promise<string | undefined> {
  if (actor.apiKey) return faultTexts.requester;
  const { rows } = await sql<{ isPresent: boolean; fault: ApproverFault | null; reverse: ApproverFault | null }>`
    select exists (select from users where id = ${requester}::integer and not is_deleted) as "isPresent",
      ${faultOf(sql`${requester}::integer`, actor.userId, now)} as fault,
      ${faultOf(sql`${actor.userId}::integer`, requester, now)} as reverse`.execute(tx);
  const { isPresent, fault, reverse } = rows[0]!;
  if (!isPresent) return 'The account that ran the preview was deleted. Run the preview again.';
  if (fault) return faultTexts[fault];
  return reverse ? requesterTexts[reverse] : undefined;
}

/** Accounts of a list that cannot approve what the requester requested. */
export async function listUnfit(tx: Tx, requester: number | null, accounts: readonly number[], now: Date): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select account_id as id from approver_faults(${requester}::integer, ${[...accounts]}::integer[], ${now}::timestamptz)`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

/** True while requesters may approve their own responses: the Host has set it and there is one member of staff. */
export async function isSingleOperator(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select is_single_operator() as is`.execute(tx);
  return rows[0]?.is ?? false;
}
