/** SQL of the worker: which targets are due, the delivery at the head of each queue, and what an attempt leaves behind. */
import type { Message } from '@parapet/connectors/out/target.ts';
import { undoSeconds } from '@parapet/contract/bulk.ts';
import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';

/** Waits as long as a bulk change may be undone, and a margin. */
const heldSeconds = undoSeconds + 2;

const isPending = sql<boolean>`d.state in ('queued', 'sent', 'failed') and d.event <> 'test' and d.digest_id is null`;

/** True for a case's first attempt while the bulk change that caused it, or that ends its escalation, may still be undone. */
const isHeld = (
  now: Date,
): RawBuilder<boolean> => sql<boolean>`d.attempts = 0 and (d.actor_user_id is not null or d.unless_acknowledged)
  and d.event like 'case.%' and exists (
  select from bulk_jobs j join bulk_changes b on b.job_id = j.id and b.object_id = d.object_id and b.before is not null
  where j.kind = 'cases' and (j.user_id = d.actor_user_id or d.unless_acknowledged) and (j.state in ('running', 'undoing')
    or j.state = 'done' and j.finished_at > ${now}::timestamptz - ${heldSeconds} * interval '1 second'))`;

const isQuiet = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`t.quiet_zone is not null and in_hours(${now}, t.quiet_zone, '{1,2,3,4,5,6,7}', t.quiet_from, t.quiet_to)`;

/** Attempts longer than this make a target slow until a faster one. */
export const slowMs = 1_000;

export interface Due {
  id: number;
  /** Failing or answering slowly: waits for its like, never the others for it. */
  isSlow: boolean;
}

/** Targets whose next delivery is due, those that wait longest first. */
export async function listDue(tx: Tx, now: Date, limit: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select t.id, t.failures > 0 or t.last_ms > ${slowMs} as "isSlow"
    from delivery_targets t join organisations o on o.id = t.organisation_id left join organisations p on p.id = o.parent_id
    cross join lateral (select d.* from deliveries d where d.target_id = t.id and ${isPending} order by d.queue_at, d.id limit 1) d
    where not t.is_paused and (select not is_paused()) and (t.leased_until is null or t.leased_until < ${now}) and o.deactivated_at is null and p.deactivated_at is null
      and not (${isQuiet(now)}) and (d.next_at <= ${now} or d.expires_at <= ${now}) and not (${isHeld(now)})
    order by d.next_at, t.id limit ${limit}`.execute(tx);
  return rows;
}

export interface Claimed {
  id: number;
  organisationId: number;
  kind: string;
  settings: Record<string, string>;
  secrets: Buffer;
  version: number;
  failures: number;
  /** True when a client owns the target. */
  isOfClient?: boolean;
}

const claimedColumns = sql`t.id, t.organisation_id as "organisationId", t.kind, t.settings, t.secrets, t.version, t.failures,
  (select not o.is_partner from organisations o where o.id = t.organisation_id) as "isOfClient"`;

/** Leases a target; undefined when another worker has it. */
export async function claimTarget(tx: Tx, id: number, now: Date, until: Date): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    update delivery_targets t set leased_until = ${until}, version = version + 1
    where id = ${id} and (leased_until is null or leased_until < ${now}) returning ${claimedColumns}`.execute(tx);
  return rows[0];
}

