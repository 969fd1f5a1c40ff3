/** SQL of erasures. Every function takes the organisation and needs the portal’s own scope; functions of the owner delete (migration 0053). */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { ErasureCertificate } from '../../domain/erasureCertificate.ts';
import { archiveLock } from '../../domain/events/archiveKeys.ts';

export interface Part {
  name: string;
  rows: number;
  bytes: number;
}

export interface ErasureRow {
  organisationId: number;
  clientName: string;
  startedAt: Date;
  plannedAt: Date | null;
  finishedAt: Date | null;
  certificate: ErasureCertificate | null;
  rows: number;
  bytes: number;
}

const columns = sql`e.organisation_id as "organisationId", e.client_name as "clientName", e.started_at as "startedAt",
  e.planned_at as "plannedAt", e.finished_at as "finishedAt", e.certificate,
  (select coalesce(sum(p.rows), 0)::float8 from erasure_parts p where p.organisation_id = e.organisation_id) as rows,
  (select coalesce(sum(p.bytes), 0)::float8 from erasure_parts p where p.organisation_id = e.organisation_id) as bytes`;

export async function findErasure(tx: Tx, organisationId: number): Promise<ErasureRow | undefined> {
  const { rows } = await sql<ErasureRow>`select ${columns} from erasures e where e.organisation_id = ${organisationId}`.execute(
    tx,
  );
  return rows[0];
}

export async function listUnfinished(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select organisation_id as id from erasures where finished_at is null order by started_at`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Entries up to now lose their content. */
export async function insertErasure(tx: Tx, organisationId: number, requestId: number, startedAt: Date): Promise<void> {
  await sql`update organisations set erased_at = ${startedAt} where id = ${organisationId}`.execute(tx);
  await sql`
    insert into erasures (organisation_id, request_id, client_name, started_at, audit_through)
    select o.id, ${requestId}, o.name, ${startedAt}, coalesce((select max(id) from audit where organisation_id = o.id), 0)
    from organisations o where o.id = ${organisationId}`.execute(tx);
}

/** Waits for a file of the archive that is being written. */
export const lockArchive = (tx: Tx, organisationId: number): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(${sql.lit(archiveLock)}, ${organisationId})`.execute(tx);

export async function plan(tx: Tx, organisationId: number, keys: readonly string[], now: Date): Promise<void> {
  await sql`insert into erasure_files (organisation_id, key) select ${organisationId}, k from unnest(${[...keys]}::text[]) k on conflict do nothing`.execute(
    tx,
  );
  await tx.updateTable('erasures').set({ planned_at: now }).where('organisation_id', '=', organisationId).execute();
}

export const listFiles = (tx: Tx, organisationId: number, limit: number): Promise<{ key: string; bytes: number | null }[]> =>
  tx
    .selectFrom('erasure_files')
    .select(['key', 'bytes'])
    .where('organisation_id', '=', organisationId)
    .where('is_removed', '=', false)
    .orderBy('key')
    .limit(limit)
    .execute();

export const setFile = (
  tx: Tx,
  organisationId: number,
  key: string,
  set: { bytes: number } | { is_removed: true },
): Promise<unknown> =>
  tx.updateTable('erasure_files').set(set).where('organisation_id', '=', organisationId).where('key', '=', key).execute();

export async function filesRemoved(tx: Tx, organisationId: number): Promise<{ count: number; bytes: number }> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::integer as count, coalesce(sum(bytes), 0)::float8 as bytes from erasure_files
    where organisation_id = ${organisationId} and is_removed and bytes is not null`.execute(tx);
  return rows[0]!;
}

/** Tables with rows of organisations, and foreign keys between them. */
export async function readCatalogue(tx: Tx): Promise<{ tables: string[]; references: { child: string; parent: string }[] }> {
  const tables = await sql<{ name: string }>`select t as name from erasable_tables() t`.execute(tx);
  const references = await sql<{ child: string; parent: string }>`
    select distinct conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace and conrelid <> confrelid`.execute(tx);
  return { tables: tables.rows.map(({ name }) => name), references: references.rows };
}

export const eraseReferences = (tx: Tx, organisationId: number, table: string): Promise<unknown> =>
  sql`select erase_references(${organisationId}, ${table})`.execute(tx);

/** Deletes up to `most` rows and adds them to what was deleted; returns their number. */
export async function eraseRows(tx: Tx, organisationId: number, table: string, most: number): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    with gone as (select rows, bytes from erase_rows(${organisationId}, ${table}, ${most})), counted as (
      insert into erasure_parts as p (organisation_id, name, rows, bytes)
      select ${organisationId}, ${table}, g.rows, g.bytes from gone g
      on conflict (organisation_id, name) do update set rows = p.rows + excluded.rows, bytes = p.bytes + excluded.bytes
    ) select coalesce(sum(rows), 0)::integer as rows from gone`.execute(tx);
  return rows[0]?.rows ?? 0;
}

