/** Audit actions of this feature, each with its before and after. */
import type { Added, Change } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'rulePack.requested': Added<{ name: string; origin: 'archive' | 'git'; address: string; version: string }>;
    'rulePack.accepted': Added<{
      name: string;
      version: string;
      state: string;
      severities: readonly string[];
      taken: number;
      retired: number;
      why: string;
    }>;
    'rulePack.decided': Change<{ ruleID: string; decision: string | null }>;
    'rulePack.discarded': Added<{ name: string }>;
    'rulePack.stateChanged': Added<{ state: string; changed: number; why: string }>;
    'rulePack.downloaded': Added<{ pack: string; rules: number }>;
  }
}
