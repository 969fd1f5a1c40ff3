/** SQL of tickets for the worker: which ticket belongs to a case, what both sides agreed on, and what was read of a PSA. */
import type { LinkedTicket, Ticketing, TicketSetup } from '@parapet/connectors/out/tickets.ts';
import { sql } from 'kysely';
import { storable } from '../../core/db/like.ts';
import type { Tx } from '../../core/db/scope.ts';

/** A case at a target. */
export interface Place {
  organisationId: number;
  targetId: number;
  clientId: number;
  caseId: number;
}

const maxId = 60;
const maxUrl = 1_000;
const maxConflict = 500;
/** Begins the words about a ticket that could not be read, which end with its next reading. */
const unreadable = 'The ticket can’t be read: ';
/** Tickets that are read on their own with one poll. */
const [minChecked, maxChecked] = [10, 200];
/** Polls within the time in which each ticket is read on its own, with a margin. */
const pollsPerCheck = 10;

/** For a delivery about a case: the setup, the client's company and the ticket there is. Without a case, the first two. */
export async function readTicketing(tx: Tx, place: Omit<Place, 'caseId'> & { caseId: number | undefined }): Promise<Ticketing> {
  const { targetId, organisationId, clientId, caseId } = place;
  const { rows } = await sql<{ setup: TicketSetup | null; company: string | null; id: string | null; status: string | null }>`
    select s.setup, c.company_id as company, k.ticket_id as id, k.status from delivery_targets t
    left join ticket_setups s on s.target_id = t.id
    left join ticket_companies c on c.target_id = t.id and c.client_id = ${clientId}
    left join case_tickets k on k.target_id = t.id and k.case_id = ${caseId ?? 0} and k.client_id = ${clientId}
    where t.id = ${targetId} and t.organisation_id = ${organisationId}`.execute(tx);
  const { setup = null, company = null, id = null, status = null } = rows[0] ?? {};
  return { setup, company, ticket: id === null ? null : { id, status: status ?? '' } };
}

/** A change of status from before a conflict does not end it. */
const isOlder = ({ status, conflict }: LinkedTicket, eventAt: Date) =>
  sql<boolean>`${conflict === undefined}::boolean and (${status === undefined}::boolean or k.conflict_at >= ${eventAt}::timestamptz)`;

/** Notes what a delivery left at the PSA. A new link is read next: people may have changed the ticket before it was known here. */
export async function saveTicket(tx: Tx, place: Place & { eventAt: Date }, ticket: LinkedTicket, now: Date): Promise<void> {
  const { organisationId, targetId, clientId, caseId, eventAt } = place;
  const conflict = ticket.conflict === undefined ? null : storable(ticket.conflict).slice(0, maxConflict);
  const { rows } = await sql<{ id: number }>`
    insert into case_tickets as k (organisation_id, target_id, client_id, case_id, ticket_id, url, status, synced_at, checked_at, conflict, conflict_at)
    values (${organisationId}, ${targetId}, ${clientId}, ${caseId}, ${ticket.id.slice(0, maxId)}, ${storable(ticket.url).slice(0, maxUrl)},
      ${ticket.status ?? ''}, ${now}, 'epoch', ${conflict}, ${conflict === null ? null : now})
    on conflict (case_id, target_id) do update set url = excluded.url, synced_at = excluded.synced_at, deleted_at = null,
      status = case when ${ticket.status === undefined}::boolean then k.status else excluded.status end,
      conflict = case when ${isOlder(ticket, eventAt)} then k.conflict else excluded.conflict end,
      conflict_at = case when ${isOlder(ticket, eventAt)} then k.conflict_at else excluded.conflict_at end
    returning k.id`.execute(tx);
  if (ticket.noteIds) await saveNotes(tx, { id: rows[0]!.id, organisationId }, ticket.noteIds);
}

export const saveNotes = (
  tx: Tx,
  { id, organisationId }: { id: number; organisationId: number },
  noteIds: readonly string[],
): Promise<unknown> =>
  sql`insert into case_ticket_notes (case_ticket_id, organisation_id, note_id)
    select ${id}, ${organisationId}, n from unnest(${[...noteIds]}::text[]) n on conflict do nothing`.execute(tx);

