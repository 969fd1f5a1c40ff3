/** SQL of the access log. */
import type { AccessChannel, AccessKind, AccessReason, SensitiveView } from '@parapet/contract/rules/client-access-log.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';
import type { AccessObject } from './client-access-log.calls.ts';

/** Key of the lock of a person’s shift and accesses. */
const personLock = 7309;

export interface Shift {
  id: number;
  startedAt: Date;
  until: Date;
  reason: AccessReason | null;
  reasonText: string;
}

/** Accesses of one person to one client. */
export interface AccessSum {
  organisation: number;
  view: SensitiveView | '';
  kinds: AccessKind[];
  channels: AccessChannel[];
  requests: number;
  firstAt: Date;
  lastAt: Date;
  until: Date;
  isOpened: boolean;
  reason: AccessReason | null;
  reasonText: string;
}

export interface Given {
  reason: AccessReason;
  text: string;
}

export const lockPerson = (tx: Tx, userId: number): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(${sql.lit(personLock)}, ${userId})`.execute(tx);

const owners: Record<AccessObject, RawBuilder<unknown>> = {
  alert: sql`select a.id, a.organisation_id as organisation from alerts a`,
  case: sql`select a.id, a.organisation_id as organisation from cases a`,
  response: sql`select a.id, a.organisation_id as organisation from responses a`,
  mail: sql`select a.id, a.organisation_id as organisation from mails a`,
  eventExport: sql`select a.id, o as organisation from event_exports a cross join unnest(a.organisation_ids) o`,
  reportJob: sql`select a.id, o as organisation from report_jobs a cross join unnest(a.clients) o`,
  groupingPreview: sql`select a.id, o as organisation from grouping_previews a cross join unnest(a.client_ids) o`,
  rulePreview: sql`select a.id, o as organisation from rule_previews a cross join unnest(a.client_ids) o`,
};

/** Organisations of objects, by ID. */
export async function listOwners(
  tx: Tx,
  scope: Scope,
  object: AccessObject,
  ids: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ id: number; organisation: number }>`
    select o.id, o.organisation from (${owners[object]} where a.id = any(${[...ids]})) o
    where ${within('o.organisation', scope)}`.execute(tx);
  const found = new Map<number, number[]>();
  for (const { id, organisation } of rows) found.set(Number(id), [...(found.get(Number(id)) ?? []), organisation]);
  return found;
}

export const findShift = (tx: Tx, userId: number, at: Date): Promise<Shift | undefined> =>
  tx
    .selectFrom('access_shifts')
    .where('user_id', '=', userId)
    .where('started_at', '<=', at)
    .where('until', '>', at)
    .select(['id', 'started_at as startedAt', 'until', 'reason', 'reason_text as reasonText'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst() as Promise<Shift | undefined>;

export const insertShift = async (
  tx: Tx,
  person: { userId: number; organisationId: number },
  shift: Omit<Shift, 'id'>,
): Promise<Shift> => {
  const { id } = await tx
    .insertInto('access_shifts')
    .values({
      organisation_id: person.organisationId,
      user_id: person.userId,
      started_at: shift.startedAt,
      until: shift.until,
      reason: shift.reason,
      reason_text: shift.reasonText,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, ...shift };
};

/** The shift and its entries get their first reason. Sealed ones are closed. */
export async function setShiftReason(tx: Tx, userId: number, shift: Shift, { reason, text }: Given): Promise<void> {
  await tx.updateTable('access_shifts').set({ reason, reason_text: text }).where('id', '=', shift.id).execute();
  await tx
    .updateTable('access_looks')
    .set({ reason, reason_text: text })
    .where('user_id', '=', userId)
    .where('view', '=', '')
    .where('until', '=', shift.until)
    .where('sealed_at', 'is', null)
    .execute();
}

/** Ends a shift before its time: later accesses begin other entries. */
export async function endShift(tx: Tx, userId: number, shift: Shift, at: Date): Promise<void> {
  await tx.updateTable('access_shifts').set({ until: at }).where('id', '=', shift.id).execute();
  await tx
    .updateTable('access_looks')
    .set({ until: at })
    .where('user_id', '=', userId)
    .where('view', '=', '')
    .where('until', '=', shift.until)
    .where('sealed_at', 'is', null)
    .execute();
}

/** Adds to the entries that are open, and begins those that are missing. Needs the lock of the person. */
export async function addAccesses(
  tx: Tx,
  person: { userId: number; organisationId: number; displayName: string },
  sums: readonly AccessSum[],
): Promise<void> {
  await sql`
    with given as (
      select g.* from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) as g (organisation integer, view text, kinds text[], channels text[],
        requests integer, "firstAt" timestamptz, "lastAt" timestamptz, until timestamptz, "isOpened" boolean, reason text, "reasonText" text)
    ), added as (
      update access_looks l set
        first_at = case when l.looks = 0 and g.requests > 0 then g."firstAt" else l.first_at end,
        last_at = case when g.requests > 0 then greatest(l.last_at, g."lastAt") else l.last_at end, looks = l.looks + g.requests, is_opened = l.is_opened or g."isOpened",
        kinds = array(select distinct k from unnest(l.kinds || g.kinds) k order by k),
        channels = array(select distinct c from unnest(l.channels || g.channels) c order by c),
        reason = coalesce(l.reason, g.reason), reason_text = case when l.reason is null then g."reasonText" else l.reason_text end
      from given g
      where l.user_id = ${person.userId} and l.organisation_id = g.organisation and l.view = g.view
        and l.until > g."lastAt" and l.first_at <= g."lastAt" and l.sealed_at is null
      returning l.organisation_id, l.view
    )
    insert into access_looks (organisation_id, user_id, person_name, person_organisation_name, view, first_at, last_at, until, looks, kinds, channels,
      is_opened, reason, reason_text)
    select o.id, ${person.userId}, ${person.displayName}, p.name, g.view, g."firstAt", g."lastAt", g.until, g.requests, g.kinds, g.channels,
      g."isOpened", g.reason, g."reasonText"
    from given g join organisations o on o.id = g.organisation join organisations p on p.id = ${person.organisationId}
    where not exists (select from added a where a.organisation_id = g.organisation and a.view = g.view)`.execute(tx);
}

/** Sensitive views that are open at a time without a reason. */
export async function listMissing(tx: Tx, scope: Scope, userId: number, at: Date): Promise<SensitiveView[]> {
  const rows = await tx
    .selectFrom('access_looks')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('view', '!=', '')
    .where('until', '>', at)
    .where('reason', 'is', null)
    .groupBy('view')
    .select('view')
    .orderBy('view')
    .execute();
  return rows.map(({ view }) => view as SensitiveView);
}

/** Open entries of a sensitive view that lack a reason get this one. */
export const setViewReason = (tx: Tx, scope: Scope, userId: number, view: SensitiveView, given: Given, at: Date) =>
  tx
    .updateTable('access_looks')
    .set({ reason: given.reason, reason_text: given.text })
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('view', '=', view)
    .where('until', '>', at)
    .where('reason', 'is', null)
    .where('sealed_at', 'is', null)
    .execute();

export interface AccessFilter {
  start: string;
  end: string;
  person: readonly number[];
  reason: readonly (AccessReason | 'none')[];
  view: readonly SensitiveView[];
}

/** Shared name of the provider’s staff for readers who do not see them by name; otherwise empty. */
const sharedName = (scope: Scope) => shownName(scope, 'access_looks.user_id', sql`''`);

/** Entries that have requests within a timeframe; none lasts longer than a shift. */
const entriesOf = (tx: Tx, scope: Scope, { start, end }: Pick<AccessFilter, 'start' | 'end'>) =>
  tx
    .selectFrom('access_looks')
    .where(within('access_looks.organisation_id', scope))
    .where('access_looks.looks', '>', 0)
    .where('access_looks.first_at', '<', new Date(end))
    .where('access_looks.first_at', '>=', sql<Date>`${new Date(start)}::timestamptz - interval '1 day'`)
    .where('access_looks.last_at', '>=', new Date(start));

function filtered(tx: Tx, scope: Scope, filter: AccessFilter) {
  let query = entriesOf(tx, scope, filter);
  // People anonymous to the reader can’t be distinguished by a filter either.
  if (filter.person.length > 0) query = query.where('user_id', 'in', [...filter.person]).where(sharedName(scope), '=', '');
  if (filter.view.length > 0) query = query.where('view', 'in', [...filter.view]);
  const reasons = filter.reason.filter((reason) => reason !== 'none');
  if (filter.reason.length > 0)
    query = query.where((eb) =>
      eb.or([
        ...(reasons.length > 0 ? [eb('access_looks.reason', 'in', reasons)] : []),
        ...(filter.reason.includes('none') ? [eb('access_looks.reason', 'is', null)] : []),
      ]),
    );
  return query;
}

/** Entries, newest first. `below` is the position of the previous page’s last row. */
export function listAccesses(
  tx: Tx,
  scope: Scope,
  filter: AccessFilter,
  page: { limit: number; offset?: number; below?: { position: string; id: number } | undefined },
) {
  let query = filtered(tx, scope, filter)
    .innerJoin('organisations', 'organisations.id', 'access_looks.organisation_id')
    .select([
      'access_looks.id',
      'access_looks.organisation_id as organisationId',
      'organisations.name as organisationName',
      shownName(scope, 'access_looks.user_id', 'access_looks.person_name').as('personName'),
      sql<string>`case when ${sharedName(scope)} = '' then access_looks.person_organisation_name else '' end`.as(
        'personOrganisationName',
      ),
      'access_looks.first_at as firstAt',
      // Microseconds, finer than a Date: distinguishes rows at a page boundary.
      sql<string>`access_looks.first_at::text`.as('position'),
      'access_looks.last_at as lastAt',
      'access_looks.looks as requests',
      'access_looks.view',
      'access_looks.kinds',
      'access_looks.channels',
      'access_looks.is_opened as isOpened',
      'access_looks.reason',
      'access_looks.reason_text as reasonText',
    ])
    .orderBy('access_looks.first_at', 'desc')
    .orderBy('access_looks.id', 'desc')
    .limit(page.limit)
    .offset(page.offset ?? 0);
  if (page.below)
    query = query.where(
      sql<boolean>`(access_looks.first_at, access_looks.id) < (${page.below.position}::timestamptz, ${page.below.id}::bigint)`,
    );
  return query.execute();
}
export type AccessEntry = Awaited<ReturnType<typeof listAccesses>>[number];

export const countAccesses = (tx: Tx, scope: Scope, filter: AccessFilter) =>
  filtered(tx, scope, filter)
    .select([
      sql<number>`count(*)::integer`.as('total'),
      sql<number>`(count(*) filter (where access_looks.reason is null))::integer`.as('withoutReason'),
    ])
    .executeTakeFirstOrThrow();

/** People whom the reader sees by name, with their newest stored one. */
export async function countPeople(tx: Tx, scope: Scope, range: Pick<AccessFilter, 'start' | 'end'>) {
  const rows = await entriesOf(tx, scope, range)
    .where('user_id', 'is not', null)
    .where(sharedName(scope), '=', '')
    .groupBy('user_id')
    .select([
      'user_id as id',
      sql<string>`(array_agg(person_name order by first_at desc))[1]`.as('name'),
      sql<number>`count(*)::integer`.as('count'),
    ])
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('user_id')
    .limit(200)
    .execute();
  return rows.flatMap(({ id, name, count }) => (id === null ? [] : [{ id, name, count }]));
}

/** Drops entries beyond the retention, which the database’s owner sets (migration 0109). */
export const dropOld = (tx: Tx) => sql`select drop_old_looks()`.execute(tx);
