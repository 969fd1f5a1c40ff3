/** SQL of backups and restores: rows of the installation, without a tenant. */
import { type BackupRun, backupRunKinds } from '@parapet/contract/operations.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import './operations.audit.ts';

/** With the last success of each kind, at most the 50 of the contract. */
const maxRuns = 50 - backupRunKinds.length;

export interface StoredState {
  archivedUntil: Date | null;
  target: string;
  error: string;
  requestedAt: Date | null;
}

export const readState = (tx: Tx): Promise<StoredState> =>
  tx
    .selectFrom('backup_state')
    .select(['archived_until as archivedUntil', 'target', 'error', 'requested_at as requestedAt'])
    .executeTakeFirstOrThrow();

export async function saveState(tx: Tx, state: { archivedUntil?: Date; target?: string; error: string }): Promise<void> {
  await tx
    .updateTable('backup_state')
    .set({
      error: state.error.slice(0, 1000),
      ...(state.target !== undefined && { target: state.target }),
      ...(state.archivedUntil && { archived_until: state.archivedUntil }),
    })
    .execute();
}

/** Keeps the first of several requests. */
export async function requestBase(tx: Tx): Promise<void> {
  await tx.updateTable('backup_state').set({ requested_at: sql<Date>`coalesce(requested_at, now())` }).execute();
}

export async function endRequest(tx: Tx): Promise<void> {
  await tx.updateTable('backup_state').set({ requested_at: null }).execute();
}

export interface NewRun {
  kind: BackupRun['kind'];
  startedAt: Date;
  endedAt: Date;
  bytes?: number;
  error?: string;
  note?: string;
}

export async function recordRun(tx: Tx, { kind, startedAt, endedAt, bytes = 0, error = '', note = '' }: NewRun): Promise<void> {
  await tx
    .insertInto('backup_runs')
    .values({ kind, started_at: startedAt, ended_at: endedAt, bytes, error: error.slice(0, 1000), note: note.slice(0, 1000) })
    .execute();
  await tx.deleteFrom('backup_runs').where('id', 'not in', shownRuns(tx)).execute();
}

/** The newest runs, and the last success of each kind, however often it failed since. */
const shownRuns = (tx: Tx) =>
  tx
    .selectFrom(tx.selectFrom('backup_runs').select('id').orderBy('id', 'desc').limit(maxRuns).as('newest'))
    .select('newest.id')
    .union(
      tx
        .selectFrom('backup_runs')
        .where('error', '=', '')
        .groupBy('kind')
        .select((eb) => eb.fn.max('id').as('id')),
    );

/** Newest first. */
export async function listRuns(tx: Tx): Promise<BackupRun[]> {
  const rows = await tx.selectFrom('backup_runs').selectAll().where('id', 'in', shownRuns(tx)).orderBy('id', 'desc').execute();
  return rows.map(({ kind, started_at, ended_at, bytes, error, note }) => ({
    kind,
    startedAt: started_at.toISOString(),
    endedAt: ended_at.toISOString(),
    bytes,
    error,
    note,
  }));
}

/** Last restore of this database. */
export async function findRestoration(tx: Tx) {
  const row = await tx.selectFrom('restorations').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();
  return (
    row && {
      restoredAt: row.restored_at.toISOString(),
      restoredTo: row.restored_to.toISOString(),
      releasedAt: row.released_at?.toISOString() ?? null,
      releasedBy: row.released_by_name,
    }
  );
}

/** False when nothing was paused. */
export async function release(tx: Tx, by: { userId: number; name: string }): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('restorations')
    .set({ released_at: sql<Date>`now()`, released_by: by.userId, released_by_name: by.name })
    .where('released_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Pauses what leaves a restored portal, and ends every session and the access of assistants: those ended since the state that was restored would be valid again. */
export async function recordRestoration(tx: Tx, restoredTo: Date, base: string, providerId: number): Promise<void> {
  await tx.insertInto('restorations').values({ restored_to: restoredTo }).execute();
  for (const table of ['sessions', 'assistant_grants'] as const)
    await tx.updateTable(table).set({ revoked_at: sql<Date>`now()` }).where('revoked_at', 'is', null).execute();
  await endRequest(tx);
  const provider = await tx.selectFrom('organisations').select('id').where('id', '=', providerId).executeTakeFirst();
  if (provider)
    await recordAudit(tx, systemAuditor(providerId), {
      action: 'installation.restored',
      organisationId: providerId,
      after: { restoredTo: restoredTo.toISOString(), base },
    });
}
