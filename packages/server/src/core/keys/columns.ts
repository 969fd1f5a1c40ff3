/**
 * Every column that holds sealed values. A value can only be sealed for a column that stands here, so that a rotation finds all of them before it
 * removes a data key.
 */

interface SealedColumn {
  /** Names the row within its table, and is bound into the value. */
  readonly id: string;
  readonly type: 'integer' | 'text' | 'bytea';
  /** null: values are the installation's. */
  readonly organisation: string | null;
  /** Key and bound text of versions before data keys. */
  readonly before?: { readonly purpose: string; readonly about: (id: string) => string };
}

export const sealedColumns = {
  'secrets.value': { id: 'name', type: 'text', organisation: null },
  'users.mfa_secret': {
    id: 'id',
    type: 'integer',
    organisation: 'organisation_id',
    before: { purpose: 'second factor', about: (id) => `second factor of user ${id}` },
  },
  'mfa_challenges.new_secret': { id: 'nonce_hash', type: 'bytea', organisation: 'organisation_id' },
  'identity_providers.client_secret': {
    id: 'organisation_id',
    type: 'integer',
    organisation: 'organisation_id',
    before: { purpose: 'identity providers', about: (id) => `identity-provider ${id}` },
  },
  'mails.sealed_links': { id: 'message_id', type: 'text', organisation: 'organisation_id' },
} as const satisfies Record<string, SealedColumn>;

export type ColumnName = keyof typeof sealedColumns;
export const columnNames = Object.keys(sealedColumns) as ColumnName[];
export const columnOf = (name: ColumnName): SealedColumn => sealedColumns[name];

/** Location that a sealed value is bound to; it opens nowhere else. */
export interface Place {
  /** null: the installation. */
  organisationId: number | null;
  column: ColumnName;
  /** Of the row, as `sealedColumns` names it. */
  id: number | string | Buffer;
}

export const idText = (id: Place['id']): string => (Buffer.isBuffer(id) ? id.toString('hex') : String(id));
