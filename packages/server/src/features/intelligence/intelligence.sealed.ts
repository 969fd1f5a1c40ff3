import type { SealedColumn } from '../../core/keys/columns.ts';

/** Sealed columns of this feature. */
export const intelligenceColumns = {
  'intelligence_feeds.secret': { id: 'id', type: 'integer', organisation: null },
} as const satisfies Record<string, SealedColumn>;

type Own = typeof intelligenceColumns;
declare module '../../core/keys/columns.ts' {
  interface SealedColumns extends Own {}
}
