/** What an entry of the audit log says of each action on cases, responses, reviews and many things at once. In the order of the actions. */
import type { bulkApi } from '@parapet/contract/bulk.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import type { Added, Asked, Change, NothingMore, Removed } from './audit.changes.ts';

interface Text {
  id: number;
  text: string;
}
interface Note extends Text {
  isInternal: boolean;
}
interface Rule {
  action: string | null;
  deviceType: string | null;
  approvers: string;
}
/** A step of a response: what it was, what it is, and why. */
type Step = Change<{ id: number; state: string }, { id: number; state: string; detail?: string; note?: string }>;

/** Those that leave a trace in a case too. */
export interface CaseActions {
  'case.alertAdded': Change<{ caseId: number | null }, { alertId: number; caseId: number }>;
  'case.alertMoved': Change<{ alertId: number; caseId: number }>;
  'case.answered': Added<{ action: string; recipient: string }>;
  'case.assigned': Change<{ analystUserId: number | null; status: CaseStatus }>;
  'case.breachTold': NothingMore;
  'case.changeUndone': Change<{ status: CaseStatus; analystUserId: number | null }, object>;
  'case.closed': StatusChange;
  'case.decisioningJudged': Change<{ isCorrect: boolean | null; notes: string }>;
  'case.excluded': Change<{ isExcluded: boolean }>;
  'case.investigationChanged': Change<
    { investigationStatus: number },
    { investigationStatus: number; waitHours?: number | undefined }
  >;
  'case.mailed': Added<{ mail: number; to: readonly string[]; cc: readonly string[] }>;
  'case.markedIncorrect': Added<{ notes: string }>;
  'case.narrativeSaved': { before?: Text; after: Text };
  'case.noLongerExcluded': Change<{ isExcluded: boolean }>;
  'case.noteSaved': { before?: Note; after: Note };
  'case.reopened': StatusChange;
  'case.statusChanged': StatusChange;
  'case.waitEnded': NothingMore;
  'response.acknowledged': Step;
  'response.approved': Step;
  'response.approvedByOne': Added<{ id: number; note: string }>;
  'response.expired': Step;
  'response.failed': Step;
  'response.released': Step;
  'response.requested': Added<{ id: number; action: string; target: string; device: string | null; state: string }>;
  'response.takenBack': Step;
  'response.verified': Step;
  'review.assigned': Change<{ analystUserId: number | null }>;
  'review.decided': Change<{ decisionId: number | null; notes: string }>;
  'task.added': Added<{ taskNumber: number; action: string; target: string; device: string | null }>;
}
type StatusChange = Change<{ status: CaseStatus; investigationStatus: number }>;

export interface CaseworkActions extends CaseActions {
  'approvalPolicy.changed': Change<{ isSingleOperator: boolean }>;
  'approvalRule.added': Added<InputOf<typeof responseRequestsApi.addRule>['body']>;
  'approvalRule.removed': Removed<Rule>;
  'asset.protected': Added<InputOf<typeof responseRequestsApi.addProtected>['body']>;
  'asset.unprotected': Removed<{ kind: string; value: string; reason: string }>;
  'bulk.assign': Bulk;
  'bulk.seen': Bulk;
  'bulk.status': Bulk;
  'bulk.suppress': Bulk;
  'bulk.undone': NothingMore;
  'bulk.unseen': Bulk;
  'case.exported': NothingMore;
  'case.read': NothingMore;
  'cases.exported': Added<Asked>;
  'response.fileTaken': Added<{ path: string; sha256: string }>;
  'response.pathIssued': Added<{ user: string }>;
  'tasks.executed': Added<{ taskNumbers: readonly number[] }>;
}
type Bulk = Added<{ total: number; change: BulkChange; which: object }>;
type BulkChange = InputOf<typeof bulkApi.cases>['body']['change'] | InputOf<typeof bulkApi.alerts>['body']['change'];
