/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface CaseActions {
    'case.proposed': Added<{ id: number; kind: 'note' | 'response'; text: string; action?: string; target?: string }>;
    'case.proposalDecided': Added<{ id: number; kind: 'note' | 'response'; isAccepted: boolean; responseId?: number }>;
  }
}
