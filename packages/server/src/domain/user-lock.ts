/** Row lock for limits per user: counts concurrent requests one at a time. */
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';

/** Held until the transaction ends. */
export async function lockUser(tx: Tx, scope: Scope, userId: number): Promise<void> {
  await tx
    .selectFrom('users')
    .where(within('organisation_id', scope))
    .where('id', '=', userId)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst();
}
