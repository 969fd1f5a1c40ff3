/** Audit actions of this feature, each with its before and after. */
import type { BillingMeasure, CorrectedMeasure } from '@parapet/contract/rules/billing.ts';
import type { Added, Change } from '../../domain/audit.changes.ts';

interface Line {
  measure: BillingMeasure;
  label: string;
}
interface Confirmed {
  month: string;
  measure: BillingMeasure;
  current: number;
  quantity: number;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'billing.corrected': Added<{ month: string; measure: CorrectedMeasure; amount: number; reason: string }>;
    'billing.linesSet': Change<readonly Line[]>;
    'billing.confirmed': Added<{ target: number; lines: readonly Confirmed[] }>;
    'billing.exported': Added<{ month: string }>;
  }
}
