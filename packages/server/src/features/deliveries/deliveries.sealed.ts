import type { SealedColumn } from '../../core/keys/columns.ts';

/** Sealed columns of this feature. */
export const deliveriesColumns = {
  'delivery_targets.secrets': { id: 'id', type: 'integer', organisation: 'organisation_id' },
  'push_subscriptions.subscription': { id: 'id', type: 'integer', organisation: 'organisation_id' },
} as const satisfies Record<string, SealedColumn>;

type Own = typeof deliveriesColumns;
declare module '../../core/keys/columns.ts' {
  interface SealedColumns extends Own {}
}
