/** What is done to one organisation's alerts as a whole is done by one transaction at a time, so that none waits for another crosswise. */
import { sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';

/** For whoever raises or marks alerts: their folds and figures change with them. Held until the transaction ends; several organisations by id. */
export async function lockAlerts(tx: Tx, organisationId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(7302, ${organisationId})`.execute(tx);
}

/** For whoever decides which alerts a case has, or counts on it. Taken before the lock of the alerts. */
export async function lockCorrelation(tx: Tx, organisationId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(7304, ${organisationId})`.execute(tx);
}
