/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface CaseActions {
    'case.answered': Added<{ action: string; recipient: string }>;
    'case.mailed': Added<{ mail: number; to: readonly string[]; cc: readonly string[] }>;
  }
}
