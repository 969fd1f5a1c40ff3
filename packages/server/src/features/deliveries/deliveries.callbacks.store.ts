/** SQL of requests that targets send to the portal; the transactions have the system scope, since their sender is no user. */
import type { Message } from '@parapet/connectors/out/target.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { hashOfToken } from '../../core/secrets.ts';

export interface CallbackTarget {
  id: number;
  organisationId: number;
  kind: string;
  settings: Record<string, string>;
  secrets: Buffer;
}

/** The target of an address, of an organisation in use. */
export async function findCallbackTarget(tx: Tx, address: string): Promise<CallbackTarget | undefined> {
  const { rows } = await sql<CallbackTarget>`
    select t.id, t.organisation_id as "organisationId", t.kind, t.settings, t.secrets
    from delivery_targets t join organisations o on o.id = t.organisation_id left join organisations p on p.id = o.parent_id
    where t.callback_address = ${address} and o.deactivated_at is null and p.deactivated_at is null`.execute(tx);
  return rows[0];
}

/** Another target of the same owner and kind that got a message; undefined when the addressed one did. */
export async function findTargetOfMessage(
  tx: Tx,
  { id, organisationId, kind }: CallbackTarget,
  messageId: string,
): Promise<CallbackTarget | undefined> {
  const { rows } = await sql<CallbackTarget>`
    select t.id, t.organisation_id as "organisationId", t.kind, t.settings, t.secrets
    from deliveries d join delivery_targets t on t.id = d.target_id
    where d.message_id = ${messageId} and d.organisation_id = ${organisationId}
      and t.organisation_id = ${organisationId} and t.kind = ${kind} and t.id <> ${id} limit 1`.execute(tx);
  return rows[0];
}

/** Notes a proof; false for one that was noted before. */
export async function receive(tx: Tx, { id, organisationId }: CallbackTarget, proof: string, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('callback_receipts')
    .values({ target_id: id, organisation_id: organisationId, proof: hashOfToken(proof), received_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function removeReceipts(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('callback_receipts').where('received_at', '<', before).execute();
}

/** The message of a case that a target got, by its id. */
export const findSentMessage = (tx: Tx, targetId: number, messageId: string) =>
  tx
    .selectFrom('deliveries')
    .select(['object_id as caseId', 'client_id as clientId', sql<Message>`message`.as('message')])
    .where('target_id', '=', targetId)
    .where('message_id', '=', messageId)
    .where('event', 'like', 'case.%')
    .where('message', 'is not', null)
    .executeTakeFirst();

/**
 * Has linked tickets read with the next poll, which is due now; without an id, what the poll finds. Failures of the PSA keep their wait. False when
 * none of them is linked.
 */
export async function touchTickets(tx: Tx, targetId: number, ids: readonly string[], now: Date): Promise<boolean> {
  const { rows } = await sql`
    update case_tickets set checked_at = 'epoch' where target_id = ${targetId} and ticket_id = any (${[...ids]}::text[])
    returning id`.execute(tx);
  if (rows.length === 0 && ids.length > 0) return false;
  await sql`update ticket_setups set next_at = least(next_at, ${now}::timestamptz) where target_id = ${targetId} and failures = 0`.execute(
    tx,
  );
  return true;
}
