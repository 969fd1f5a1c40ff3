/** Advisory locks that serialise changes to all alerts of one organisation, which would deadlock otherwise. */
import { sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';

/** For raising and marking alerts, which change groups and figures. Held until the transaction ends; take several organisations by id. */
export async function lockAlerts(tx: Tx, organisationId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(7302, ${organisationId})`.execute(tx);
}

/** For changes to the alerts of a case, and reads that depend on them. Taken before the lock of the alerts. */
export async function lockCorrelation(tx: Tx, organisationId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(7304, ${organisationId})`.execute(tx);
}
