/** Secrets of connections, sealed for their organisation and row. */
import type { Database } from '../../core/db/connect.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { createVaultOf } from '../../domain/vault.ts';

export const placeOfSecrets = (organisationId: number, id: number) =>
  ({ organisationId, column: 'connections.secrets', id }) as const;

export const createVault = (db: Database, keys: Pick<Keys, 'seal' | 'open'>) => createVaultOf(placeOfSecrets, db, keys);