/** Extends a lease and reads the target as it is now; undefined once it is paused, quiet, removed or taken over. */
export async function extendLease(
  tx: Tx,
  { id, version }: Pick<Claimed, 'id' | 'version'>,
  now: Date,
  until: Date,
): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    update delivery_targets t set leased_until = ${until}
    where id = ${id} and version = ${version} and not is_paused and not (${isQuiet(now)}) returning ${claimedColumns}`.execute(
    tx,
  );
  return rows[0];
}

/** Extends a lease for reading, in quiet time too; false once it is paused, removed or taken over. */
export async function holdLease(tx: Tx, { id, version }: Pick<Claimed, 'id' | 'version'>, until: Date): Promise<boolean> {
  const { rows } = await sql`
    update delivery_targets set leased_until = ${until} where id = ${id} and version = ${version} and not is_paused returning id`.execute(
    tx,
  );
  return rows.length > 0;
}

export async function endLease(tx: Tx, { id, version }: Pick<Claimed, 'id' | 'version'>): Promise<void> {
  await tx
    .updateTable('delivery_targets')
    .set({ leased_until: null })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute();
}

export interface Head {
  id: number;
  event: string;
  subject: string;
  objectId: number;
  clientId: number;
  client: string;
  facts: Record<string, unknown>;
  eventAt: Date;
  messageId: string;
  message: Message | null;
  attempts: number;
  nextAt: Date;
  expiresAt: Date;
  words: string | null;
  openedAs: string | null;
  /** Time of the digest that it waits for; null for one that is sent on its own. */
  digestAt: Date | null;
  /** Reason to send it no more: an escalation that is not needed, or a client that left the owner of the target. */
  settled: string | null;
}

const headColumns = (
  now: Date,
) => sql`d.id, d.event, d.subject, d.object_id as "objectId", d.client_id as "clientId", o.name as client, d.facts, d.event_at as "eventAt",
      d.message_id as "messageId", d.message, d.attempts, d.next_at as "nextAt", d.expires_at as "expiresAt", d.words, ${isHeld(now)} as "isHeld",
      case when d.is_digest then d.queue_at end as "digestAt",
      (select f.accepted_id from deliveries f where f.target_id = d.target_id and f.subject = d.subject and f.accepted_id is not null
        order by f.id limit 1) as "openedAs",
      case when o.deactivated_at is not null or d.organisation_id not in (o.id, coalesce(o.parent_id, 0), 1)
          then 'The client is no longer one of this target’s organisation.'
        when d.unless_acknowledged and not exists (select from cases k where k.id = d.object_id and k.organisation_id = d.client_id
          and k.acknowledged_at is null and k.closed_at is null and not k.is_excluded)
          then 'The case was acknowledged, closed, merged or excluded in time.' end as settled`;

/** The delivery whose turn it is, whether it is due or not. */
export async function findHead(tx: Tx, targetId: number, now: Date): Promise<Head | undefined> {
  const { rows } = await sql<Head & { isHeld: boolean }>`
    select ${headColumns(now)} from deliveries d join organisations o on o.id = d.client_id
    where d.target_id = ${targetId} and ${isPending} order by d.queue_at, d.id limit 1`.execute(tx);
  return rows[0]?.isHeld ? undefined : rows[0];
}

/** The others of a delivery’s digest that may be sent with it. */
export async function listDigest(tx: Tx, targetId: number, { id, digestAt }: Head, now: Date, limit: number): Promise<Head[]> {
  const { rows } = await sql<Head>`
    select * from (select ${headColumns(now)} from deliveries d join organisations o on o.id = d.client_id
      where d.target_id = ${targetId} and d.queue_at = ${digestAt} and d.is_digest and d.id <> ${id} and ${isPending}) m
    where not m."isHeld" and m.settled is null and m.message is null order by m.id limit ${limit}`.execute(tx);
  return rows;
}

/** Joins deliveries to the one in whose message they are sent. */
export async function joinDigest(tx: Tx, id: number, members: readonly number[]): Promise<void> {
  await tx.updateTable('deliveries').set({ digest_id: id }).where('id', 'in', members).execute();
}

/** A delivery with the others of its digest, if it has any. */
export type Digest = Pick<Head, 'id' | 'digestAt'>;

/** Changes the others of a digest with it. They were queued after it, at the same target. */
async function updateMembers(tx: Tx, { id, digestAt }: Digest, set: Updateable<Tables['deliveries']>): Promise<void> {
  if (digestAt === null) return;
  await tx
    .updateTable('deliveries')
    .set(set)
    .where('target_id', '=', (eb) => eb.selectFrom('deliveries as h').select('h.target_id').where('h.id', '=', id))
    .where('id', '>', id)
    .where('digest_id', '=', id)
    .execute();
}

/** Notes an attempt before it is made: after a crash the delivery counts as sent, and not as accepted. */
export async function markSent(
  tx: Tx,
  { id, attempts, digestAt }: Digest & Pick<Head, 'attempts'>,
  message: Message,
  now: Date,
): Promise<void> {
  const sent = { state: 'sent', attempts: attempts + 1, sent_at: now } as const;
  await tx
    .updateTable('deliveries')
    .set({ ...sent, message: JSON.stringify(message) })
    .where('id', '=', id)
    .execute();
  await updateMembers(tx, { id, digestAt }, sent);
}

/** Ends a delivery; the others of its digest are given up with it, or go on without it. */
export async function end(tx: Tx, digest: Digest, state: 'givenUp' | 'notNeeded', words: string): Promise<void> {
  await tx.updateTable('deliveries').set({ state, words }).where('id', '=', digest.id).execute();
  await updateMembers(tx, digest, state === 'givenUp' ? { state, words } : { digest_id: null, state: 'queued' });
}

/** Ends a delivery as not needed, and removes what it would have sent. */
export async function withdraw(tx: Tx, id: number, words: string): Promise<void> {
  const nothing = { message: null, request: null, answer: null, answer_status: null };
  await tx
    .updateTable('deliveries')
    .set({ state: 'notNeeded', words, ...nothing })
    .where('id', '=', id)
    .execute();
}

/** End of an attempt. */
export interface Ended {
  state: 'accepted' | 'failed' | 'givenUp';
  words: string | null;
  acceptedId: string | null;
  acceptedUrl: string | null;
  nextAt: Date | undefined;
  request: string | null;
  answer: string | null;
  status: number | null;
}

/** Records the end of this attempt and no other. */
export async function saveAttempt(
  tx: Tx,
  { id, digestAt, attempts }: Digest & Pick<Head, 'attempts'>,
  ended: Ended,
  now: Date,
): Promise<void> {
  const set = {
    state: ended.state,
    words: ended.words,
    ...(ended.state === 'accepted' && { accepted_at: now, accepted_id: ended.acceptedId, accepted_url: ended.acceptedUrl }),
    ...(ended.nextAt && { next_at: ended.nextAt }),
  };
  const { numUpdatedRows } = await tx
    .updateTable('deliveries')
    .set({ ...set, request: ended.request, answer: ended.answer, answer_status: ended.status })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('state', '=', 'sent')
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await updateMembers(tx, { id, digestAt }, set);
}

/** The target as its newest attempt shows it. */
export async function saveTarget(tx: Tx, id: number, words: string | null, ms: number, now: Date): Promise<void> {
  await tx
    .updateTable('delivery_targets')
    .set({
      last_ms: Math.round(ms),
      ...(words === null
        ? { failures: 0, error: null, error_at: null, failing_since: null, accepted_at: now }
        : {
            failures: sql<number>`failures + 1`,
            error: words,
            error_at: now,
            failing_since: sql<Date>`coalesce(failing_since, ${now})`,
          }),
    })
    .where('id', '=', id)
    .execute();
}

export interface Failing {
  id: number;
  organisationId: number;
  name: string;
  error: string;
  since: Date;
  waiting: number;
  givenUp: number;
}

/** Targets in use that have failed since before a time, with their unsent deliveries. */
export async function listFailing(tx: Tx, before: Date): Promise<Failing[]> {
  const { rows } = await sql<Failing>`
    select t.id, t.organisation_id as "organisationId", t.name, coalesce(t.error, '') as error, t.failing_since as since,
      (select count(*)::integer from deliveries d where d.target_id = t.id and ${isPending}) as waiting,
      (select count(*)::integer from deliveries d where d.target_id = t.id and d.state = 'givenUp' and d.event <> 'test'
        and d.event_at >= t.failing_since - interval '72 hours') as "givenUp"
    from delivery_targets t join organisations o on o.id = t.organisation_id left join organisations p on p.id = o.parent_id
    where t.failing_since < ${before} and not t.is_paused and o.deactivated_at is null and p.deactivated_at is null
    order by t.id limit 500`.execute(tx);
  return rows;
}

export async function removeBefore(tx: Tx, before: Date): Promise<void> {
  await tx
    .deleteFrom('deliveries')
    .where('created_at', '<', before)
    // The confirmed quantities of a month have their state from them.
    .where('event', '<>', 'billing.quantity')
    .where('state', 'in', ['accepted', 'givenUp', 'notNeeded'])
    .execute();
}
