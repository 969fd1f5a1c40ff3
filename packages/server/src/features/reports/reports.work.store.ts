/** SQL of report schedules and bulk report jobs. */
import type { ReportJob } from '@parapet/contract/reports.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { shownName } from '../../domain/visibility.ts';

const scheduleColumns = (scope: Scope) =>
  [
    'id',
    'organisation_id as clientOrganizationID',
    'day_of_month as dayOfMonth',
    'recipients',
    'last_sent_at as lastSentAt',
    'last_error as lastError',
    shownName(scope, 'created_by', 'created_by_name').as('createdBy'),
  ] as const;

export const listSchedules = (tx: Tx, scope: Scope, limit: number, rows?: QueryRows) =>
  tx
    .selectFrom('report_schedules')
    .select(scheduleColumns(scope))
    .where(within('organisation_id', scope))
    .where((eb) => eb.and(isAmong('report_schedules', rows)))
    .orderBy('day_of_month')
    .orderBy('id')
    .limit(limit)
    .execute();

export async function insertSchedule(
  tx: Tx,
  schedule: {
    organisationId: number;
    dayOfMonth: number;
    recipients: string[];
    userId: number;
    userName: string;
    lastMonth: string;
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('report_schedules')
    .values({
      organisation_id: schedule.organisationId,
      day_of_month: schedule.dayOfMonth,
      recipients: schedule.recipients,
      created_by: schedule.userId,
      created_by_name: schedule.userName,
      last_month: schedule.lastMonth,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns the removed schedule; undefined when there is none. */
export const removeSchedule = (tx: Tx, scope: Scope, id: number) =>
  tx
    .deleteFrom('report_schedules')
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .returning(['day_of_month', 'recipients'])
    .executeTakeFirst();

export interface DueSchedule {
  id: number;
  organisationId: number;
  timeZone: string;
  dayOfMonth: number;
  lastMonth: string;
}

/** Schedules of active organisations. Runs in system scope. */
export async function listAllSchedules(tx: Tx): Promise<DueSchedule[]> {
  const { rows } = await sql<DueSchedule>`
    select s.id, s.organisation_id as "organisationId", o.time_zone as "timeZone", s.day_of_month as "dayOfMonth", s.last_month as "lastMonth"
    from report_schedules s join organisations o on o.id = s.organisation_id left join organisations p on p.id = o.parent_id
    where o.deactivated_at is null and p.deactivated_at is null order by s.id`.execute(tx);
  return rows;
}

/** Locks the schedule until the transaction ends; undefined when it is gone. */
export const lockSchedule = (tx: Tx, id: number) =>
  tx.selectFrom('report_schedules').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export async function updateSchedule(tx: Tx, id: number, set: Updateable<Tables['report_schedules']>): Promise<void> {
  await tx.updateTable('report_schedules').set(set).where('id', '=', id).execute();
}

/** Those of the addresses that belong to the organisation now, in its spelling. */
export async function listOwnAddresses(tx: Tx, organisationId: number, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select distinct on (lower(address)) address from (
      select email as address from users where organisation_id = ${organisationId} and not is_deleted
      union all select email_address from escalation_addresses where organisation_id = ${organisationId}
    ) own where lower(address) = any(${addresses.map((address) => address.toLowerCase())}::text[]) order by lower(address), address`.execute(
    tx,
  );
  return rows.map((row) => row.address);
}

export type JobRecord = Selectable<Tables['report_jobs']>;

/** Clients in scope: all of them, those of a partner, or one. Partners themselves are included only when chosen alone. */
export async function listClients(tx: Tx, scope: Scope, chosen: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select o.id from organisations o where ${within('o.id', scope)} and o.deactivated_at is null and case
      when ${chosen}::integer = 0 then not o.is_partner
      when exists (select from organisations p where p.id = ${chosen} and p.is_partner) then o.parent_id = ${chosen} and not o.is_partner
      else o.id = ${chosen} end
    order by lower(o.name), o.id limit 2000`.execute(tx);
  return rows.map((row) => row.id);
}

export async function insertJob(
  tx: Tx,
  job: { organisationId: number; userId: number; year: number; month: number; clients: number[] },
): Promise<JobRecord> {
  return tx
    .insertInto('report_jobs')
    .values({
      organisation_id: job.organisationId,
      asked_by: job.userId,
      year: job.year,
      month: job.month,
      clients: job.clients,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const findJob = (tx: Tx, scope: Scope, id: number): Promise<JobRecord | undefined> =>
  tx.selectFrom('report_jobs').selectAll().where(within('organisation_id', scope)).where('id', '=', id).executeTakeFirst();

const unfinished = ['queued', 'running'] as const;

export async function countUnfinished(tx: Tx, scope: Scope, userId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('report_jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(within('organisation_id', scope))
    .where('asked_by', '=', userId)
    .where('state', 'in', unfinished)
    .executeTakeFirstOrThrow();
  return count;
}

/** Runs in system scope, like all below. */
export const listUnfinished = (tx: Tx): Promise<JobRecord[]> =>
  tx.selectFrom('report_jobs').selectAll().where('state', 'in', unfinished).orderBy('id').limit(100).execute();

/** Returns false when another process advanced the job first. */
export async function stepJob(
  tx: Tx,
  job: JobRecord,
  outcome: { state: ReportJob['state']; done: number; failures: JobRecord['failures'] },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('report_jobs')
    .set({ state: outcome.state, done: outcome.done, failures: JSON.stringify(outcome.failures) })
    .where('id', '=', job.id)
    .where('done', '=', job.done)
    .where(sql<boolean>`jsonb_array_length(failures) = ${job.failures.length}`)
    .where('state', 'in', unfinished)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const removeJobsBefore = (tx: Tx, before: Date): Promise<Pick<JobRecord, 'id' | 'clients'>[]> =>
  tx.deleteFrom('report_jobs').where('created_at', '<', before).returning(['id', 'clients']).execute();

export async function nameOf(tx: Tx, id: number): Promise<string> {
  const row = await tx.selectFrom('organisations').select('name').where('id', '=', id).executeTakeFirst();
  return row?.name.slice(0, 200) ?? `Organisation ${id}`;
}
