import type { Tx } from '../core/db/scope.ts';

/** True when the organisation exists within the scope of the transaction. */
export const hasOrganisation = async (tx: Tx, id: number): Promise<boolean> =>
  (await tx.selectFrom('organisations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
