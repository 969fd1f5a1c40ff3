/** Secrets of connections, sealed for their organisation and row. */
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Values } from './connections.values.ts';

export const placeOfSecrets = (organisationId: number, id: number) =>
  ({ organisationId, column: 'connections.secrets', id }) as const;

/** Data keys are only accessible in the portal's own scope. */
export const createVault = (db: Database, keys: Pick<Keys, 'seal' | 'open'>) => ({
  seal: (organisationId: number, id: number, secrets: Values): Promise<Buffer> =>
    scoped(db, 'system', (tx) => keys.seal(tx, placeOfSecrets(organisationId, id), JSON.stringify(secrets))),

  async open({ id, organisationId, secrets }: { id: number; organisationId: number; secrets: Buffer }): Promise<Values> {
    const opened = await readScoped(db, 'system', (tx) => keys.open(tx, placeOfSecrets(organisationId, id), secrets));
    return JSON.parse(opened.toString()) as Values;
  },
});
