/** Audit actions of this feature, each with its before and after. */
import type { GroupingState } from '@parapet/contract/caseGrouping.ts';
import type { IdentityRule } from '@parapet/contract/identities.ts';
import type { Added, Change } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'identity.merged': Added<{ name: string; sameAs: string; reason: string }>;
    'caseGrouping.drafted': Added<{ version: number; note: string; parameters: string[]; common: number }>;
    'caseGrouping.stateChanged': Change<{ version: number; state: GroupingState }, { state: GroupingState; why: string }>;
    'identity.ruleSwitched': Added<Pick<IdentityRule, 'kind' | 'name' | 'isActive' | 'reason'>>;
  }
}
