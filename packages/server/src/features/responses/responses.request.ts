/** Request: → requested, or → dispatched at once where no approval is needed. */
import { problem } from '@parapet/contract/problem.ts';
import { targetRefusal, targetWarning } from '@parapet/contract/rules/responseTargets.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Actor, isFresh, requireFresh } from '../../core/http/actor.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { type Approval, approvalOf } from './responses.approvals.ts';
import type { Cancel } from './responses.cancel.ts';
import type { LedgerDeps } from './responses.deps.ts';
import { type Dispatch, targetAgentsOf } from './responses.dispatch.ts';
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
export function createRequesting({ clock, log, dispatch, cancel }: RequestDeps) {
  const insert = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    request: ResponseRequest,
    undoes: ResponseRecord | undefined,
  ): Promise<{ response: ResponseRecord; isNew: boolean }> => {
    const at = new Date(clock.now());
    const about = targetOf(request);
    const { action, note = '', isByHand = false } = request;
    const { opposite, isUndo, flag, task } = kindOf(about);
    const places = await listTargetDevices(tx, record, about);
    const isManual = isByHand || (await targetAgentsOf(tx, about, places, undoes)).length === 0;
    if (actor && !isUndo) {
      const deviceTypes = places.map(({ deviceType }) => deviceType);
      refuseUnfitTarget(about, deviceTypes, request.acknowledgesWarning ?? false);
    }
    const { waitMs, ...needs } = actor ? await approvalOf(tx, clock, actor, about, places) : noApproval;
    const waits = needs.approvals_needed > 0;
    const approveUntil = new Date(at.getTime() + waitMs);
    const releases = !isUndo && opposite !== undefined && flag !== undefined;
    const inserted = await insertResponse(tx, {
      ...about,
      ...needs,
      case_id: record?.id ?? null,
      requested_by: actor?.userId ?? null,
      requested_by_name: actor?.displayName ?? '',
      requested_at: at,
      changed_at: at,
      expires_at: waits ? approveUntil : new Date(at.getTime() + expiryMs),
      approve_until: waits ? approveUntil : null,
      is_manual: isManual,
      note,
      expected_name: request.expectedName ?? '',
      release_hours: releases ? (request.releaseHours ?? (isManual || !task ? null : defaultReleaseHours)) : null,
      undoes_id: undoes?.id ?? null,
      detail: needs.rule_text,
    });
    if (!inserted) {
      // Another case's transaction inserted the same request first.
      const other = await lockPending(tx, action, about);
      if (!other) throw problem.conflict('Another person is requesting the same right now. Check the responses and try again.');
      return { response: other, isNew: false };
    }
    await insertStep(tx, inserted, { state: 'requested', at, by: actor, detail: note });
    const response = waits ? inserted : await dispatch(tx, record, inserted, { undoes, places });
    const progress = waits ? '; waiting for approval' : response.is_manual ? '' : ' and sent to its agent';
    await log(tx, actor, record, inserted, {
      action: 'response.requested',
      text: `${textOf(inserted)} requested${progress}${note ? `: ${note}` : ''}`,
      after: { id: inserted.id, action, target: about.target, device: about.device_name, state: response.state },
    });
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

const targetOf = ({ organisationId, action, target, deviceName = null }: ResponseRequest) => ({
  organisation_id: organisationId,
  action,
  target,
  device_name: deviceName,
});

/** Throws conflict for an action that the target does not allow, and for an unconfirmed warning. */
function refuseUnfitTarget(
  about: { action: Action; target: string; device_name: string | null },
  deviceTypes: readonly string[],
  isAcknowledged: boolean,
): void {
  const refusal = targetRefusal(about.action, deviceOf(about) ?? about.target, deviceTypes);
  if (refusal !== undefined) throw problem.conflict(refusal);
  const warning = targetWarning(about.action, about.target, deviceTypes);
  if (warning !== undefined && !isAcknowledged)
    throw problem.conflict(`${warning} Nothing was requested. To continue, confirm the warning (acknowledgesWarning).`);
}
