/** Whether an account is a second person to whoever asked (decision 24), and the setting for an installation of one. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

/** As the function approver_faults names them. */
export type ApproverFault = 'requester' | 'samePerson' | 'changed' | 'young';

/** Reasons in words, for whoever is refused. */
export const faultTexts: Record<ApproverFault, string> = {
  requester: 'You asked for it yourself. Somebody else must approve it.',
  samePerson: 'This account belongs to the person who asked for it. Somebody else must approve it.',
  changed:
    'Whoever asked for it created, invited or changed this account within the last 30 days, so it is not a second person. Somebody else must approve it.',
  young: 'This account is less than 24 hours old. It can approve responses from its second day; until then somebody else must.',
};

/** Why the account cannot approve what `requester` asked for; null where it can. Both are expressions, so that a list asks it with its rows. */
export const faultOf = (requester: RawBuilder<number | null>, account: number, now: Date): RawBuilder<ApproverFault | null> =>
  sql<ApproverFault | null>`(select f.fault from approver_faults(${requester}, array[${account}::integer], ${now}::timestamptz) f limit 1)`;

/** Accounts of a list that cannot approve what `requester` asked for. */
export async function listUnfit(tx: Tx, requester: number | null, accounts: readonly number[], now: Date): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select account_id as id from approver_faults(${requester}::integer, ${[...accounts]}::integer[], ${now}::timestamptz)`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether whoever asked may approve it as well: the Host has said so, and there is one member of staff. */
export async function isSingleOperator(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select is_single_operator() as is`.execute(tx);
  return rows[0]?.is ?? false;
}
