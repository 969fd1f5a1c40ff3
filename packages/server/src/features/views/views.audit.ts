/** Audit actions of this feature, each with its before and after. */
import type { SavedView } from '@parapet/contract/views.ts';
import type { Removed } from '../../domain/audit.changes.ts';

type View = Pick<SavedView, 'list' | 'name' | 'query' | 'columns' | 'isShared' | 'isSharedBelow'>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'view.deleted': Removed<View>;
    'view.saved': { before?: View; after: View };
  }
}
