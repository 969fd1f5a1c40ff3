/** Second-person check of approvers (docs/decisions/0024-second-person.md), and the single-operator setting. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';
import type { Actor } from '../core/http/actor.ts';

/** Values of the SQL function pair_faults. */
export type PairFault =
  | 'requester'
  | 'samePerson'
  | 'changed'
  | 'young'
  | 'requesterChanged'
  | 'requesterYoung'
  | 'requesterGone';

/** Actions of requesters, as they follow “the account that”, each with the way to repeat it. */
const remedies = {
  'requested it': 'Request it again.',
  'ran the preview': 'Run the preview again.',
  'wrote the rule': 'Save the rule again.',
  'approved it': 'Request it again.',
};
export type RequestedBy = keyof typeof remedies;

/** Reason shown to a refused approver. */
export function pairText(fault: PairFault, action: RequestedBy = 'requested it'): string {
  const other = action === 'approved it' ? 'earlier approver' : 'requester';
  switch (fault) {
    case 'requester':
      return 'You requested it yourself. Needs a different approver.';
    case 'samePerson':
      return `This account belongs to the ${other}. Needs a different approver.`;
    case 'changed':
      return `The ${other} created, invited or changed this account within the last 30 days, so it is not a second person. Needs a different approver.`;
    case 'young':
      return 'This account is less than 24 hours old. It can approve from its second day; until then, needs a different approver.';
    case 'requesterChanged':
      return `You created, invited or changed the account that ${action} within the last 30 days, so you are not a second person. Needs a different approver.`;
    case 'requesterYoung':
      return `The account that ${action} is less than 24 hours old. It counts as a person from its second day; until then, needs a different account.`;
    case 'requesterGone':
      return `The account that ${action} was deleted. ${remedies[action]}`;
  }
}

/** SQL: reason why requester and account are not two people, judged in both directions; null for a possible approver. A null requester is the portal. */
export const faultOf = (requester: RawBuilder<number | null>, account: number, now: Date): RawBuilder<PairFault | null> =>
  sql<PairFault | null>`(select f.fault from pair_faults(${requester}, array[${account}::integer], ${now}::timestamptz) f limit 1)`;

/** Reason why the actor and the requester are not two people; undefined if they are. A requester without an account cannot be judged. */
export async function pairFault(
  tx: Tx,
  actor: Actor,
  requester: number | null,
  { action, now }: { action: RequestedBy; now: Date },
): Promise<string | undefined> {
  if (actor.apiKey) return 'An API key is not a second person. Sign in and approve it yourself.';
  if (requester === null) return pairText('requesterGone', action);
  const { rows } = await sql<{ fault: PairFault | null }>`
    select ${faultOf(sql`${requester}::integer`, actor.userId, now)} as fault`.execute(tx);
  const fault = rows[0]?.fault;
  return fault ? pairText(fault, action) : undefined;
}

/** Accounts of a list that cannot approve what the requester requested. */
export async function listUnfit(tx: Tx, requester: number | null, accounts: readonly number[], now: Date): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select account_id as id from pair_faults(${requester}::integer, ${[...accounts]}::integer[], ${now}::timestamptz)`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

/** True while requesters may approve their own responses: the Host has set it and there is one member of staff. */
export async function isSingleOperator(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select is_single_operator() as is`.execute(tx);
  return rows[0]?.is ?? false;
}