/** Adds what was deleted outside of the database. */
export const addPart = (tx: Tx, organisationId: number, name: string, rows: number, bytes: number): Promise<unknown> =>
  sql`insert into erasure_parts as p (organisation_id, name, rows, bytes) values (${organisationId}, ${name}, ${rows}, ${bytes})
    on conflict (organisation_id, name) do update set rows = p.rows + excluded.rows, bytes = p.bytes + excluded.bytes`.execute(
    tx,
  );

export async function listUnerased(tx: Tx, organisationId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select t as name from unerased_tables(${organisationId}) t`.execute(tx);
  return rows.map(({ name }) => name);
}

export const listParts = (tx: Tx, organisationId: number): Promise<Part[]> =>
  tx
    .selectFrom('erasure_parts')
    .select(['name', 'rows', 'bytes'])
    .where('organisation_id', '=', organisationId)
    .orderBy('name')
    .execute();

/** Number of entries whose content is to be erased and that have no link yet. */
export async function countUnsealed(tx: Tx, organisationId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit a join erasures e on e.organisation_id = a.organisation_id
    where a.organisation_id = ${organisationId} and a.id <= e.audit_through and not exists (select from audit_chain c where c.audit_id = a.id)`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

export async function countErasedEntries(tx: Tx, organisationId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_chain where organisation_id = ${organisationId} and erased_leaf is not null`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

export interface Leaf {
  auditId: number;
  leaf: string;
}

export const eraseAudit = (tx: Tx, organisationId: number, leaves: readonly Leaf[]): Promise<unknown> =>
  sql`select erase_audit(${organisationId}, ${JSON.stringify(leaves)}::jsonb)`.execute(tx);

export const eraseOrganisation = (tx: Tx, organisationId: number): Promise<unknown> =>
  sql`select erase_organisation(${organisationId})`.execute(tx);

export interface Decision {
  reason: string;
  requestedBy: number | null;
  requestedByName: string;
  requestedAt: Date;
  decidedBy: number | null;
  decidedByName: string;
  decidedAt: Date;
}

/** With the names that the client’s partner may know (docs/decisions/0021-visibility-and-names.md). */
export async function findDecision(tx: Tx, organisationId: number): Promise<Decision> {
  const { rows } = await sql<Decision>`
    select r.reason, r.requested_by as "requestedBy", shown_name(o.parent_id, r.requested_by, r.requested_by_name) as "requestedByName",
      r.requested_at as "requestedAt", r.decided_by as "decidedBy", shown_name(o.parent_id, r.decided_by, r.decided_by_name) as "decidedByName",
      r.decided_at as "decidedAt"
    from erasures e join retention_requests r on r.id = e.request_id join organisations o on o.id = e.organisation_id where e.organisation_id = ${organisationId}`.execute(
    tx,
  );
  return rows[0]!;
}

/** False where another process finished it. */
export async function finish(
  tx: Tx,
  organisationId: number,
  certificate: ErasureCertificate,
  finishedAt: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('erasures')
    .set({ certificate: JSON.stringify(certificate), finished_at: finishedAt })
    .where('organisation_id', '=', organisationId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  // Names of files may name people; their number stays in the certificate.
  await tx.deleteFrom('erasure_files').where('organisation_id', '=', organisationId).execute();
  return numUpdatedRows > 0n;
}
