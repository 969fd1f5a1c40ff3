/** SQL of recalls. Functions of callers take the scope first; those of the job need the portal’s own. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

export async function findCase(tx: Tx, scope: Scope, caseId: number): Promise<{ organisationId: number } | undefined> {
  return tx
    .selectFrom('cases')
    .select('organisation_id as organisationId')
    .where(within('organisation_id', scope))
    .where('id', '=', caseId)
    .executeTakeFirst();
}

export interface RecallRow {
  id: number;
  firstDay: string;
  lastDay: string;
  requestedBy: string;
  requestedAt: Date;
  expiresAt: Date;
  state: 'loading' | 'ready' | 'released';
  failure: string;
  releasedAt: Date | null;
  files: number;
  loadedFiles: number;
  events: number;
}

export async function listRecalls(tx: Tx, scope: Scope, caseId: number): Promise<RecallRow[]> {
  const { rows } = await sql<RecallRow>`
    select r.id, r.first_day::text as "firstDay", r.last_day::text as "lastDay", r.requested_at as "requestedAt", r.expires_at as "expiresAt",
      ${shownName(scope, 'r.requested_by', 'r.requested_by_name')} as "requestedBy", r.state, r.failure, r.released_at as "releasedAt",
      count(f.archive_file_id)::integer as files, (count(*) filter (where f.is_loaded))::integer as "loadedFiles",
      coalesce(sum(a.rows), 0)::float8 as events
    from recalls r left join recall_files f on f.recall_id = r.id left join archive_files a on a.id = f.archive_file_id
    where ${within('r.organisation_id', scope)} and r.case_id = ${caseId} group by r.id order by r.id desc limit 100`.execute(tx);
  return rows;
}

export interface ArchiveSpan {
  firstDay: string | null;
  lastDay: string | null;
  events: number;
}

export async function spanOfArchive(tx: Tx, scope: Scope, organisationId: number): Promise<ArchiveSpan> {
  const { rows } = await sql<ArchiveSpan>`
    select min(day)::text as "firstDay", max(day)::text as "lastDay", coalesce(sum(rows), 0)::float8 as events
    from archive_files where ${within('organisation_id', scope)} and organisation_id = ${organisationId}`.execute(tx);
  return rows[0]!;
}

export interface NewRecall {
  organisationId: number;
  caseId: number;
  firstDay: string;
  lastDay: string;
  requestedBy: number;
  requestedByName: string;
  requestedAt: Date;
  expiresAt: Date;
}

/** Returns the id and the number of events; undefined where the range has no files. */
export async function insertRecall(
  tx: Tx,
  scope: Scope,
  given: NewRecall,
): Promise<{ id: number; files: number; events: number } | undefined> {
  const { organisationId, caseId, firstDay, lastDay } = given;
  const { rows } = await sql<{ id: number; files: number; events: number }>`
    with files as (
      select id, rows from archive_files where ${within('organisation_id', scope)} and organisation_id = ${organisationId}
        and day between ${firstDay}::date and ${lastDay}::date
    ), made as (
      insert into recalls (organisation_id, case_id, first_day, last_day, requested_by, requested_by_name, requested_at, expires_at)
      select ${organisationId}, ${caseId}, ${firstDay}::date, ${lastDay}::date, ${given.requestedBy}, ${given.requestedByName}, ${given.requestedAt}, ${given.expiresAt}
      where exists (select from files) returning id
    ), listed as (
      insert into recall_files (recall_id, organisation_id, archive_file_id) select made.id, ${organisationId}, files.id from made, files returning 1
    ) select made.id, (select count(*)::integer from listed) as files, (select sum(rows)::float8 from files) as events from made`.execute(
    tx,
  );
  return rows[0];
}

/** Locked, so that loading and release exclude each other; undefined where it is not of the case, or released. */
export async function lockRecall(
  tx: Tx,
  scope: Scope,
  id: number,
  caseId?: number,
): Promise<{ organisationId: number } | undefined> {
  const { rows } = await sql<{ organisationId: number }>`
    select organisation_id as "organisationId" from recalls where ${within('organisation_id', scope)} and id = ${id}
      and (${caseId ?? null}::integer is null or case_id = ${caseId ?? null}) and state <> 'released' for update`.execute(tx);
  return rows[0];
}

export async function release(tx: Tx, scope: Scope, id: number, at: Date): Promise<void> {
  await tx.deleteFrom('recall_files').where(within('organisation_id', scope)).where('recall_id', '=', id).execute();
  await tx
    .updateTable('recalls')
    .set({ state: 'released', released_at: at })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

export async function listExpired(tx: Tx, now: Date): Promise<number[]> {
  const rows = await tx
    .selectFrom('recalls')
    .select('id')
    .where('state', '<>', 'released')
    .where('expires_at', '<=', now)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export interface FileToLoad {
  recallId: number;
  organisationId: number;
  fileId: number;
  day: string;
  key: string;
  sha256: string;
}

export async function listToLoad(tx: Tx): Promise<FileToLoad[]> {
  const { rows } = await sql<FileToLoad>`
    select r.id as "recallId", r.organisation_id as "organisationId", a.id as "fileId", a.day::text as day, a.key, a.sha256
    from recalls r join recall_files f on f.recall_id = r.id and not f.is_loaded join archive_files a on a.id = f.archive_file_id
    where r.state = 'loading' order by r.id, a.day desc, a.part`.execute(tx);
  return rows;
}

export const makeDay = (tx: Tx, day: string): Promise<unknown> =>
  sql`select make_partitions(${day}::date, ${day}::date)`.execute(tx);

/** Marks a file, and the recall as ready after its last one. */
export async function setLoaded(tx: Tx, { recallId, fileId }: FileToLoad, failure = ''): Promise<void> {
  await tx
    .updateTable('recall_files')
    .set({ is_loaded: true })
    .where('recall_id', '=', recallId)
    .where('archive_file_id', '=', fileId)
    .execute();
  await sql`update recalls r set failure = case when ${failure} = '' then failure else ${failure} end,
      state = case when exists (select from recall_files f where f.recall_id = r.id and not f.is_loaded) then 'loading' else 'ready' end
    where r.id = ${recallId} and r.state = 'loading'`.execute(tx);
}

/** Removes blocks that no recall needs; returns the number of events. */
export async function removeReleased(tx: Tx): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select coalesce(sum(remove_recalled(o.id)), 0)::float8 as gone from organisations o
    where exists (select from event_blocks b where b.organisation_id = o.id and b.archive_file_id is not null)`.execute(tx);
  return rows[0]?.gone ?? 0;
}
