/** SQL of targets and their deliveries, for people. Every function takes the scope first; row-level security enforces it again. */
import type { DeliveryState } from '@parapet/contract/rules/deliveries.ts';
import { sql } from 'kysely';
import { nextId } from '../../core/db/nextId.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

export interface TargetRow {
  id: number;
  organisationId: number;
  organisationName: string;
  isOfClient: boolean;
  kind: string;
  name: string;
  settings: Record<string, string>;
  isPaused: boolean;
  quietZone: string | null;
  quietFrom: number;
  quietTo: number;
  failures: number;
  error: string | null;
  errorAt: Date | null;
  acceptedAt: Date | null;
  callbackAddress: string | null;
  createdAt: Date;
  waiting: number;
  givenUp: number;
}

const selected = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('delivery_targets as t')
    .innerJoin('organisations as o', 'o.id', 't.organisation_id')
    .select([
      't.id',
      't.organisation_id as organisationId',
      'o.name as organisationName',
      sql<boolean>`not o.is_partner`.as('isOfClient'),
      't.kind',
      't.name',
      't.settings',
      't.is_paused as isPaused',
      't.quiet_zone as quietZone',
      't.quiet_from as quietFrom',
      't.quiet_to as quietTo',
      't.failures',
      't.error',
      't.error_at as errorAt',
      't.accepted_at as acceptedAt',
      't.callback_address as callbackAddress',
      't.created_at as createdAt',
      sql<number>`(select count(*)::integer from deliveries d where d.target_id = t.id and d.state in ('queued', 'sent', 'failed')
        and d.event <> 'test')`.as('waiting'),
      sql<number>`(select count(*)::integer from deliveries d where d.target_id = t.id and d.state = 'givenUp'
        and d.created_at > now() - interval '30 days' and d.event <> 'test')`.as('givenUp'),
    ])
    .where(within('t.organisation_id', scope));

export const listTargets = (tx: Tx, scope: Scope): Promise<TargetRow[]> =>
  selected(tx, scope).orderBy(sql`lower(t.name)`).orderBy('t.id').limit(1_000).execute();

export const findTarget = (tx: Tx, scope: Scope, id: number): Promise<TargetRow | undefined> =>
  selected(tx, scope).where('t.id', '=', id).executeTakeFirst();

/** The target with its sealed values; locked until the transaction ends. */
export const findValues = (tx: Tx, scope: Scope, id: number) =>
  tx
    .selectFrom('delivery_targets')
    .select(['id', 'organisation_id as organisationId', 'kind', 'settings', 'secrets'])
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const newTargetId = (tx: Tx): Promise<number> => nextId(tx, 'delivery_targets');

