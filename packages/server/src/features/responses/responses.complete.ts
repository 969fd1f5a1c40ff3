/** Completion: pending or expired → acknowledged, confirmed by a person or an agent, or → verified; acknowledged → verified by a later check. */
import { isClosed } from '@parapet/contract/rules/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { pending } from '../../domain/responseStates.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import type { LedgerDeps, LockedResponse } from './responses.deps.ts';
import { dropFlag, type Flag, flagOf, listHolders, setFlag } from './responses.flags.ts';
import type { StepLog } from './responses.history.ts';
import { replacing } from './responses.release.ts';
import { kindOf, textOf } from './responses.rules.ts';
import type { Transition } from './responses.states.ts';
import { applyTransition, type ResponseRecord, settleTasks, updateResponse } from './responses.store.ts';
import { isSameDevice } from './responses.targets.ts';

/** An agent that was offline may report a task as done after the request expired. */
const completing = { from: [...pending, 'expired'], to: ['acknowledged', 'verified'] } satisfies Transition;
const verifying = { from: ['acknowledged'], to: ['verified'] } satisfies Transition;

export function createCompletion({ clock, cases, log }: LedgerDeps & { log: StepLog }) {
  /** Releases the response that this one undoes or replaces. Returns it. */
  const releaseHolder = async (
    tx: Tx,
    actor: Actor | undefined,
    response: ResponseRecord,
    flag: Flag | undefined,
    at: Date,
  ): Promise<ResponseRecord | undefined> => {
    const { id, organisation_id: organisationId, undoes_id: undoesId } = response;
    const { isUndo } = kindOf(response);
    const holders = flag ? await listHolders(tx, organisationId, flag, response.target) : [];
    const same = holders.find((each) => isSameDevice(each, response));
    const holder = (isUndo && holders.find((each) => each.id === undoesId)) || same;
    if (holder && holder.id !== id) {
      if (isUndo) await settleTasks(tx, holder, false);
      const detail = isUndo ? `${textOf(response)} was done.` : `Replaced by response ${id}.`;
      await applyTransition(tx, holder, replacing, { state: 'released', at, by: actor, detail }, { release_at: null });
    }
    if (undoesId !== null && undoesId !== holder?.id)
      await updateResponse(tx, { id: undoesId, organisation_id: organisationId }, { release_at: null });
    return holder;
  };

  /** Sets or drops the flags of the target's alerts; a verified containment stops the case's timer. */
  const complete = async (
    tx: Tx,
    actor: Actor | undefined,
    { record, response }: Pick<LockedResponse, 'record' | 'response'>,
    { state, detail }: { state: (typeof completing.to)[number]; detail: string },
  ): Promise<ResponseRecord> => {
    const at = new Date(clock.now());
    const { isUndo } = kindOf(response);
    const flag = await flagOf(tx, record, response);
    const holder = await releaseHolder(tx, actor, response, flag, at);
    if (flag && isUndo) await dropFlag(tx, flag, holder ?? response);
    else if (flag) await setFlag(tx, flag, response, at);
    await settleTasks(tx, response, true);
    const { id, release_hours: hours } = response;
    const releaseAt = hours === null ? null : new Date(at.getTime() + hours * hourMs);
    const step = { state, at, by: actor, detail };
    const completed = await applyTransition(tx, response, completing, step, { release_at: releaseAt });
    await log(tx, actor, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${actor ? 'confirmed as done' : response.is_by_vendor ? 'executed by its vendor' : 'executed by its agent'}${detail ? `: ${detail}` : ''}`,
      before: { id, state: response.state },
      after: { id, state, ...(actor ? { note: detail } : { detail }) },
      // The verdict depends on the actions taken.
      set: { needs_decision: true, ...(state === 'verified' ? containedBy(record, response)?.set : {}) },
    });
    return completed;
  };

  const containedBy = (record: CaseRecord | undefined, response: ResponseRecord) =>
    record && record.contained_at === null && isContainment(record, response) ? { set: cases.containedNow(record) } : undefined;

  const verify = async (
    tx: Tx,
    actor: Actor | undefined,
    { record, response }: Pick<LockedResponse, 'record' | 'response'>,
    detail: string,
  ): Promise<void> => {
    await applyTransition(tx, response, verifying, { state: 'verified', at: new Date(clock.now()), by: actor, detail });
    await log(tx, actor, record, response, {
      action: 'response.verified',
      text: `${textOf(response)} verified${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state: 'verified', ...(actor ? { note: detail } : { detail }) },
      ...containedBy(record, response),
    });
  };

  return { complete, verify };
}

const isContainment = (record: CaseRecord, response: ResponseRecord): boolean =>
  !kindOf(response).isUndo && response.action !== 'collectFile' && !isClosed(record.status);
