import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { approvalRefusal } from './responseRequests.rows.ts';
import { insertApproval, type ResponseRequestRecord } from './responseRequests.store.ts';
import type { LockedResponse } from './responses.deps.ts';
import type { Ledger } from './responses.ledger.ts';
import { textOf } from './responses.rules.ts';
import { insertStep } from './responses.store.ts';

/** Records one person's decision. Repeating an approval is a no-op. Throws conflict where none is awaited, forbidden for an unfit approver. */
export async function decide(
  tx: Tx,
  { ledger, clock }: { ledger: Ledger; clock: Clock },
  actor: Actor,
  locked: LockedResponse,
  row: ResponseRequestRecord,
  { isApproved, note }: { isApproved: boolean; note: string },
): Promise<void> {
  const { record, response } = locked;
  const { id } = response;
  if (isApproved && row.has_approved) return;
  if (response.state !== 'requested' || response.approvals_needed === 0)
    throw problem.conflict(`Response ${id} is not waiting for approval: it is ${response.state}.`);
  const refusal = approvalRefusal(row, actor);
  if (refusal !== undefined) throw problem.forbidden(refusal);
  const at = new Date(clock.now());
  const isFirst = await insertApproval(tx, {
    organisation_id: response.organisation_id,
    response_id: id,
    user_id: actor.userId,
    user_name: actor.displayName,
    is_approved: isApproved,
    note,
    at,
  });
  await insertStep(tx, response, { state: isApproved ? 'approval' : 'refusal', at, by: actor, detail: note });
  if (!isApproved) await ledger.end(tx, actor, locked, 'failed', `It was refused${note ? `: ${note}` : '.'}`);
  else if (row.approvals + (isFirst ? 1 : 0) >= response.approvals_needed) await ledger.approve(tx, actor, locked);
  else
    await ledger.log(tx, actor, record, response, {
      action: 'response.approvedByOne',
      text: `${textOf(response)} approved by one of ${response.approvals_needed}`,
      after: { id, note },
    });
}
