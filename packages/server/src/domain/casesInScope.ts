import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';

/** True for a case of the scope; row-level security enforces it again. */
export async function hasCase(tx: Tx, scope: Scope, caseId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('cases')
    .select('id')
    .where(within('organisation_id', scope))
    .where('id', '=', caseId)
    .executeTakeFirst();
  return found !== undefined;
}
