/**
 * What a change of status, analyst or investigation means for a case, in the transaction of whoever asks: one person on a page, a bulk job, a
 * reviewer, a client by mail. Saying again what is so already changes nothing and is no error.
 */
import { problem } from '@parapet/contract/problem.ts';
import {
  type CaseStatus,
  defaultWaitHours,
  investigationStatusIds,
  investigationStatusName,
  isClosed,
  mayFollow,
  statusLabel,
} from '@parapet/contract/rules/cases.ts';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type CaseChange, type CaseRecord, changeCase } from './cases.changes.ts';
import { acknowledged, contained, isWaiting, reopened, waitBegun, waitEnded } from './cases.clocks.ts';

export interface Analyst {
  id: number;
  /** First initial and surname. */
  displayName: string;
  emailAddress: string;
}

/** Told inside the transaction, whatever its scope, so that who wants to tell others of it notes that with the change. */
export type OnChanged = (
  tx: Tx,
  actor: Actor | undefined,
  changes: readonly { before: CaseRecord; after: CaseRecord }[],
) => Promise<void>;

export interface TransitionDeps {
  clock: Clock;
  onChanged: OnChanged;
  requestReview: (tx: Tx, record: CaseRecord, closedAt: Date) => Promise<void>;
  /** Undefined for whom the case cannot be given to. */
  findAnalyst: (tx: Tx, actor: Actor, organisationId: number, userId: number) => Promise<Analyst | undefined>;
}

const unassigned = { analyst_user_id: null, analyst_name: '', analyst_email: '' };

export interface StatusAlso {
  investigation_status?: number;
  text?: string;
}

export const isClosing = (record: CaseRecord, status: CaseStatus): boolean => isClosed(status) && !isClosed(record.status);

/** What a status means for a case, whether it may follow or not. */
export function statusChange(
  now: number,
  actor: Actor | undefined,
  record: CaseRecord,
  status: CaseStatus,
  { text, ...columns }: StatusAlso = {},
): CaseChange {
  const closes = isClosing(record, status);
  const opens = !isClosed(status) && isClosed(record.status);
  return {
    set: {
      status,
      ...columns,
      ...(status === 'open' ? {} : acknowledged(record, now)),
      ...(status === 'open' ? unassigned : {}),
      ...(opens ? reopened(record, now) : {}),
      ...(closes
        ? {
            ...waitEnded(record, now),
            ...contained(record, now),
            closed_at: new Date(now),
            closed_by: actor?.userId ?? null,
            closed_by_name: actor?.displayName ?? '',
          }
        : {}),
    },
    action: closes ? 'case.closed' : opens ? 'case.reopened' : 'case.statusChanged',
    history: { kind: 'status', text: text ?? `Status changed from ${statusLabel(record.status)} to ${statusLabel(status)}` },
    before: { status: record.status, investigationStatus: record.investigation_status },
    after: { status, investigationStatus: columns.investigation_status ?? record.investigation_status },
  };
}

/** What it means for a case to be given to somebody, or to nobody. */
export function analystChange(now: number, record: CaseRecord, analyst: Analyst | undefined): CaseChange {
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
            ...acknowledged(record, now),
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

/** Why that status cannot follow; undefined where it can. */
export const statusFault = (record: CaseRecord, status: CaseStatus): string | undefined =>
  mayFollow(record.status, status)
    ? undefined
    : `Case ${record.id} is "${statusLabel(record.status)}" and cannot become "${statusLabel(status)}" from there. Look at where it stands and choose another status.`;

export const analystFault = (userId: number): string =>
  `User ${userId} cannot be given cases of this client. Choose one of the analysts that the list offers.`;

export type Transitions = ReturnType<typeof createTransitions>;

export function createTransitions({ clock, onChanged, requestReview, findAnalyst }: TransitionDeps) {
  const setStatus = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord,
    status: CaseStatus,
    also: StatusAlso = {},
  ): Promise<CaseRecord> => {
    const now = clock.now();
    const after = await changeCase(tx, clock, actor, record, statusChange(now, actor, record, status, also));
    if (isClosing(record, status)) await requestReview(tx, after, new Date(now));
    await onChanged(tx, actor, [{ before: record, after }]);
    return after;
  };

  return {
    /** Throws conflict where that status cannot follow. */
    async applyStatus(tx: Tx, actor: Actor | undefined, record: CaseRecord, status: CaseStatus): Promise<CaseRecord> {
      if (record.status === status) return record;
      const fault = statusFault(record, status);
      if (fault) throw problem.conflict(fault);
      return setStatus(tx, actor, record, status);
    },

    /** Opens a closed case again, whatever the table says; an open one is set to what the caller says all the same. */
    async reopen(tx: Tx, actor: Actor | undefined, record: CaseRecord, also: StatusAlso = {}): Promise<CaseRecord> {
      return setStatus(tx, actor, record, 'investigating', also);
    },

    /** Throws invalid for a user who cannot be given the client's cases. */
    async applyAnalyst(tx: Tx, actor: Actor, record: CaseRecord, analystUserId: number | null): Promise<CaseRecord> {
      if (record.analyst_user_id === analystUserId) return record;
      const analyst = analystUserId === null ? undefined : await findAnalyst(tx, actor, record.organisation_id, analystUserId);
      if (analystUserId !== null && !analyst) throw problem.invalid({ analystUserAccountID: [analystFault(analystUserId)] });
      const after = await changeCase(tx, clock, actor, record, analystChange(clock.now(), record, analyst));
      if (analyst) await onChanged(tx, actor, [{ before: record, after }]);
      return after;
    },

    /** 3, waiting for the client, stops the clocks for so many hours at most; said again with hours, the wait is measured anew. */
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
        throw problem.conflict(`Case ${record.id} is closed, so it waits for nobody. Open it again first.`);
      }
      const hours = waitHours ?? defaultWaitHours;
      return changeCase(tx, clock, actor, record, {
        set: {
          investigation_status: investigationStatus,
          ...(investigationStatus === investigationStatusIds.notStarted ? {} : acknowledged(record, now)),
          ...(waits ? waitBegun(record, now, hours) : waitEnded(record, now)),
        },
        action: 'case.investigationChanged',
        history: {
          kind: 'status',
          text: `Investigation: ${investigationStatusName(investigationStatus)}${waits ? `, for ${hours} hours at most` : ''}`,
        },
        before: { investigationStatus: record.investigation_status },
        after: { investigationStatus, ...(waits && { waitHours: hours }) },
      });
    },
  };
}