/** Returns false when the organisation already has a target of this name. */
export async function insertTarget(
  tx: Tx,
  row: {
    id: number;
    organisationId: number;
    kind: string;
    name: string;
    settings: Record<string, string>;
    secrets: Buffer;
    follows: boolean;
  },
): Promise<boolean> {
  const { organisationId, settings, ...rest } = row;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('delivery_targets')
    .values({ ...rest, organisation_id: organisationId, settings: JSON.stringify(settings) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export interface TargetSet {
  name: string;
  isPaused: boolean;
  quiet: { zone: string; from: number; to: number } | null;
}

export async function updateTarget(tx: Tx, scope: Scope, id: number, { name, isPaused, quiet }: TargetSet): Promise<void> {
  await tx
    .updateTable('delivery_targets')
    .set({
      name,
      is_paused: isPaused,
      quiet_zone: quiet?.zone ?? null,
      quiet_from: quiet?.from ?? 0,
      quiet_to: quiet?.to ?? 0,
    })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

/** Replaces the sealed values, and lets failed deliveries try them at once. */
export async function updateSecrets(
  tx: Tx,
  scope: Scope,
  id: number,
  { settings, secrets }: { settings: Record<string, string>; secrets: Buffer },
): Promise<void> {
  await tx
    .updateTable('delivery_targets')
    .set({ settings: JSON.stringify(settings), secrets })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('deliveries')
    .set({ next_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('target_id', '=', id)
    .where('state', '=', 'failed')
    .execute();
}

/** Sets where a target sends its requests (null: it may send none), and the sealed values with their secret where these change. */
export async function setCallbacks(
  tx: Tx,
  scope: Scope,
  id: number,
  { address, secrets }: { address: string | null; secrets?: Buffer },
): Promise<void> {
  await tx
    .updateTable('delivery_targets')
    .set({ callback_address: address, ...(secrets && { secrets }) })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

export async function removeTarget(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('delivery_targets').where(within('organisation_id', scope)).where('id', '=', id).execute();
}

export interface DeliveryRow {
  id: number;
  organisationId: number;
  clientId: number;
  event: string;
  objectId: number;
  facts: Record<string, unknown>;
  message: unknown;
  eventAt: Date;
  state: DeliveryState;
  attempts: number;
  nextAt: Date;
  sentAt: Date | null;
  acceptedAt: Date | null;
  acceptedId: string | null;
  acceptedUrl: string | null;
  words: string | null;
  messageId: string;
  /** Delivery in whose message it was sent; null for its own. */
  digestId: number | null;
  request: string | null;
  answer: string | null;
  answerStatus: number | null;
}

/** Names of organisations by id; those outside the scope have none. */
export async function readNames(tx: Tx, scope: Scope, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await tx
    .selectFrom('organisations')
    .select(['id', 'name'])
    .where(within('id', scope))
    .where(sql<boolean>`id = any(${[...new Set(ids)]}::integer[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const deliveries = (tx: Tx, scope: Scope, targetId: number) =>
  tx.selectFrom('deliveries as d').where(within('d.organisation_id', scope)).where('d.target_id', '=', targetId);

const deliveryColumns = [
  'd.id',
  'd.organisation_id as organisationId',
  'd.client_id as clientId',
  'd.event',
  'd.object_id as objectId',
  'd.facts',
  'd.message',
  'd.event_at as eventAt',
  'd.state',
  'd.attempts',
  'd.next_at as nextAt',
  'd.sent_at as sentAt',
  'd.accepted_at as acceptedAt',
  'd.accepted_id as acceptedId',
  'd.accepted_url as acceptedUrl',
  'd.words',
  'd.message_id as messageId',
  'd.digest_id as digestId',
] as const;

export async function listDeliveries(
  tx: Tx,
  scope: Scope,
  targetId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Omit<DeliveryRow, 'request' | 'answer' | 'answerStatus'>[]; total: number }> {
  const rows = await deliveries(tx, scope, targetId)
    .select(deliveryColumns)
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await deliveries(tx, scope, targetId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

export const findDelivery = (tx: Tx, scope: Scope, targetId: number, id: number): Promise<DeliveryRow | undefined> =>
  deliveries(tx, scope, targetId)
    .select([...deliveryColumns, 'd.request', 'd.answer', 'd.answer_status as answerStatus'])
    .where('d.id', '=', id)
    .executeTakeFirst();

/** Inserts a test as sent: the worker leaves it alone. */
export async function insertTest(tx: Tx, row: { organisationId: number; targetId: number; at: Date }) {
  return tx
    .insertInto('deliveries')
    .values({
      organisation_id: row.organisationId,
      target_id: row.targetId,
      client_id: row.organisationId,
      event: 'test',
      subject: 'test',
      object_id: row.organisationId,
      key: sql<string>`'test:' || gen_random_uuid()`,
      facts: '{}',
      event_at: row.at,
      queue_at: row.at,
      next_at: row.at,
      expires_at: row.at,
      state: 'sent',
      attempts: 1,
      sent_at: row.at,
    })
    .returning(['id', 'message_id as messageId', 'expires_at as expiresAt'])
    .executeTakeFirstOrThrow();
}

/**
 * Queues a delivery again that was given up, or all of a target. Their places in the order stay. Returns how many. Quantities need another
 * confirmation: a replay would write what was seen then.
 */
export async function requeue(
  tx: Tx,
  scope: Scope,
  targetId: number,
  id: number | undefined,
  { now, until }: { now: Date; until: Date },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('deliveries')
    .set({ state: 'queued', next_at: now, expires_at: until })
    .where(within('organisation_id', scope))
    .where('target_id', '=', targetId)
    // With the others of its digest, which its message brings.
    .$if(id !== undefined, (query) => query.where((eb) => eb.or([eb('id', '=', id!), eb('digest_id', '=', id!)])))
    .where('state', '=', 'givenUp')
    .where('event', 'not in', ['test', 'billing.quantity'])
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
