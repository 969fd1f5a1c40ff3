/** SQL of browsers with notifications. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

export interface BrowserRow {
  id: number;
  service: string;
  userAgent: string;
  endpointHash: Buffer;
  addedAt: Date;
  acceptedAt: Date | null;
  error: string | null;
}

const shownColumns = [
  'id',
  'service',
  'user_agent as userAgent',
  'endpoint_hash as endpointHash',
  'created_at as addedAt',
  'accepted_at as acceptedAt',
  'error',
] as const;

export const listBrowsers = (tx: Tx, scope: Scope, userId: number): Promise<BrowserRow[]> =>
  tx
    .selectFrom('push_subscriptions')
    .select(shownColumns)
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(100)
    .execute();

/** Adds a browser in place of an earlier one at the same address, also of another person. The transaction has the system scope. */
export async function insertBrowser(
  tx: Tx,
  row: {
    id: number;
    organisationId: number;
    userId: number;
    endpointHash: Buffer;
    subscription: Buffer;
    service: string;
    userAgent: string;
    at: Date;
  },
): Promise<BrowserRow> {
  const { endpointHash, service, subscription } = row;
  await tx.deleteFrom('push_subscriptions').where('endpoint_hash', '=', endpointHash).execute();
  return tx
    .insertInto('push_subscriptions')
    .values({
      id: row.id,
      organisation_id: row.organisationId,
      user_id: row.userId,
      endpoint_hash: endpointHash,
      user_agent: row.userAgent,
      created_at: row.at,
      service,
      subscription,
    })
    .returning(shownColumns)
    .executeTakeFirstOrThrow();
}

/** Returns the removed browser; undefined without one. */
export const removeBrowser = (tx: Tx, scope: Scope, userId: number, id: number) =>
  tx
    .deleteFrom('push_subscriptions')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(['service', 'user_agent as userAgent'])
    .executeTakeFirst();

export interface Subscription {
  id: number;
  userId: number;
  subscription: Buffer;
  failures: number;
  /** True once the push service accepted this delivery. */
  isReached: boolean;
}

/** Browsers of an organisation's people in use, those that wait for the delivery first. */
export async function listSubscriptions(tx: Tx, owner: number, deliveryId: number, limit: number): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select s.id, s.user_id as "userId", s.subscription, s.failures, r.delivery_id is not null as "isReached"
    from push_subscriptions s join users u on u.id = s.user_id and u.organisation_id = s.organisation_id
    left join push_receipts r on r.subscription_id = s.id and r.delivery_id = ${deliveryId}
    where s.organisation_id = ${owner} and not u.is_deleted and u.role <> ''
    order by r.delivery_id is not null, s.failures, s.id limit ${limit}`.execute(tx);
  return rows;
}

/** Records that the push service accepted a delivery. A browser that was removed since leaves nothing. */
export async function saveReceipt(tx: Tx, owner: number, deliveryId: number, id: number, at: Date): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('push_subscriptions')
    .set({ accepted_at: at, failures: 0, error: null })
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await tx
    .insertInto('push_receipts')
    .values({ delivery_id: deliveryId, subscription_id: id, organisation_id: owner })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export const saveFailure = (tx: Tx, id: number, error: string) =>
  tx.updateTable('push_subscriptions').set({ failures: sql<number>`failures + 1`, error }).where('id', '=', id).execute();

export const removeGone = (tx: Tx, id: number) => tx.deleteFrom('push_subscriptions').where('id', '=', id).execute();
