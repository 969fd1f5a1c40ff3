/** Audit actions of this feature, each with its before and after. */
import type { RetentionState } from '@parapet/contract/retention.ts';
import type { Added, Change } from '../../domain/audit.changes.ts';

type Requested = Added<{ reason: string }>;
type Decided = Added<{ request: number }>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'retention.eraseConfirmed': Decided;
    'retention.eraseRefused': Decided;
    'retention.eraseRequested': Requested;
    'retention.holdConfirmed': Decided;
    'retention.holdRefused': Decided;
    'retention.holdRequested': Requested;
    'retention.liftConfirmed': Decided;
    'retention.liftRefused': Decided;
    'retention.liftRequested': Requested;
    'retention.limitsSaved': Change<RetentionState['limits']>;
    'retention.saved': Change<RetentionState['choice']>;
  }
}
