/** Request: → requested, or → dispatched at once where no approval is needed. */
import { problem } from '@parapet/contract/problem.ts';
import { targetRefusal, targetWarning } from '@parapet/contract/rules/responseTargets.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Actor, isFresh, requireFresh } from '../../core/http/actor.ts';
import { type Cause, queueDeliveries } from '../../domain/causes.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { type Approval, approvalOf } from './responses.approvals.ts';
import type { Cancel } from './responses.cancel.ts';
import type { LedgerDeps } from './responses.deps.ts';
import type { Dispatch } from './responses.dispatch.ts';
import { executorsOf, isManualFor, manually } from './responses.executors.ts';
import { listHolders } from './responses.flags.ts';
import type { StepLog } from './responses.history.ts';
import { type Action, defaultReleaseHours, deviceOf, expiryMs, kindOf, needsSecondPerson, textOf } from './responses.rules.ts';
import { insertResponse, insertStep, lockPending, type ResponseRecord } from './responses.store.ts';
import { isSameDevice, listTargetDevices } from './responses.targets.ts';

export interface ResponseRequest {
  organisationId: number;
  action: Action;
  target: string;
  deviceName?: string | null;
  expectedName?: string;
  /** Reason of the request. */
  note?: string;
  /** Hours until the automatic release. */
  releaseHours?: number;
  /** A person executes it even where an agent could. */
  isByHand?: boolean;
  /** Confirms the warning about this target. */
  acknowledgesWarning?: boolean;
  /** The response to undo. */
  undoes?: ResponseRecord;
}

const noApproval: Approval = { approvals_needed: 0, approver_kind: null, rule_text: '', silence: 'expire', waitMs: 0 };

interface RequestDeps extends LedgerDeps {
  log: StepLog;
  dispatch: Dispatch;
  cancel: Cancel;
}

/**
 * Repeating a request returns the one that is pending or holds; an opposite pending one is cancelled. Without an actor the portal itself requests,
 * which needs no approval. Throws conflict for an unfit target and for an unconfirmed warning.
 */
export function createRequesting({ clock, log, vendors, dispatch, cancel }: RequestDeps) {
  const insert = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    request: ResponseRequest,
    undoes: ResponseRecord | undefined,
  ): Promise<{ response: ResponseRecord; isNew: boolean }> => {
    const at = new Date(clock.now());
    const about = targetOf(request);
    const { action, note = '' } = request;
    const places = await listTargetDevices(tx, record, about);
    const executors = await (request.isByHand ? manually : executorsOf(tx, vendors, about, places, undoes));
    const isManual = isManualFor(executors);
    if (actor && !kindOf(about).isUndo) refuseUnfitTarget(about, places, request.acknowledgesWarning ?? false);
    const approval = actor ? await approvalOf(tx, clock, actor, about, places) : noApproval;
    const waits = approval.approvals_needed > 0;
    const inserted = await insertResponse(tx, {
      ...about,
      ...termsOf(approval, at),
      case_id: record?.id ?? null,
      requested_by: actor?.userId ?? null,
      requested_by_name: actor?.displayName ?? '',
      requested_at: at,
      changed_at: at,
      is_manual: isManual,
      is_by_vendor: executors.vendors.length > 0,
      note,
      expected_name: request.expectedName ?? '',
      release_hours: releaseHoursOf(request, isManual),
      undoes_id: undoes?.id ?? null,
      detail: approval.rule_text,
    });
    if (!inserted) {
      // Another case's transaction inserted the same request first.
      const other = await lockPending(tx, action, about);
      if (!other) throw problem.conflict('Another person is requesting the same right now. Check the responses and try again.');
      return { response: other, isNew: false };
    }
    await insertStep(tx, inserted, { state: 'requested', at, by: actor, detail: note });
    const response = waits ? inserted : await dispatch(tx, record, inserted, { undoes, places });
    const sent = sentText(response);
    await log(tx, actor, record, inserted, {
      action: 'response.requested',
      text: `${textOf(inserted)} requested${waits ? '; waiting for approval' : sent}${note ? `: ${note}` : ''}`,
      after: { id: inserted.id, action, target: about.target, device: about.device_name, state: response.state },
    });
    await queueDeliveries(tx, causesOf(inserted, actor));
    return { response, isNew: true };
  };

  return async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    request: ResponseRequest,
  ): Promise<{ response: ResponseRecord; isNew: boolean }> => {
    const { organisationId, action, target } = request;
    const about = targetOf(request);
    const { opposite, isUndo, flag } = kindOf(about);
    if (actor && !isUndo && !isFresh(actor)) {
      const deviceTypes = (await listTargetDevices(tx, record, about)).map(({ deviceType }) => deviceType);
      if (needsSecondPerson(action, deviceTypes)) requireFresh(actor);
    }
    const same = await lockPending(tx, action, about);
    if (same) return { response: same, isNew: false };
    const holders = flag ? await listHolders(tx, organisationId, flag, target) : [];
    const opposed = opposite && (await lockPending(tx, opposite, about));
    // It holds there already, unless its opposite is pending.
    const holder = holders.find((each) => isSameDevice(each, about));
    if (holder && !isUndo && !opposed) return { response: holder, isNew: false };
    if (opposed) await cancel(tx, actor, opposed, 'The opposite was requested.');
    return insert(tx, actor, record, request, isUndo ? (request.undoes ?? holder ?? holders[0] ?? opposed) : undefined);
  };
}

