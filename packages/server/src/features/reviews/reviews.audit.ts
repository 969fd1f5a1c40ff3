/** Audit actions of this feature, each with its before and after. */
import type { Added, Change } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface CaseActions {
    'case.decisioningJudged': Change<{ isCorrect: boolean | null; notes: string }>;
    'case.markedIncorrect': Added<{ notes: string }>;
    'review.assigned': Change<{ analystUserId: number | null }>;
    'review.decided': Change<{ decisionId: number | null; notes: string }>;
  }
}
