/** SQL of rotas. Functions for people take the scope first; row-level security enforces it again. */
import type { OnCallShift } from '@parapet/contract/onCall.ts';
import { maxOverrides, type Span } from '@parapet/contract/rules/onCall.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

export interface Person {
  id: number;
  name: string;
  email: string;
}

/** People of an organisation in use, by their names. */
export async function listPeople(tx: Tx, scope: Scope, owner: number): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select id, trim(first_name || ' ' || last_name) as name, email from users
    where organisation_id = ${owner} and ${within('organisation_id', scope)} and not is_deleted and role <> ''
    order by lower(first_name), lower(last_name), id limit 1000`.execute(tx);
  return rows;
}

export const listShifts = (tx: Tx, scope: Scope, owner: number) =>
  tx
    .selectFrom('on_call_shifts')
    .select(['user_id as userId', 'place', 'zone', 'days', 'from_minute as from', 'to_minute as to'])
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', owner)
    .orderBy('id')
    .execute();

export async function replaceShifts(
  tx: Tx,
  scope: Scope,
  owner: number,
  zone: string,
  shifts: readonly OnCallShift[],
): Promise<void> {
  await tx.deleteFrom('on_call_shifts').where(within('organisation_id', scope)).where('organisation_id', '=', owner).execute();
  if (shifts.length === 0) return;
  const rows = shifts.map(({ userId, from, to, ...shift }) => ({
    ...shift,
    organisation_id: owner,
    user_id: userId,
    zone,
    from_minute: from,
    to_minute: to,
  }));
  await tx.insertInto('on_call_shifts').values(rows).execute();
}

interface SpanRow {
  place: number;
  userId: number;
  starts: Date;
  ends: Date;
}
const spanOf = ({ place, userId, starts, ends }: SpanRow): Span => ({
  place,
  userId,
  starts: starts.getTime(),
  ends: ends.getTime(),
});

/** Shifts within a window, of people in use. */
export async function listSpans(tx: Tx, owner: number, since: Date, until: Date): Promise<Span[]> {
  const { rows } = await sql<SpanRow>`
    select s.place::integer as place, s.user_id as "userId", s.starts, s.ends from on_call_spans(${owner}::integer, ${since}, ${until}) s
    join users u on u.id = s.user_id and not u.is_deleted and u.organisation_id = ${owner} order by s.id, s.starts`.execute(tx);
  return rows.map(spanOf);
}

export interface OverrideRow extends Span {
  id: number;
  userName: string;
}

/** Overrides that are not over, in the order of their making; the newest ones where there are too many. */
export async function listOverrides(tx: Tx, owner: number, since: Date): Promise<OverrideRow[]> {
  const { rows } = await sql<SpanRow & { id: number; userName: string }>`
    select v.id, v.place::integer as place, v.user_id as "userId", v.starts, v.ends, trim(u.first_name || ' ' || u.last_name) as "userName"
    from on_call_overrides v join users u on u.id = v.user_id and not u.is_deleted and u.organisation_id = v.organisation_id
    where v.organisation_id = ${owner} and v.ends > ${since} order by v.id desc limit ${maxOverrides}`.execute(tx);
  return rows.reverse().map((row) => ({ id: row.id, userName: row.userName, ...spanOf(row) }));
}

export async function insertOverride(tx: Tx, owner: number, { place, userId, starts, ends }: SpanRow): Promise<number> {
  const row = { organisation_id: owner, place, user_id: userId, starts, ends };
  return (await tx.insertInto('on_call_overrides').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

export const removeOverride = (tx: Tx, scope: Scope, owner: number, id: number) =>
  tx
    .deleteFrom('on_call_overrides')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', owner)
    .where('id', '=', id)
    .returning(['user_id as userId', 'place', 'starts', 'ends'])
    .executeTakeFirst();

export const insertNote = (tx: Tx, row: { owner: number; authorId: number; author: string; text: string; at: Date }) =>
  tx
    .insertInto('on_call_notes')
    .values({
      organisation_id: row.owner,
      author_user_id: row.authorId,
      author_name: row.author,
      text: row.text,
      written_at: row.at,
    })
    .execute();

/** The newest notes, with authors as the reader may know them. */
export const listNotes = (tx: Tx, scope: Scope, owner: number, limit: number) =>
  tx
    .selectFrom('on_call_notes')
    .select([shownName(scope, 'author_user_id', 'author_name').as('author'), 'text', 'written_at as writtenAt'])
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', owner)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** True when a later level of escalation waits for a case. */
export async function hasNextLevel(
  tx: Tx,
  { id, organisationId }: { id: number; organisationId: number },
  caseId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where organisation_id = ${organisationId} and target_id <> ${id} and event like 'case.%' and object_id = ${caseId}
      and unless_acknowledged and state = 'queued' limit 1`.execute(tx);
  return rows.length > 0;
}

/** True when a person was called since a time. */
export async function wasCalled(tx: Tx, owner: number, email: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries d join delivery_targets t on t.id = d.target_id
    where t.organisation_id = ${owner} and t.kind = 'oncall' and d.accepted_id = ${email} and d.accepted_at >= ${since}
      and d.event <> 'test' limit 1`.execute(tx);
  return rows.length > 0;
}

/** Calls whose email the outbox gave up are given up too, so that the list shows it and a person can replay them. */
export async function endUnsent(tx: Tx): Promise<void> {
  await sql`
    update deliveries d set state = 'givenUp', words = left('The email to ' || d.accepted_id || ' was not sent: ' || m.error, 500)
    from (select error, substring(message_id from '^<on-call-([0-9]+)-')::integer as target_id,
        substring(message_id from '^<on-call-[0-9]+-([0-9a-f-]{36})@')::uuid as message_id
      from mails where kind = 'delivery.onCall' and state = 'failed' and created_at > now() - interval '7 days') m
    where d.target_id = m.target_id and d.message_id = m.message_id and d.state = 'accepted'`.execute(tx);
}
