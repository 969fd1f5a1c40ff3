/** Secret values of a row, sealed for its organisation. Data keys are only accessible in the portal's own scope. */
import type { Database } from '../core/db/connect.ts';
import { readScoped, scoped } from '../core/db/scope.ts';
import type { Place } from '../core/keys/columns.ts';
import type { Keys } from '../core/keys/keys.ts';

export type Values = Record<string, string>;

export const createVaultOf = (
  placeOf: (organisationId: number, id: number) => Place,
  db: Database,
  keys: Pick<Keys, 'seal' | 'open'>,
) => ({
  seal: (organisationId: number, id: number, secrets: Values): Promise<Buffer> =>
    scoped(db, 'system', (tx) => keys.seal(tx, placeOf(organisationId, id), JSON.stringify(secrets))),

  async open({ id, organisationId, secrets }: { id: number; organisationId: number; secrets: Buffer }): Promise<Values> {
    const opened = await readScoped(db, 'system', (tx) => keys.open(tx, placeOf(organisationId, id), secrets));
    return JSON.parse(opened.toString()) as Values;
  },
});
