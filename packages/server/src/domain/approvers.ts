/** Second-person check of approvers (docs/decisions/0024-second-person.md), and the single-operator setting. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';

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
export const faultOf = (requester: RawBuilder<number | null>, account: number, now: Date): RawBuilder<ApproverFault | null> =>
  sql<ApproverFault | null>`(select f.fault from approver_faults(${requester}, array[${account}::integer], ${now}::timestamptz) f limit 1)`;

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
