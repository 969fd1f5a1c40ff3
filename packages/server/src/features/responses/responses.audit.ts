/** Audit actions of this feature, each with its before and after. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { Added, Change, Removed } from '../../domain/audit.changes.ts';

interface Rule {
  action: string | null;
  deviceType: string | null;
  approvers: string;
}
/** A response before and after a step, and the reason. */
type Step = Change<{ id: number; state: string }, { id: number; state: string; detail?: string; note?: string }>;

declare module '../../domain/audit.ts' {
  interface CaseActions {
    'response.acknowledged': Step;
    'response.approved': Step;
    'response.approvedByOne': Added<{ id: number; note: string }>;
    'response.expired': Step;
    'response.failed': Step;
    'response.released': Step;
    'response.requested': Added<{ id: number; action: string; target: string; device: string | null; state: string }>;
    'response.takenBack': Step;
    'response.verified': Step;
    'task.added': Added<{ taskNumber: number; action: string; target: string; device: string | null }>;
  }

  interface AuditActions {
    'approvalPolicy.changed': Change<{ isSingleOperator: boolean }>;
    'approvalRule.added': Added<InputOf<typeof responseRequestsApi.addRule>['body']>;
    'approvalRule.removed': Removed<Rule>;
    'asset.protected': Added<InputOf<typeof responseRequestsApi.addProtected>['body']>;
    'asset.unprotected': Removed<{ kind: string; value: string; reason: string }>;
    'response.fileTaken': Added<{ path: string; sha256: string }>;
    'response.pathIssued': Added<{ user: string }>;
    'tasks.executed': Added<{ taskNumbers: readonly number[] }>;
  }
}
