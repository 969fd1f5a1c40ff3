/**
 * Changes of status, analyst and investigation with their effects on a case, in the caller's transaction: a page, a bulk job, a review, a client's
 * answer by email. Repeating a change is a no-op.
 */
import { problem } from '@parapet/contract/problem.ts';
import {
  type CaseStatus,
  defaultWaitHours,
  investigationStatusIds,
  investigationStatusName,
  isClosed,
  mayFollow,
  resolutionLabel,
  statusLabel,
} from '@parapet/contract/rules/cases.ts';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { findFormerAnalyst } from './cases.analysts.ts';
import { changeCase } from './cases.changes.ts';
import { acknowledged, contained, isWaiting, reopened, waitBegun, waitEnded } from './cases.clocks.ts';
import { answersTo, checkClosing, containmentReason, listOpenItems, reasonsEntry } from './cases.closing.ts';
import type {
  CaseChange,
  CaseRecord,
  CaseReviews,
  CaseTransitions,
  FindAnalyst,
  OnChanged,
  Resolving,
  StatusAlso,
} from './cases.ports.ts';

export interface TransitionDeps {
  clock: Clock;
  onChanged: OnChanged;
  requestReview: CaseReviews['requestReview'];
  findAnalyst: FindAnalyst;
}

const unassigned = { analyst_user_id: null, analyst_name: '', analyst_email: '' };

export const isClosing = (record: CaseRecord, status: CaseStatus): boolean => isClosed(status) && !isClosed(record.status);

/** Columns and log entry of a status change, without the check that the status may follow. */
export function statusChange(
  now: number,
  actor: Actor | undefined,
  record: CaseRecord,
  status: CaseStatus,
  { text, closing, ...columns }: StatusAlso = {},
): CaseChange {
  const closes = isClosing(record, status);
  const opens = !isClosed(status) && isClosed(record.status);
  const resolution = closes ? (closing?.resolution ?? 'notStated') : opens ? null : record.resolution;
  const stated = closes && closing ? `: ${resolutionLabel(closing.resolution)}` : '';
  return {
    set: {
      status,
      ...columns,
      ...(status === 'open' ? {} : acknowledged(record, now, actor)),
      ...(status === 'open' ? unassigned : {}),
      ...(opens ? reopened(record, now) : {}),
      ...(closes
        ? {
            ...waitEnded(record, now),
            ...(closing && containmentReason(closing) !== undefined ? contained(record, now, 'notNeeded') : {}),
            resolution,
            resolution_reason: closing?.reason || null,
            closed_at: new Date(now),
            closed_by: actor?.userId ?? null,
            closed_by_name: actor?.displayName ?? '',
          }
        : {}),
    },
    action: closes ? 'case.closed' : opens ? 'case.reopened' : 'case.statusChanged',
    history: {
      kind: 'status',
      text: text ?? `Status changed from ${statusLabel(record.status)} to ${statusLabel(status)}${stated}`,
    },
    before: { status: record.status, investigationStatus: record.investigation_status, resolution: record.resolution },
    after: { status, investigationStatus: columns.investigation_status ?? record.investigation_status, resolution },
  };
}

/** Columns and log entry of an assignment; undefined unassigns. */
export function analystChange(
  now: number,
  actor: Actor,
  record: CaseRecord,
  analyst: Awaited<ReturnType<FindAnalyst>>,
): CaseChange {
  const status = analyst
    ? record.status === 'open'
      ? 'assigned'
      : record.status
    : record.status === 'assigned'
      ? 'open'
      : record.status;
  return {
    set: {
      ...(analyst
        ? {
            analyst_user_id: analyst.id,
            analyst_name: analyst.displayName,
            analyst_email: analyst.emailAddress,
            ...acknowledged(record, now, actor),
          }
        : unassigned),
      status,
    },
    action: 'case.assigned',
    history: {
      kind: 'assignment',
      text: analyst ? `Assigned to ${analyst.displayName}` : `No longer assigned to ${record.analyst_name}`,
    },
    before: { analystUserId: record.analyst_user_id, status: record.status },
    after: { analystUserId: analyst?.id ?? null, status },
  };
}

/** Error text for a status that cannot follow the current one; undefined otherwise. */
export const statusFault = (record: CaseRecord, status: CaseStatus): string | undefined =>
  mayFollow(record.status, status)
    ? undefined
    : `Case ${record.id} is "${statusLabel(record.status)}" and cannot become "${statusLabel(status)}". Select another status.`;

export const analystFault = (userId: number): string =>
  `User ${userId} cannot be assigned cases of this client. Select an analyst from the list.`;

export interface Transitions extends CaseTransitions {
  /** Throws invalid for a user who cannot be assigned the client's cases, unless it undoes the actor's own assignment; null unassigns. */
  applyAnalyst(tx: Tx, actor: Actor, record: CaseRecord, analystUserId: number | null): Promise<CaseRecord>;
  /** Ends the timer to acknowledge, and escalations; status and analyst stay. */
  acknowledge(tx: Tx, actor: Actor, record: CaseRecord): Promise<CaseRecord>;
  /** Without a check of the rules. */
  setStatus(tx: Tx, actor: Actor | undefined, record: CaseRecord, status: CaseStatus, also?: StatusAlso): Promise<CaseRecord>;
}

