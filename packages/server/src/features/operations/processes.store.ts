/** SQL of processes and of the size by day: rows of the installation, without a tenant. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Figures } from './processes.figures.ts';

export interface ProcessRow {
  id: string;
  host: string;
  pid: number;
  roles: string[];
  version: string;
  node: string;
  isSafeMode: boolean;
  startedAt: Date;
  seenAt: Date;
  figures: Figures;
}

/** Also removes processes that were not seen for a day. */
export async function saveProcess(tx: Tx, { isSafeMode, startedAt, figures, ...row }: Omit<ProcessRow, 'seenAt'>): Promise<void> {
  const values = { ...row, is_safe_mode: isSafeMode, started_at: startedAt, figures: JSON.stringify(figures) };
  await tx
    .insertInto('processes')
    .values(values)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ figures: values.figures, seen_at: sql<Date>`now()` }))
    .execute();
  await tx.deleteFrom('processes').where('seen_at', '<', sql<Date>`now() - interval '1 day'`).execute();
}

export async function removeProcess(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('processes').where('id', '=', id).execute();
}

/** For what a process of another version does not write. */
const none: Figures = {
  cpuPercent: 0,
  residentBytes: 0,
  heapBytes: 0,
  eventLoopMs: 0,
  poolBusy: 0,
  poolSize: 0,
  poolWaiting: 0,
  operations: [],
  failures: [],
};

/** By host and start. */
export async function listProcesses(tx: Tx): Promise<ProcessRow[]> {
  const rows = await tx
    .selectFrom('processes')
    .select([
      'id',
      'host',
      'pid',
      'roles',
      'version',
      'node',
      'is_safe_mode as isSafeMode',
      'started_at as startedAt',
      'seen_at as seenAt',
    ])
    .select(sql<Partial<Figures>>`figures`.as('figures'))
    .orderBy('host')
    .orderBy('started_at')
    .limit(100)
    .execute();
  return rows.map((row) => ({ ...row, figures: { ...none, ...row.figures } }));
}

export interface CapacityDay {
  day: string;
  databaseBytes: number;
  freeBytes: number;
  sizeBytes: number;
}

/** Replaces the measure of today (UTC). */
export async function saveCapacity(tx: Tx, { day, databaseBytes, freeBytes, sizeBytes }: CapacityDay): Promise<void> {
  const sizes = { database_bytes: databaseBytes, free_bytes: freeBytes, size_bytes: sizeBytes };
  await tx
    .insertInto('capacity_days')
    .values({ day, ...sizes })
    .onConflict((conflict) => conflict.column('day').doUpdateSet(sizes))
    .execute();
  await tx.deleteFrom('capacity_days').where('day', '<', sql<string>`current_date - 400`).execute();
}

/** Of the last thirty days, oldest first. */
export const listCapacity = (tx: Tx): Promise<CapacityDay[]> =>
  tx
    .selectFrom('capacity_days')
    .select(['day', 'database_bytes as databaseBytes', 'free_bytes as freeBytes', 'size_bytes as sizeBytes'])
    .where('day', '>', sql<string>`current_date - 30`)
    .orderBy('day')
    .execute();

/** Version of PostgreSQL. */
export async function databaseVersion(tx: Tx): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(tx);
  return rows[0]?.version.split(' ')[0] ?? '';
}
