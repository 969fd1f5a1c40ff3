/** For limits of one user: what many requests at once add is counted one by one. */
import type { Scope, Tx } from './scope.ts';
import { within } from './within.ts';

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
