/** Audit actions of this feature, each with its before and after. */
import type { AnalystRates } from '@parapet/contract/analystTime.ts';
import type { RuleState } from '@parapet/contract/detectionRules.ts';
import type { Added, Change, Instant, Removed } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'analystTime.changed': Change<AnalystRates>;
    'rule.drafted': Added<{ version: number; note: string; yaml: string }>;
    'rule.stateChanged': Change<{ version: number; state: RuleState }, { state: RuleState; why: string }>;
    'rule.overridden': Change<Override | null>;
    'rule.exceptionAdded': Added<{ ruleID: string; yaml: string; reason: string; endTime: Instant }>;
    'rule.exceptionEnded': Change<{ endTime: Instant }>;
    'rule.testAdded': Added<{ ruleID: string; name: string; isMatch: boolean }>;
    'rule.testRemoved': Removed<{ ruleID: string; name: string; isMatch: boolean }>;
  }
}

interface Override {
  isOn: boolean | null;
  criticality: number | null;
  reason: string;
}
