/** SQL of the archive. Needs the portal’s own scope; functions of the owner delete (migration 0054). */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { archiveLock } from '../../domain/events/archiveKeys.ts';
import type { BlockRow } from '../../domain/events/blockRows.ts';
import { eventDaysOf } from '../../domain/retentionDays.ts';

export interface ArchiveFile {
  id: number;
  organisationId: number;
  day: string;
  part: number;
  key: string;
  rows: number;
  bytes: number;
  sha256: string;
  firstAt: Date;
  lastAt: Date;
}

export type NewArchiveFile = Omit<ArchiveFile, 'id' | 'organisationId'>;

const columns = sql`f.id, f.organisation_id as "organisationId", f.day::text as day, f.part, f.key, f.rows, f.bytes::float8 as bytes, f.sha256,
  f.first_at as "firstAt", f.last_at as "lastAt"`;

/** Organisations whose events go to the archive, with the days that these stay searchable. */
export async function listArchiving(tx: Tx, portalDays: number): Promise<{ id: number; days: number }[]> {
  const { rows } = await sql<{ id: number; days: number }>`
    select o.id, ${eventDaysOf('o', portalDays)} as days from organisations o
    where archive_months_of(o.id) > 0 and not is_held(o.id) and o.erased_at is null order by o.id`.execute(tx);
  return rows;
}

/** Blocks of the oldest day before a time that have events for the archive, oldest first. */
export async function listOldestBlocks(
  tx: Tx,
  organisationId: number,
  before: Date,
  without: readonly string[],
): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    with past as (
      select b.* from event_blocks b where b.organisation_id = ${organisationId} and b.archive_file_id is null and b.first_at < ${before}
        and b.id <> all (${[...without]}::uuid[])
    ), first as (select date_trunc('day', min(first_at), 'UTC') as day from past)
    select b.id, b.organisation_id as "organisationId", (extract(epoch from b.first_at) * 1000)::float8 as "firstAt",
      (extract(epoch from b.last_at) * 1000)::float8 as "lastAt", b.count
    from past b, first where b.first_at < first.day + interval '1 day' order by b.first_at, b.id`.execute(tx);
  return rows;
}

export async function listOfDay(tx: Tx, organisationId: number, day: string): Promise<ArchiveFile[]> {
  const { rows } = await sql<ArchiveFile>`
    select ${columns} from archive_files f where f.organisation_id = ${organisationId} and f.day = ${day}::date order by f.part`.execute(
    tx,
  );
  return rows;
}

/** Replaces blocks by a file. Throws where they changed in between. */
export const archiveBlocks = (
  tx: Tx,
  organisationId: number,
  blocks: readonly string[],
  file: NewArchiveFile,
): Promise<unknown> =>
  sql`select archive_blocks(${organisationId}, ${[...blocks]}::uuid[], ${JSON.stringify(file)}::jsonb)`.execute(tx);

/**
 * Excludes the erasure of the organisation until the transaction ends. False where it has begun: whatever is written from then on would
 * outlive it.
 */
export async function lockArchive(tx: Tx, organisationId: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${sql.lit(archiveLock)}, ${organisationId})`.execute(tx);
  const { rows } = await sql<{ isKept: boolean }>`
    select erased_at is null as "isKept" from organisations where id = ${organisationId}`.execute(tx);
  return rows[0]?.isKept === true;
}

export const insertWrite = (tx: Tx, organisationId: number, { key, day }: Pick<ArchiveFile, 'key' | 'day'>): Promise<unknown> =>
  tx
    .insertInto('archive_writes')
    .values({ key, organisation_id: organisationId, day })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const removeWrite = (tx: Tx, key: string): Promise<unknown> =>
  tx.deleteFrom('archive_writes').where('key', '=', key).execute();

/** Writes that were interrupted: their events are still searchable. */
export async function listWrites(tx: Tx): Promise<{ key: string; organisationId: number; day: string }[]> {
  const { rows } = await sql<{ key: string; organisationId: number; day: string }>`
    select key, organisation_id as "organisationId", day::text as day from archive_writes order by key`.execute(tx);
  return rows;
}

export async function listExpired(tx: Tx, most: number): Promise<ArchiveFile[]> {
  const { rows } = await sql<ArchiveFile>`select ${columns} from expired_archive_files(${most}) f`.execute(tx);
  return rows;
}

export const removeFile = (tx: Tx, id: number): Promise<unknown> => sql`select remove_archive_file(${id})`.execute(tx);