export const markGone = (tx: Tx, { targetId, caseId }: Pick<Place, 'targetId' | 'caseId'>, now: Date): Promise<unknown> =>
  sql`update case_tickets set deleted_at = coalesce(deleted_at, ${now}), synced_at = ${now}
    where target_id = ${targetId} and case_id = ${caseId}`.execute(tx);

/** Targets whose tickets are due to be read. */
export async function listDuePolls(tx: Tx, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.target_id as id from ticket_setups s join delivery_targets t on t.id = s.target_id
    join organisations o on o.id = t.organisation_id left join organisations p on p.id = o.parent_id
    where s.next_at <= ${now} and not t.is_paused and (select not is_paused()) and (t.leased_until is null or t.leased_until < ${now})
      and o.deactivated_at is null and p.deactivated_at is null
    order by s.next_at, s.target_id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

export interface Poll {
  setup: TicketSetup;
  readUntil: Date;
  failures: number;
}

export async function findPoll(tx: Tx, targetId: number): Promise<Poll | undefined> {
  const { rows } = await sql<Poll>`
    select setup, read_until as "readUntil", failures from ticket_setups where target_id = ${targetId}`.execute(tx);
  return rows[0];
}

export interface PollEnd {
  readUntil?: Date;
  nextAt: Date;
  /** Required by the other side. */
  notBefore?: Date | undefined;
  failures: number;
  error: string | null;
}

export async function savePoll(tx: Tx, targetId: number, end: PollEnd, now: Date): Promise<void> {
  await tx
    .updateTable('ticket_setups')
    .set({
      next_at: end.nextAt,
      not_before: end.notBefore ?? null,
      failures: end.failures,
      error: end.error,
      ...(end.error === null && { polled_at: now }),
      ...(end.readUntil && { read_until: end.readUntil }),
    })
    .where('target_id', '=', targetId)
    .execute();
}

export interface TicketRow extends Place {
  id: number;
  ticketId: string;
  status: string;
  /** Time of its newest reading. */
  checkedAt: Date;
  isUnreadable: boolean;
  /** Messages whose delivery found or opened it. */
  openings: unknown[];
  /** Messages that a process sent and may have died over, or is about to send. */
  pending: unknown[];
  /** Notes that are known. */
  noteIds: string[];
}

const ticketColumns = sql`k.id, k.organisation_id as "organisationId", k.target_id as "targetId", k.client_id as "clientId", k.case_id as "caseId",
  k.ticket_id as "ticketId", k.status, k.checked_at as "checkedAt", coalesce(starts_with(k.conflict, ${unreadable}), false) as "isUnreadable",
  array(select d.message from deliveries d where d.target_id = k.target_id and d.client_id = k.client_id and d.subject = 'case-' || k.case_id
    and d.message is not null and d.accepted_id = k.ticket_id) as openings,
  array(select d.message from deliveries d where d.target_id = k.target_id and d.client_id = k.client_id and d.subject = 'case-' || k.case_id
    and d.attempts > 0 and d.message is not null and d.state <> 'accepted') as pending,
  array(select n.note_id from case_ticket_notes n where n.case_ticket_id = k.id) as "noteIds"`;

/** True for clients that still belong to the target's owner. */
const isOwn = sql<boolean>`o.deactivated_at is null and k.organisation_id in (o.id, coalesce(o.parent_id, 0), 1)`;

/** Linked tickets among these, of clients that still belong to the target's owner. */
export async function listLinked(tx: Tx, targetId: number, ticketIds: readonly string[]): Promise<TicketRow[]> {
  const { rows } = await sql<TicketRow>`
    select ${ticketColumns} from case_tickets k join organisations o on o.id = k.client_id
    where k.target_id = ${targetId} and k.ticket_id = any(${[...ticketIds]}::text[])
      and ${isOwn}`.execute(tx);
  return rows;
}

/** Locks it until the transaction ends. */
export async function findLinked(tx: Tx, id: number): Promise<TicketRow | undefined> {
  const { rows } = await sql<TicketRow>`select ${ticketColumns} from case_tickets k where k.id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Tickets of open or recently closed cases that were not read since a time, oldest reading first; the more are linked, the more. */
export async function listUnchecked(tx: Tx, targetId: number, before: Date): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    with linked as (
      select k.id, k.ticket_id, k.checked_at from case_tickets k join cases c on c.id = k.case_id and c.organisation_id = k.client_id
      join organisations o on o.id = k.client_id
      where k.target_id = ${targetId} and k.deleted_at is null and ${isOwn}
        and (c.closed_at is null or c.closed_at > ${before}::timestamptz - interval '30 days'))
    select ticket_id as id from linked where checked_at < ${before} order by checked_at, id
    limit (select greatest(${minChecked}::integer, least(${maxChecked}::integer, count(*) / ${pollsPerCheck}::integer + 1)) from linked)`.execute(
    tx,
  );
  return rows;
}

/** Set after a ticket could not be read. Another conflict stays. */
export const saveUnreadable = (tx: Tx, id: number, words: string, now: Date): Promise<unknown> => {
  const text = storable(`${unreadable}${words}`).slice(0, maxConflict).toWellFormed();
  const isFree = sql`k.conflict is null or starts_with(k.conflict, ${unreadable})`;
  return sql`update case_tickets k set checked_at = ${now}, conflict = case when ${isFree} then ${text} else k.conflict end,
    conflict_at = case when ${isFree} then ${now} else k.conflict_at end where k.id = ${id}`.execute(tx);
};

/** Set after a ticket was read: the agreed status, and a conflict that stays until one side changes. */
export async function saveRead(
  tx: Tx,
  id: number,
  { status, conflict }: { status: string; conflict: string | null | undefined },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('case_tickets')
    .set({
      status,
      synced_at: now,
      checked_at: now,
      deleted_at: null,
      ...(conflict === undefined && {
        conflict: sql<string | null>`case when starts_with(conflict, ${unreadable}) then null else conflict end`,
        conflict_at: sql<Date | null>`case when starts_with(conflict, ${unreadable}) then null else conflict_at end`,
      }),
      ...(conflict !== undefined && {
        conflict: conflict === null ? null : storable(conflict).slice(0, maxConflict),
        conflict_at: conflict === null ? null : now,
      }),
    })
    .where('id', '=', id)
    .execute();
}

/** True while a change of the case's status is on its way to the target. */
export async function isStatusPending(tx: Tx, { targetId, clientId, caseId }: Omit<Place, 'organisationId'>): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from deliveries where target_id = ${targetId} and client_id = ${clientId} and subject = ${`case-${caseId}`}
      and event = 'case.statusChanged' and state in ('queued', 'sent', 'failed')) as is`.execute(tx);
  return rows[0]!.is;
}

/** Removes the delivery that a change from this target would send back to it. */
export const withdrawEcho = (
  tx: Tx,
  { targetId, caseId }: Pick<Place, 'targetId' | 'caseId'>,
  version: number,
): Promise<unknown> =>
  sql`delete from deliveries where target_id = ${targetId} and key = ${`case.statusChanged:${caseId}:${version}`}
    and state = 'queued' and attempts = 0`.execute(tx);

/** A note as the client may read it, with its author as people of the target's owner may know them; undefined once it is internal or gone. */
export async function findTicketNote(
  tx: Tx,
  { noteId, caseId, clientId, owner }: { noteId: number; caseId: number; clientId: number; owner: number },
): Promise<{ author: string; text: string } | undefined> {
  const { rows } = await sql<{ author: string; text: string }>`
    select shown_name(${owner}::integer, author_user_id, author_name) as author, text from case_notes
    where id = ${noteId} and case_id = ${caseId} and organisation_id = ${clientId} and not is_internal and source is null`.execute(
    tx,
  );
  return rows[0];
}

/** True for a case of the client that is closed and counts. */
export async function isClosedCase(tx: Tx, { clientId, caseId }: Pick<Place, 'clientId' | 'caseId'>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from cases where id = ${caseId} and organisation_id = ${clientId} and closed_at is not null and not is_excluded`.execute(
    tx,
  );
  return rows.length > 0;
}

const maxDetections = 5;

/** Detections of a case as its client reads them, the worst first. */
export async function listDetections(tx: Tx, clientId: number, caseId: number): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select a.summary as text from case_alerts c join alerts a on a.id = c.alert_id and a.at = c.alert_at and a.organisation_id = c.organisation_id
    where c.case_id = ${caseId} and c.organisation_id = ${clientId}
    group by a.summary order by max(a.criticality) desc, min(a.at) limit ${maxDetections}`.execute(tx);
  return rows.map(({ text }) => text);
}
