/** SQL of billing for people. Every function takes the scope first; row-level security enforces it again. */
import type { BillingMeasure, CorrectedMeasure, Counted } from '@parapet/contract/rules/billing.ts';
import type { DeliveryState } from '@parapet/contract/rules/deliveries.ts';
import { type RawBuilder, sql } from 'kysely';
import { insertRow } from '../../core/db/rows.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

const dayOf = (month: string): RawBuilder<string> => sql<string>`${`${month}-01`}::date`;

export interface CorrectionRow {
  organisationId: number;
  id: number;
  measure: CorrectedMeasure;
  amount: number;
  reason: string;
  by: string;
  at: Date;
}

export interface MonthRow extends Counted {
  organisationId: number;
  name: string;
  level: number;
  countedAt: Date;
  closedAt: Date | null;
}

/** By name. */
export async function listMonth(tx: Tx, scope: Scope, month: string, limit: number): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    select m.organisation_id as "organisationId", o.name, m.level, m.servers, m.workstations, m.users, m.mailboxes, m.bytes::float8 as bytes,
      m.counted_at as "countedAt", m.closed_at as "closedAt"
    from billing_months m join organisations o on o.id = m.organisation_id
    where ${within('m.organisation_id', scope)} and m.month = ${dayOf(month)} order by lower(o.name), o.id limit ${limit}`.execute(
    tx,
  );
  return rows;
}

export async function listCorrections(tx: Tx, scope: Scope, month: string): Promise<CorrectionRow[]> {
  const { rows } = await sql<CorrectionRow>`
    select organisation_id as "organisationId", id, measure, amount, reason, ${shownName(scope, 'created_by', 'created_by_name')} as by, created_at as at from billing_corrections
    where ${within('organisation_id', scope)} and month = ${dayOf(month)} order by id`.execute(tx);
  return rows;
}

export interface ItemRow {
  kind: 'server' | 'workstation' | 'user';
  name: string;
  sources: string[];
  hasMailbox: boolean;
  firstDay: string;
  lastDay: string;
}

/** Devices before users, by name. */
export async function listItems(
  tx: Tx,
  scope: Scope,
  month: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ItemRow[]; total: number }> {
  const { rows } = await sql<ItemRow & { total: number }>`
    select kind, name, sources, has_mailbox as "hasMailbox", first_day::text as "firstDay", last_day::text as "lastDay",
      (count(*) over ())::integer as total
    from billing_items where ${within('organisation_id', scope)} and month = ${dayOf(month)}
    order by kind = 'user', kind, name, key limit ${limit} offset ${offset}`.execute(tx);
  const first = rows[0];
  if (first) return { rows: rows.map(({ total: _, ...row }) => row), total: first.total };
  const counted = await sql<{ total: number }>`
    select count(*)::integer as total from billing_items where ${within('organisation_id', scope)} and month = ${dayOf(month)}`.execute(
    tx,
  );
  return { rows: [], total: counted.rows[0]!.total };
}

export const insertCorrection = (
  tx: Tx,
  {
    organisationId,
    month,
    measure,
    amount,
    reason,
  }: { organisationId: number; month: string } & Pick<CorrectionRow, 'measure' | 'amount' | 'reason'>,
  by: { userId: number; name: string; at: Date },
): Promise<number> =>
  insertRow(tx, 'billing_corrections', {
    organisation_id: organisationId,
    month: `${month}-01`,
    measure,
    amount,
    reason,
    created_by: by.userId,
    created_by_name: by.name,
    created_at: by.at,
  });

/** The month of a client, locked against confirmations and corrections of others; undefined when it was not counted. */
export async function lockMonth(tx: Tx, scope: Scope, month: string): Promise<{ closedAt: Date | null } | undefined> {
  const { rows } = await sql<{ closedAt: Date | null }>`
    select closed_at as "closedAt" from billing_months where ${within('organisation_id', scope)} and month = ${dayOf(month)} for update`.execute(
    tx,
  );
  return rows[0];
}

export interface LineRow {
  measure: BillingMeasure;
  agreementId: string;
  itemId: string;
  label: string;
}

export async function listLines(tx: Tx, scope: Scope, targetId: number, clientId: number): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    select measure, agreement_id as "agreementId", item_id as "itemId", label from billing_lines
    where ${within('organisation_id', scope)} and target_id = ${targetId} and client_id = ${clientId}`.execute(tx);
  return rows;
}

/** Items of a target that other clients have, as `agreement item`. */
export async function listItemsOfOthers(tx: Tx, scope: Scope, targetId: number, clientId: number): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ item: string }>`
    select agreement_id || ' ' || item_id as item from billing_lines
    where ${within('organisation_id', scope)} and target_id = ${targetId} and client_id <> ${clientId}`.execute(tx);
  return new Set(rows.map(({ item }) => item));
}

interface Place {
  /** Owner of the target. */
  organisationId: number;
  targetId: number;
  clientId: number;
}

export async function replaceLines(
  tx: Tx,
  { organisationId, targetId, clientId }: Place,
  lines: readonly LineRow[],
): Promise<void> {
  await sql`delete from billing_lines where target_id = ${targetId} and client_id = ${clientId} and organisation_id = ${organisationId}`.execute(
    tx,
  );
  for (const { measure, agreementId, itemId, label } of lines)
    await tx
      .insertInto('billing_lines')
      .values({
        target_id: targetId,
        organisation_id: organisationId,
        client_id: clientId,
        measure,
        agreement_id: agreementId,
        item_id: itemId,
        label,
      })
      .execute();
}

export interface WriteRow {
  id: number;
  measure: BillingMeasure;
  quantity: number;
  by: string;
  at: Date;
  state: DeliveryState;
  words: string | null;
}

/** Newest confirmation of each measure. */
export async function listWrites(
  tx: Tx,
  scope: Scope,
  { targetId, clientId, month }: Omit<Place, 'organisationId'> & { month: string },
) {
  const { rows } = await sql<WriteRow>`
    select distinct on (w.measure) w.id, w.measure, w.quantity, ${shownName(scope, 'w.confirmed_by', 'w.confirmed_by_name')} as by, w.confirmed_at as at, d.state, d.words
    from billing_writes w join deliveries d on d.id = w.delivery_id
    where ${within('w.organisation_id', scope)} and w.target_id = ${targetId} and w.client_id = ${clientId} and w.month = ${dayOf(month)}
    order by w.measure, w.id desc`.execute(tx);
  return rows;
}

export const insertWrite = (
  tx: Tx,
  { organisationId, targetId, clientId }: Place,
  { month, measure, quantity, deliveryId }: { month: string; measure: BillingMeasure; quantity: number; deliveryId: number },
  by: { userId: number; name: string; at: Date },
): Promise<number> =>
  insertRow(tx, 'billing_writes', {
    organisation_id: organisationId,
    target_id: targetId,
    client_id: clientId,
    month: `${month}-01`,
    measure,
    quantity,
    delivery_id: deliveryId,
    confirmed_by: by.userId,
    confirmed_by_name: by.name,
    confirmed_at: by.at,
  });
