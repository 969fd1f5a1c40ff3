/** Audit actions of this feature, each with its before and after. */
import type { IdentityRule } from '@parapet/contract/identities.ts';
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'identity.merged': Added<{ name: string; sameAs: string; reason: string }>;
    'identity.ruleSwitched': Added<Pick<IdentityRule, 'kind' | 'name' | 'isActive' | 'reason'>>;
  }
}
