/** Audit actions of this feature, each with its before and after. */
import type { Closing } from '@parapet/contract/caseClosing.ts';
import type { CaseStatus, Resolution } from '@parapet/contract/rules/cases.ts';
import type { Added, Change, NoDetails, QueryInput } from '../../domain/audit.changes.ts';

interface Text {
  id: number;
  text: string;
}
interface Note extends Text {
  isInternal: boolean;
}
type StatusChange = Change<{ status: CaseStatus; investigationStatus: number; resolution: Resolution | null }>;

declare module '../../domain/audit.ts' {
  interface CaseActions {
    'case.acknowledged': Added<{ acknowledged: true }>;
    'case.alertAdded': Change<{ caseId: number | null }, { alertId: number; caseId: number }>;
    'case.alertMoved': Change<{ alertId: number; caseId: number }>;
    'case.assigned': Change<{ analystUserId: number | null; status: CaseStatus }>;
    'case.breachTold': NoDetails;
    'case.changeUndone': Change<{ status: CaseStatus; analystUserId: number | null }, object>;
    'case.closed': StatusChange;
    'case.excluded': Change<{ isExcluded: boolean }>;
    /** By people at the vendor. */
    'case.incidentReopened': Added<{ incident: string }>;
    'case.investigationChanged': Change<
      { investigationStatus: number },
      { investigationStatus: number; waitHours?: number | undefined }
    >;
    'case.narrativeSaved': { before?: Text; after: Text };
    'case.noLongerExcluded': Change<{ isExcluded: boolean }>;
    'case.noteSaved': { before?: Note; after: Note };
    'case.answerSeen': NoDetails;
    'case.reopened': StatusChange;
    'case.resolved': Added<Closing>;
    'case.statusChanged': StatusChange;
    'case.waitEnded': NoDetails;
  }

  interface AuditActions {
    /** `all` with internal contents. */
    'case.exported': Added<{ contents: 'client' | 'all' }>;
    'case.read': NoDetails;
    'cases.exported': Added<QueryInput>;
  }
}