/** Sets a status with its effects, without a check of the rules. */
const createSetStatus =
  ({
    clock,
    onChanged,
    requestReview,
  }: Pick<TransitionDeps, 'clock' | 'onChanged' | 'requestReview'>): Transitions['setStatus'] =>
  async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord,
    status: CaseStatus,
    also: StatusAlso = {},
  ): Promise<CaseRecord> => {
    const now = clock.now();
    const reasons = also.closing && isClosing(record, status) ? reasonsEntry(also.closing) : undefined;
    const after = await changeCase(tx, clock, actor, record, statusChange(now, actor, record, status, also), reasons);
    if (isClosing(record, status)) await requestReview(tx, after, new Date(now));
    await onChanged(tx, actor, [{ before: record, after }]);
    return after;
  };

export function createTransitions({ clock, onChanged, requestReview, findAnalyst }: TransitionDeps): Transitions {
  const setStatus = createSetStatus({ clock, onChanged, requestReview });

  return {
    setStatus,

    async applyStatus(
      tx: Tx,
      actor: Actor | undefined,
      record: CaseRecord,
      status: CaseStatus,
      closing?: Resolving,
    ): Promise<CaseRecord> {
      if (record.status === status) return record;
      const fault = statusFault(record, status);
      if (fault) throw problem.conflict(fault);
      if (!closing || !isClosing(record, status)) return setStatus(tx, actor, record, status);
      const items = (await listOpenItems(tx, [record])).get(record.id) ?? [];
      if (actor) checkClosing(actor, record, items, closing);
      return setStatus(tx, actor, record, status, { closing: { ...closing, answers: answersTo(items, closing) } });
    },

    async reopen(tx: Tx, actor: Actor | undefined, record: CaseRecord, also: StatusAlso = {}): Promise<CaseRecord> {
      return setStatus(tx, actor, record, 'investigating', also);
    },

    async applyAnalyst(tx: Tx, actor: Actor, record: CaseRecord, analystUserId: number | null): Promise<CaseRecord> {
      if (record.analyst_user_id === analystUserId) return record;
      const analyst =
        analystUserId === null
          ? undefined
          : ((await findAnalyst(tx, actor, record.organisation_id, analystUserId)) ??
            (await findFormerAnalyst(tx, actor, record, analystUserId)));
      if (analystUserId !== null && !analyst) throw problem.invalid({ analystUserAccountID: [analystFault(analystUserId)] });
      const after = await changeCase(tx, clock, actor, record, analystChange(clock.now(), actor, record, analyst));
      await onChanged(tx, actor, [{ before: record, after }]);
      return after;
    },

    async acknowledge(tx: Tx, actor: Actor, record: CaseRecord): Promise<CaseRecord> {
      if (record.acknowledged_at !== null) return record;
      if (isClosed(record.status)) throw problem.conflict(`Case ${record.id} is closed and needs no acknowledgement.`);
      const after = await changeCase(tx, clock, actor, record, {
        set: acknowledged(record, clock.now(), actor),
        action: 'case.acknowledged',
        history: { kind: 'status', text: 'Acknowledged' },
        after: { acknowledged: true },
      });
      await onChanged(tx, actor, [{ before: record, after }]);
      return after;
    },

    /** Waiting for the client pauses the SLA timers for at most `waitHours`; repeating it with hours restarts the wait. */
    async applyInvestigation(
      tx: Tx,
      actor: Actor | undefined,
      record: CaseRecord,
      investigationStatus: number,
      waitHours?: number,
    ): Promise<CaseRecord> {
      const now = clock.now();
      const waits = investigationStatus === investigationStatusIds.waitingForClient;
      const isSame = record.investigation_status === investigationStatus;
      if (isSame && !(waits && (waitHours !== undefined || !isWaiting(record, now)))) return record;
      if (waits && isClosed(record.status)) {
        throw problem.conflict(`Case ${record.id} is closed and cannot wait for the client. Reopen it first.`);
      }
      const hours = waitHours ?? defaultWaitHours;
      return changeCase(tx, clock, actor, record, {
        set: {
          investigation_status: investigationStatus,
          ...(investigationStatus === investigationStatusIds.notStarted ? {} : acknowledged(record, now, actor)),
          ...(waits ? waitBegun(record, now, hours) : waitEnded(record, now)),
        },
        action: 'case.investigationChanged',
        history: {
          kind: 'status',
          text: `Investigation: ${investigationStatusName(investigationStatus)}${waits ? `, for at most ${hours} hours` : ''}`,
        },
        before: { investigationStatus: record.investigation_status },
        after: { investigationStatus, ...(waits && { waitHours: hours }) },
      });
    },
  };
}
