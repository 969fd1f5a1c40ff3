/** SQL of email subscriptions, queued notices and digest figures. */
import { undoSeconds } from '@parapet/contract/bulk.ts';
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import { type Insertable, sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';

export interface Subscriber {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  role: string;
  organisationId: number;
  organisationName: string;
  isPartner: boolean;
  parentId: number | null;
  chosen: { kind: SubscriptionKind; isOn: boolean }[];
}

/** Active users of the organisations in scope, limited to `ids` when given. */
export async function listUsers(tx: Tx, scope: Scope, ids?: readonly number[], limit = 10_000): Promise<Subscriber[]> {
  const { rows } = await sql<Subscriber>`
    select u.id, u.email, u.first_name as "firstName", u.last_name as "lastName", u.role, u.organisation_id as "organisationId",
      o.name as "organisationName", o.is_partner as "isPartner", o.parent_id as "parentId",
      coalesce((select jsonb_agg(jsonb_build_object('kind', s.kind, 'isOn', s.is_on)) from mail_subscriptions s where s.user_id = u.id), '[]') as chosen
    from users u join organisations o on o.id = u.organisation_id
    where ${within('u.organisation_id', scope)} and not u.is_deleted and o.deactivated_at is null
      ${ids ? sql`and u.id = any(${[...ids]}::integer[])` : sql``}
    order by o.name, u.last_name, u.first_name, u.id limit ${limit}`.execute(tx);
  return rows;
}

/** Stores every kind, so that choices survive a change of role. */
export async function putChoices(
  tx: Tx,
  user: { id: number; organisationId: number },
  choices: readonly { kind: SubscriptionKind; isOn: boolean }[],
): Promise<void> {
  await tx
    .insertInto('mail_subscriptions')
    .values(choices.map(({ kind, isOn }) => ({ organisation_id: user.organisationId, user_id: user.id, kind, is_on: isOn })))
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'kind']).doUpdateSet((eb) => ({
        is_on: eb.ref('excluded.is_on'),
        organisation_id: eb.ref('excluded.organisation_id'),
      })),
    )
    .execute();
}

/** Queues notices and wakes their worker after the commit. */
export async function insertNotices(tx: Tx, notices: readonly Insertable<Tables['case_notices']>[]): Promise<void> {
  await Promise.all([tx.insertInto('case_notices').values(notices).execute(), publish(tx, 'notice.queued', {})]);
}

export interface Notice {
  organisationId: number;
  caseId: number;
  kind: SubscriptionKind;
  userId: number | null;
  actorUserId: number | null;
  at: Date;
  title: string;
  criticality: number;
  status: CaseStatus;
  client: string;
  parentId: number | null;
}

/** Delay of notices about bulk changes in seconds: the undo window and a margin. */
const heldSeconds = undoSeconds + 2;

/** Dequeues the oldest notices with the current state of their cases; concurrent workers skip each other’s rows. */
export async function takeNotices(tx: Tx, limit: number, now: Date): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    with taken as (
      delete from case_notices where id in (
        select id from case_notices n
        where not exists (
          select from bulk_jobs j join bulk_changes b on b.job_id = j.id and b.object_id = n.case_id and b.before is not null
          where j.kind = 'cases' and j.user_id = n.actor_user_id and (j.state in ('running', 'undoing')
            or j.state = 'done' and j.finished_at > ${now}::timestamptz - ${heldSeconds} * interval '1 second'))
        order by id limit ${limit} for update skip locked)
      returning *
    )
    select t.organisation_id as "organisationId", t.case_id as "caseId", t.kind, t.user_id as "userId", t.actor_user_id as "actorUserId", t.at,
      c.title, c.criticality, c.status, o.name as client, o.parent_id as "parentId"
    from taken t join cases c on c.id = t.case_id join organisations o on o.id = t.organisation_id order by t.id`.execute(tx);
  return rows;
}

/** Removes a user’s notices since a time, for cases still at the given version. Locks the cases. */
export async function removeNotices(
  tx: Tx,
  scope: Scope,
  { userId, since }: { userId: number; since: Date },
  cases: readonly { id: number; version: number }[],
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select c.id from cases c
    join unnest(${integerColumn(cases.map(({ id }) => id))}, ${integerColumn(cases.map(({ version }) => version))}) as v (id, version)
      on c.id = v.id and c.version = v.version
    where ${within('c.organisation_id', scope)} order by c.id for update of c`.execute(tx);
  // Ids instead of a join, whose plan reads the whole table for each row.
  await tx
    .deleteFrom('case_notices')
    .where(within('organisation_id', scope))
    .where(sql<boolean>`case_id = any(${rows.map(({ id }) => id)}::integer[])`)
    .where('actor_user_id', '=', userId)
    .where('at', '>=', since)
    .execute();
}

