import type { SealedColumn } from '../../core/keys/columns.ts';

/** Sealed columns of this feature. */
export const authColumns = {
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
} as const satisfies Record<string, SealedColumn>;

type Own = typeof authColumns;
declare module '../../core/keys/columns.ts' {
  interface SealedColumns extends Own {}
}
