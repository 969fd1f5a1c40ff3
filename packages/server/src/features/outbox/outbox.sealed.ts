import type { Place, SealedColumn } from '../../core/keys/columns.ts';

/** Sealed columns of this feature. */
export const outboxColumns = {
  'mails.sealed_links': { id: 'message_id', type: 'text', organisation: 'organisation_id' },
} as const satisfies Record<string, SealedColumn>;

type Own = typeof outboxColumns;
declare module '../../core/keys/columns.ts' {
  interface SealedColumns extends Own {}
}

export const linksPlace = (organisationId: number, messageId: string): Place => ({
  organisationId,
  column: 'mails.sealed_links',
  id: messageId,
});
