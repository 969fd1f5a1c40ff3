/** Interfaces between cases and other features. */
import type { Closing } from '@parapet/contract/caseClosing.ts';
import type { CaseDetail, CaseTask, Decisioning, Response, TimelineEntry } from '@parapet/contract/caseDetail.ts';
import type { Analyst, CaseRow, Clock as SlaTimer } from '@parapet/contract/caseList.ts';
import type { EmergencyContact } from '@parapet/contract/organisations.ts';
import type { CaseStatus, StatedResolution } from '@parapet/contract/rules/cases.ts';
import type { Selectable, Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { SigningKey } from '../../core/keys/signing.ts';
import type { AuditChange, CaseActions } from '../../domain/audit.ts';
import type { PdfBrand } from '../../domain/pdf.ts';
import type { AlertsService } from '../alerts/alerts.service.ts';

export type CaseRecord = Selectable<Tables['cases']>;

/** Audit entry of a change and its entry on the case's timeline; without `history` the timeline omits the change. */
export type CaseLogEntry = AuditChange<keyof CaseActions> & {
  history?: { kind: TimelineEntry['kind']; text: string; isInternal?: boolean };
};

export type CaseChange = CaseLogEntry & { set?: Updateable<Tables['cases']> };

/** Offered: locks and writes cases in the caller's transaction. An undefined actor is the portal itself. */
export interface CaseAccess {
  /** Throws notFound outside the scope. */
  find(tx: Tx, scope: Scope, id: number): Promise<CaseRecord>;
  /** Locks the case until the transaction ends. Throws notFound outside the scope. */
  lock(tx: Tx, scope: Scope, id: number): Promise<CaseRecord>;
  /** Writes the next version and its log entry, and notifies live screens. Returns the changed case. */
  change(tx: Tx, actor: Actor | undefined, record: CaseRecord, change: CaseChange): Promise<CaseRecord>;
  /** Writes a log entry and notifies live screens; the row is unchanged. */
  recordHistory(tx: Tx, actor: Actor | undefined, record: CaseRecord, entry: CaseLogEntry): Promise<void>;
  /** Columns that stop the containment timer by a verified containment now; empty once it has stopped. */
  containedNow(record: CaseRecord): NonNullable<CaseChange['set']>;
  /** Row of the case list. Throws notFound outside the scope. */
  getRow(tx: Tx, scope: Scope, id: number): Promise<CaseRow>;
}

/** Resolution as the caller gave it; people of the client give no reason. */
export type Resolving = Pick<Closing, 'resolution' | 'reason'> & Partial<Pick<Closing, 'answers'>>;

/** Values that a status change sets beside the status; `text` replaces the default timeline text. */
export interface StatusAlso {
  investigation_status?: number;
  /** Of a closing status. */
  closing?: Resolving | undefined;
  text?: string;
}

/** Offered: changes of status and investigation with all their effects. Repeating a change is a no-op. */
export interface CaseTransitions {
  /** Throws conflict for a status that cannot follow the current one, invalid for a resolution that leaves questions open. */
  applyStatus(tx: Tx, actor: Actor | undefined, record: CaseRecord, status: CaseStatus, closing?: Resolving): Promise<CaseRecord>;
  /** Throws conflict for a wait on a closed case. `waitHours` limits the wait for the client. */
  applyInvestigation(
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord,
    investigationStatus: number,
    waitHours?: number,
  ): Promise<CaseRecord>;
  /** Sets a case to investigating from any status. */
  reopen(tx: Tx, actor: Actor | undefined, record: CaseRecord, also?: StatusAlso): Promise<CaseRecord>;
}

/** A note that was written in another system. */
export interface OutsideNote {
  author: string;
  /** Name of the system. */
  source: string;
  text: string;
  isInternal: boolean;
}

/** Offered to deliveries and connections: changes of cases that people made in another system. The transaction has the system scope. */
export interface OutsideCases {
  /** Locks the case until the transaction ends; undefined for a case that is no more. */
  lock(tx: Tx, organisationId: number, id: number): Promise<CaseRecord | undefined>;
  /** Applies a status, or returns the reason for which the rules forbid it. `by` ends the sentence on the timeline. */
  applyStatus(
    tx: Tx,
    record: CaseRecord,
    status: CaseStatus,
    by: string,
    /** Of a closing status; not stated without it. */
    resolution?: StatedResolution,
  ): Promise<{ after: CaseRecord } | { fault: string }>;
  addNote(tx: Tx, record: CaseRecord, note: OutsideNote): Promise<void>;
  /** Writes a line of its own on the timeline: people reopened an incident of a vendor there. */
  incidentReopened(tx: Tx, record: CaseRecord, incident: string): Promise<void>;
}

/** Needed from mail subscriptions: called in the transaction of a change, so that notices commit with it. */
export type OnChanged = (
  tx: Tx,
  actor: Actor | undefined,
  changes: readonly { before: CaseRecord; after: CaseRecord }[],
) => Promise<void>;

/** A case whose next SLA timer is about to run out (`clock.state` is warning) or has run out (breached). */
export interface NotifiedSla {
  record: CaseRecord;
  clock: SlaTimer;
}
/** Needed from mail subscriptions and deliveries: called in a transaction with the system scope. */
export type OnSlaNotified = (tx: Tx, notified: readonly NotifiedSla[]) => Promise<void>;

export type ReviewRecord = Selectable<Tables['case_reviews']>;

/** Needed from reviews. */
export interface CaseReviews {
  /** Requests a review of a closed case, or its old review again. */
  requestReview(tx: Tx, record: CaseRecord, closedAt: Date): Promise<void>;
  requestReviews(tx: Tx, records: readonly CaseRecord[], closedAt: Date): Promise<void>;
  putDecision(tx: Tx, review: ReviewRecord, decision: { decisionId: number; notes: string; at: Date; by: number }): Promise<void>;
}

/** Returns undefined for a user who cannot be given this organisation's cases. */
export type FindAnalyst = (tx: Tx, actor: Actor, organisationId: number, userId: number) => Promise<Analyst | undefined>;

export interface PlacedAlert {
  id: number;
  at: Date;
  ruleId: number;
  criticality: number;
}
/** Needed from correlation: moves an alert between cases and recomputes both. The caller holds both case locks. */
export type MoveAlert = (
  tx: Tx,
  organisationId: number,
  alert: PlacedAlert,
  cases: { from: number | undefined; to: number },
  now: Date,
) => Promise<void>;

/** Needed from alerts, organisations, responses, decisioning and brand: parts of a case's page and report. */
export interface CasePageSources {
  rowsOf: AlertsService['rowsOf'];
  contactsOf: (tx: Tx, scope: Scope, organisationId: number) => Promise<EmergencyContact[]>;
  escalationOf: (
    tx: Tx,
    scope: Scope,
    organisationId: number,
  ) => Promise<CaseDetail['clientOrganizationDetails']['escalationEmailAddresses']>;
  responsesOf: (tx: Tx, scope: Scope, caseId: number) => Promise<Response[]>;
  tasksOf: (tx: Tx, scope: Scope, caseId: number) => Promise<CaseTask[]>;
  /** Decisioning's verdict with each sentence checked against its stored event. */
  verified: (tx: Tx, scope: Scope, record: CaseRecord, isInternal: boolean) => Promise<Decisioning | null>;
}
/** Name and address of the portal under the brand of an organisation. */
export type SourceOf = (organisationId: number) => Promise<{ name: string; origin: string }>;
/** Key that signs archives of cases. */
export type ArchiveKey = () => Promise<SigningKey>;
export type BrandOf = (organisationId: number) => Promise<PdfBrand>;
