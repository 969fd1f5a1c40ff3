import type { SealedColumn } from '../../core/keys/columns.ts';

/** Sealed columns of this feature. */
export const connectionsColumns = {
  'connections.secrets': { id: 'id', type: 'integer', organisation: 'organisation_id' },
  'vendor_applications.client_secret': { id: 'organisation_id', type: 'integer', organisation: 'organisation_id' },
} as const satisfies Record<string, SealedColumn>;

type Own = typeof connectionsColumns;
declare module '../../core/keys/columns.ts' {
  interface SealedColumns extends Own {}
}
