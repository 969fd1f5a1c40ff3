/** SQL of bulk jobs and their rows. A row without `before` is waiting; a skipped or undone row is deleted. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';

export type JobRecord = Selectable<Tables['bulk_jobs']>;
/** Query of the selected cases or alerts: organisation_id, id and at. */
export type Selection = RawBuilder<unknown>;

const unfinished = ['waiting', 'running', 'undoing'];

export const countUnfinished = async (tx: Tx, scope: Scope, userId: number): Promise<number> => {
  const { n } = await tx
    .selectFrom('bulk_jobs')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('state', 'in', unfinished)
    .select(sql<number>`count(*)`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
};

export const insertJob = (
  tx: Tx,
  job: { organisationId: number; userId: number; createdAt: Date; kind: string; what: unknown; actor: unknown },
): Promise<{ id: number }> =>
  tx
    .insertInto('bulk_jobs')
    .values({
      organisation_id: job.organisationId,
      user_id: job.userId,
      created_at: job.createdAt,
      finished_at: null,
      kind: job.kind,
      what: JSON.stringify(job.what),
      actor: JSON.stringify(job.actor),
    })
    .returning('id')
    .executeTakeFirstOrThrow();

/** Stores the current selection, at most one row more than `most`. Returns the number of rows. */
export async function insertSelection(tx: Tx, jobId: number, selection: Selection, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with kept as (
      insert into bulk_changes (organisation_id, job_id, object_id, object_at)
      select s.organisation_id, ${jobId}, s.id, s.at from (${selection}) s limit ${most + 1} returning 1
    ), counted as (select count(*)::integer as n from kept)
    update bulk_jobs set total = counted.n from counted where id = ${jobId} returning counted.n`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Keeps only the first alert of each rule, device and user. Returns the number of remaining rows, which becomes the total. */
export async function deduplicateByRule(tx: Tx, jobId: number): Promise<number> {
  await sql`
    delete from bulk_changes c where c.job_id = ${jobId} and c.object_id not in (
      select min(a.id) from bulk_changes b join alerts a on a.organisation_id = b.organisation_id and a.id = b.object_id and a.at = b.object_at
      where b.job_id = ${jobId} group by a.organisation_id, a.rule_id, lower(a.device_name), lower(a.user_name))`.execute(tx);
  const { rows } = await sql<{ total: number }>`
    update bulk_jobs set total = (select count(*) from bulk_changes where job_id = ${jobId}) where id = ${jobId} returning total`.execute(
    tx,
  );
  return rows[0]?.total ?? 0;
}

/** The first of these ids that was not selected: missing or outside the scope. */
export async function findUnselected(tx: Tx, jobId: number, ids: readonly number[]): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select i.id from unnest(${[...ids]}::integer[]) i (id)
    where not exists (select from bulk_changes c where c.job_id = ${jobId} and c.object_id = i.id) limit 1`.execute(tx);
  return rows[0]?.id;
}

export function findJob(tx: Tx, scope: Scope, userId: number, id: number, isLocked = false): Promise<JobRecord | undefined> {
  const query = tx
    .selectFrom('bulk_jobs')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id);
  return (isLocked ? query.forUpdate() : query).executeTakeFirst();
}

export const updateJob = (tx: Tx, id: number, set: Partial<Pick<JobRecord, 'state' | 'finished_at'>>): Promise<JobRecord> =>
  tx.updateTable('bulk_jobs').set(set).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const listUnfinished = async (tx: Tx): Promise<number[]> =>
  (await tx.selectFrom('bulk_jobs').where('state', 'in', unfinished).select('id').orderBy('id').execute()).map(({ id }) => id);

/**
 * Locks a job for a batch. Returns undefined for a finished one, and for one that another worker runs: workers exclude each other by an advisory lock,
 * as the row lock is also held briefly by an undo, for which they wait.
 */
export async function takeJob(tx: Tx, id: number): Promise<JobRecord | undefined> {
  const { rows } = await sql<{ isMine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`bulk ${id}`}, 0)) as "isMine"`.execute(tx);
  if (!rows[0]?.isMine) return undefined;
  return tx
    .selectFrom('bulk_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', unfinished)
    .forUpdate()
    .executeTakeFirst();
}

export interface Item<B> {
  id: number;
  version: number;
  before: B;
}

/** The next rows after an id: waiting ones, or changed ones while undoing. */
export async function listItems<B>(tx: Tx, jobId: number, isUndoing: boolean, after: number, limit: number): Promise<Item<B>[]> {
  const { rows } = await sql<Item<B>>`
    select object_id as id, version_after as version, before from bulk_changes
    where job_id = ${jobId} and object_id > ${after} and before is ${sql.raw(isUndoing ? 'not null' : 'null')}
    order by object_id limit ${limit}`.execute(tx);
  return rows;
}

export interface Outcome {
  changed: readonly { id: number; version?: number; before: unknown }[];
  /** Rows to delete. */
  gone: readonly number[];
  faults: readonly string[];
}

const maxFaults = 20;

/** Saves counters and rows of a batch in the transaction of its changes, so that no batch runs twice. */
export async function saveOutcome(
  tx: Tx,
  job: JobRecord,
  { changed, gone, faults }: Outcome,
  counts: { changed: number; skipped: number },
): Promise<void> {
  if (changed.length > 0)
    await sql`
      update bulk_changes c set before = n.before, version_after = n.version
      from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as n (id integer, version integer, before jsonb)
      where c.job_id = ${job.id} and c.object_id = n.id`.execute(tx);
  if (gone.length > 0)
    await sql`delete from bulk_changes where job_id = ${job.id} and object_id = any(${[...gone]}::integer[])`.execute(tx);
  await tx
    .updateTable('bulk_jobs')
    .set({
      changed: sql<number>`changed + ${counts.changed}`,
      skipped: sql<number>`skipped + ${counts.skipped}`,
      faults: JSON.stringify([...job.faults, ...faults].slice(0, maxFaults).map((text) => text.slice(0, 2000))),
    })
    .where('id', '=', job.id)
    .execute();
}

/** Deletes undo data 10 minutes, and jobs 30 days, after they finish. */
export async function removeOld(tx: Tx, now: Date): Promise<void> {
  await sql`
    delete from bulk_changes where job_id in (select id from bulk_jobs where finished_at < ${now}::timestamptz - interval '10 minutes')`.execute(
    tx,
  );
  await sql`delete from bulk_jobs where finished_at < ${now}::timestamptz - interval '30 days'`.execute(tx);
}
