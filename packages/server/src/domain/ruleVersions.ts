/** One lock of the versions of rules: an update of a pack judges all of them at once, while people change single ones. */
import { sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';

/** Before a change of one rule; such changes run beside each other. */
export const shareVersions = (tx: Tx): Promise<unknown> =>
  sql`select pg_advisory_xact_lock_shared(hashtext('rule versions'))`.execute(tx);

/** Before a change of many rules by what stands beside them. */
export const lockVersions = (tx: Tx): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtext('rule versions'))`.execute(tx);
