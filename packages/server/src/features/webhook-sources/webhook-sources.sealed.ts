import type { SealedColumn } from '../../core/keys/columns.ts';

/** Sealed columns of this feature. */
export const webhookSourcesColumns = {
  'webhook_sources.secret': { id: 'id', type: 'integer', organisation: 'organisation_id' },
} as const satisfies Record<string, SealedColumn>;

type Own = typeof webhookSourcesColumns;
declare module '../../core/keys/columns.ts' {
  interface SealedColumns extends Own {}
}
