/** Requests, rules and protected assets in the contract's shape. */
import { may } from '@parapet/contract/access.ts';
import { silentAfterMs, staleAfterMs } from '@parapet/contract/agents.ts';
import type {
  ApprovalPolicy,
  ApprovalRule,
  ProtectedAsset,
  ResponseDetail,
  ResponseRow,
} from '@parapet/contract/responseRequests.ts';
import type { Actor } from '../../core/http/actor.ts';
import { pairText } from '../../domain/approvers.ts';
import type { AssetRecord, findPolicy, ResponseRequestRecord, RuleRecord } from './responseRequests.store.ts';
import type { VendorTask } from './responses.ports.ts';
import { approversText, mayApproveAs, ruleText } from './responses.rules.ts';
import { isPending, isUndoable } from './responses.states.ts';
import { shownResponse } from './responses.store.ts';
import type { TaskOfResponse } from './responses.targets.ts';

/** Reason why this person cannot approve a waiting request; undefined for a possible approver. */
export function approvalRefusal(row: ResponseRequestRecord, actor: Actor): string | undefined {
  if (!mayApproveAs(row.approver_kind, actor, row)) return `This is approved by ${approversText(row.approver_kind)}.`;
  if (actor.apiKey) return 'An API key cannot approve a response. Sign in and approve it yourself.';
  if (row.has_approved) return 'You have already approved it. Needs another approver.';
  if (row.fault !== null) return pairText(row.fault);
  return row.approver_fault === null ? undefined : pairText(row.approver_fault, 'approved it');
}

export function shownRow(row: ResponseRequestRecord, actor: Actor): ResponseRow {
  const mayWrite = may(actor, 'responses:write');
  const approvalsNeeded = row.state === 'requested' ? Math.max(0, row.approvals_needed - row.approvals) : 0;
  const refusal = approvalsNeeded > 0 ? approvalRefusal(row, actor) : undefined;
  return {
    ...shownResponse({ ...row, requested_by_name: row.shown_requester }),
    clientOrganizationName: row.organisation_name,
    deviceName: row.device_name,
    via: row.is_manual ? 'manual' : row.is_by_vendor && row.agent_id === null ? 'vendor' : 'agent',
    releaseAt: row.release_at?.toISOString() ?? null,
    expiresAt: row.expires_at.toISOString(),
    approvalsNeeded,
    mayApprove: approvalsNeeded > 0 && refusal === undefined,
    approvalRefusal: refusal ?? null,
    mayUndo: mayWrite && (isPending(row) || isUndoable(row)),
  };
}

export function agentOf(task: TaskOfResponse | undefined, now: number): ResponseDetail['agent'] {
  if (!task) return null;
  const silentMs = task.lastCheckInAt ? now - task.lastCheckInAt.getTime() : Number.POSITIVE_INFINITY;
  return {
    agentID: task.agentId,
    state: task.isRevoked ? 'revoked' : silentMs > silentAfterMs ? 'silent' : silentMs > staleAfterMs ? 'stale' : 'online',
    lastCheckInAt: task.lastCheckInAt?.toISOString() ?? null,
    sequence: task.sequence,
  };
}

export const shownVendorTask = ({ place, state, detail }: VendorTask): ResponseDetail['vendors'][number] => ({
  place: place.slice(0, 2000),
  state: state === 'cancelled' ? 'expired' : state,
  detail: detail.slice(0, 2000),
});

export const shownRule = (rule: RuleRecord): ApprovalRule => ({
  id: rule.id,
  clientOrganizationID: rule.organisation_id,
  action: rule.action as ApprovalRule['action'],
  deviceType: rule.device_type as ApprovalRule['deviceType'],
  hours: rule.hours,
  approvers: rule.approvers,
  persons: rule.persons,
  silence: rule.silence,
  waitMinutes: rule.wait_minutes,
  text: ruleText(rule),
});

export const shownAsset = (asset: AssetRecord): ProtectedAsset => ({
  id: asset.id,
  clientOrganizationID: asset.organisation_id,
  kind: asset.kind,
  value: asset.value,
  reason: asset.reason,
  createdBy: asset.created_by_name,
  createdAt: asset.created_at.toISOString(),
});

export const shownPolicy = (policy: Awaited<ReturnType<typeof findPolicy>>): ApprovalPolicy => ({
  isSingleOperator: policy.is_single_operator,
  isInEffect: policy.is_in_effect,
  changedBy: policy.changed_by_name,
  changedAt: policy.changed_by === null ? null : policy.changed_at.toISOString(),
});