export interface Figures {
  organisationId: number;
  parentId: number | null;
  client: string;
  /** Currently open cases by criticality, 1 to 5. */
  open: Record<string, number>;
  opened: number;
  closed: number;
  /** Number of cases and their total minutes. */
  acknowledged: number;
  acknowledgeMinutes: number;
  contained: number;
  containMinutes: number;
  closeMinutes: number;
  waiting: number;
}

/** Figures per organisation: opened and reached within the period, open and waiting as of now. Excludes waits for the client. */
export async function listFigures(tx: Tx, from: Date, to: Date): Promise<Figures[]> {
  const during = (column: string) => sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`;
  const contained = sql`${during('contained_at')} and containment = 'verified'`;
  const minutes = (column: string, waited: string, counts = during(column)) =>
    sql`coalesce(sum(greatest(0, extract(epoch from ${sql.ref(column)} - created_at) - ${sql.raw(waited)} / 1000.0) / 60) filter (where ${counts}), 0)::float8`;
  const { rows } = await sql<Figures>`
    select f.*, o.name as client, o.parent_id as "parentId" from (
      select organisation_id as "organisationId",
        jsonb_build_object(${sql.join([1, 2, 3, 4, 5].map((level) => sql`${sql.lit(String(level))}, count(*) filter (where closed_at is null and criticality = ${sql.lit(level)})`))}) as open,
        (count(*) filter (where ${during('created_at')}))::integer as opened,
        (count(*) filter (where ${during('closed_at')}))::integer as closed,
        (count(*) filter (where ${during('acknowledged_at')}))::integer as acknowledged, ${minutes('acknowledged_at', '0')} as "acknowledgeMinutes",
        (count(*) filter (where ${contained}))::integer as contained,
        ${minutes('contained_at', 'coalesce(contained_waited_ms, waited_ms)', contained)} as "containMinutes",
        ${minutes('closed_at', 'waited_ms')} as "closeMinutes",
        (count(*) filter (where closed_at is null and waiting_since is not null))::integer as waiting
      from cases
      where not is_excluded and (closed_at is null or closed_at >= ${from})
      group by organisation_id) f
    join organisations o on o.id = f."organisationId" where o.deactivated_at is null`.execute(tx);
  return rows;
}

/** Active clients of all partners. */
export async function listClients(tx: Tx): Promise<number[]> {
  const rows = await tx
    .selectFrom('organisations as o')
    .leftJoin('organisations as p', 'p.id', 'o.parent_id')
    .select('o.id')
    .where('o.is_partner', '=', false)
    .where('o.deactivated_at', 'is', null)
    .where('p.deactivated_at', 'is', null)
    .orderBy('o.id')
    .execute();
  return rows.map(({ id }) => id);
}

export interface Waiting {
  organisationId: number;
  id: number;
  title: string;
  since: Date;
}

/** Longest-waiting cases, up to `limit` per organisation. */
export async function listWaiting(tx: Tx, each: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select "organisationId", id, title, since from (
      select organisation_id as "organisationId", id, title, waiting_since as since,
        row_number() over (partition by organisation_id order by waiting_since, id) as place
      from cases where closed_at is null and waiting_since is not null and not is_excluded) w
    where place <= ${each} order by since, id`.execute(tx);
  return rows;
}