/**
 * Checks a request as it would be made now. Returns the warning that has to be confirmed and the approval rule, both empty without one; throws
 * conflict for an unfit target.
 */
export async function checkRequest(
  tx: Tx,
  { clock }: Pick<LedgerDeps, 'clock'>,
  actor: Actor,
  record: CaseRecord | undefined,
  request: ResponseRequest,
): Promise<{ warning: string; approval: string }> {
  const about = targetOf(request);
  const places = await listTargetDevices(tx, record, about);
  if (!kindOf(about).isUndo) refuseUnfitTarget(about, places, true);
  const { approvals_needed, rule_text } = await approvalOf(tx, clock, actor, about, places);
  const deviceTypes = places.map(({ deviceType }) => deviceType);
  const warning = kindOf(about).isUndo ? undefined : targetWarning(about.action, about.target, deviceTypes);
  return { warning: warning ?? '', approval: approvals_needed > 0 ? rule_text : '' };
}

const sentText = ({ is_manual, is_by_vendor }: ResponseRecord): string =>
  is_manual ? '' : ` and sent to its ${is_by_vendor ? 'vendor' : 'agent'}`;

const targetOf = ({ organisationId, action, target, deviceName = null }: ResponseRequest) => ({
  organisation_id: organisationId,
  action,
  target,
  device_name: deviceName,
});

/** A request that waits for approval may leave the portal, without its note and the requester. */
const causesOf = (record: ResponseRecord, actor: Actor | undefined): Cause[] =>
  record.approvals_needed === 0
    ? []
    : [
        {
          organisationId: record.organisation_id,
          event: 'response.approvalNeeded',
          objectId: record.id,
          at: record.requested_at,
          actorId: actor?.userId,
          facts: { response: textOf(record), case: record.case_id, decideBy: record.approve_until?.toISOString() },
        },
      ];

/** Columns of an approval: a request that waits for one expires with it. */
function termsOf({ waitMs, ...needs }: Approval, at: Date) {
  const approveUntil = needs.approvals_needed > 0 ? new Date(at.getTime() + waitMs) : null;
  return { ...needs, approve_until: approveUntil, expires_at: approveUntil ?? new Date(at.getTime() + expiryMs) };
}

/** null where nothing is released automatically: an agent always does so, a person only where the request sets it. */
function releaseHoursOf(request: ResponseRequest, isManual: boolean): number | null {
  const { opposite, isUndo, flag, task } = kindOf(request);
  if (isUndo || opposite === undefined || flag === undefined) return null;
  return request.releaseHours ?? (isManual || !task ? null : defaultReleaseHours);
}

/** Throws conflict for an action that the target does not allow, and for an unconfirmed warning. */
function refuseUnfitTarget(
  about: { action: Action; target: string; device_name: string | null },
  places: readonly { deviceType: string }[],
  isAcknowledged: boolean,
): void {
  const deviceTypes = places.map(({ deviceType }) => deviceType);
  const refusal = targetRefusal(about.action, deviceOf(about) ?? about.target, deviceTypes);
  if (refusal !== undefined) throw problem.conflict(refusal);
  const warning = targetWarning(about.action, about.target, deviceTypes);
  if (warning !== undefined && !isAcknowledged)
    throw problem.conflict(`${warning} Nothing was requested. To continue, confirm the warning (acknowledgesWarning).`);
}
