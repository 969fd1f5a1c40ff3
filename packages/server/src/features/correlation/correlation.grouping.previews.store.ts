/** SQL of previews of grouping sets. */
import type { GroupingChange } from '@parapet/contract/caseGrouping.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { storableJson } from '../../domain/audit.ts';
import { type ClientDifference, type Difference, type PreviewState, previewQueue } from '../../domain/previewQueue.ts';
import { shownName } from '../../domain/visibility.ts';
import type { GroupingSet } from './correlation.grouping.ts';
import type { PastKind } from './correlation.past.difference.ts';

export interface ClientResult extends ClientDifference {
  alerts: number;
  joined: number;
  split: number;
  alertsIn: number;
  alertsOut: number;
}

export interface Example {
  organisationId: number;
  kind: PastKind;
  title: string;
  criticality: number;
  at: string;
  count: number;
  deviceName: string | null;
  userName: string | null;
  caseId: number | null;
}

export type GroupingResult = Difference<ClientResult, Example>;

export interface GroupingPreviewRow {
  id: number;
  state: PreviewState;
  /** `leftOut`: clients beyond those of the preview; absent in old rows. */
  change: GroupingChange & { minutesPerCase: number; leftOut?: number };
  base: string;
  clientIds: number[];
  firstAt: Date;
  lastAt: Date;
  scanned: number;
  total: number;
  failure: string;
  requestedById: number | null;
  requestedAt: Date;
  result: GroupingResult | null;
}

const columns = sql`id, state, change, base, client_ids as "clientIds", first_at as "firstAt", last_at as "lastAt",
  scanned::float8 as scanned, total::float8 as total, failure, requested_by as "requestedById", requested_at as "requestedAt", result`;

export const groupingQueue = previewQueue<GroupingPreviewRow>('grouping_previews', columns);

export async function insertPreview(
  tx: Tx,
  of: {
    organisationId: number;
    userId: number;
    change: GroupingPreviewRow['change'];
    clientIds: readonly number[];
    firstAt: Date;
    lastAt: Date;
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into grouping_previews (organisation_id, requested_by, change, client_ids, first_at, last_at)
    values (${of.organisationId}, ${of.userId}, ${storableJson(of.change)}::jsonb, ${[...of.clientIds]}::integer[], ${of.firstAt}, ${of.lastAt})
    returning id`.execute(tx);
  return rows[0]!.id;
}

export async function findPreview(
  tx: Tx,
  scope: Scope,
  id: number,
): Promise<(GroupingPreviewRow & { requestedBy: string }) | undefined> {
  const { rows } = await sql<GroupingPreviewRow & { requestedBy: string }>`
    select ${columns}, coalesce((select ${shownName(scope, 'u.id', 'u.display')} from (
      select id, concat_ws(' ', first_name, last_name) as display from users where id = requested_by) u), '') as "requestedBy"
    from grouping_previews where ${within('organisation_id', scope)} and id = ${id}`.execute(tx);
  return rows[0];
}

export const saveBase = (tx: Tx, id: number, base: string): Promise<unknown> =>
  sql`update grouping_previews set base = ${base} where id = ${id}`.execute(tx);

/** The live versions of all organisations in the scope of the transaction, as text. */
export async function baseOf(tx: Tx): Promise<string> {
  const { rows } = await sql<{ base: string }>`
    select coalesce(string_agg(id::text, ',' order by id), '') as base from grouping_versions v
    where state = 'live' and exists (select from organisations o where o.id = v.organisation_id and o.deactivated_at is null)`.execute(
    tx,
  );
  return rows[0]!.base;
}

/** Live sets of these organisations. */
export async function listLive(tx: Tx, organisationIds: readonly number[]): Promise<Map<number, GroupingSet>> {
  const { rows } = await sql<GroupingSet & { organisationId: number }>`
    select organisation_id as "organisationId", parameters, common from grouping_versions
    where state = 'live' and organisation_id = any (${[...organisationIds]}::integer[])`.execute(tx);
  return new Map(rows.map(({ organisationId, ...set }) => [organisationId, set]));
}

/** Organisations for which a set holds: at most `limit`, and the number of others. */
export async function listClients(
  tx: Tx,
  scope: Scope,
  organisationId: number,
  isForAll: boolean,
  limit: number,
): Promise<{ clientIds: number[]; leftOut: number }> {
  const { rows } = await sql<{ id: number; total: number }>`
    select id, (count(*) over ())::integer as total from organisations
    where ${within('id', scope)} and not is_partner and (${isForAll} or id = ${organisationId} or parent_id = ${organisationId})
    order by id limit ${limit}`.execute(tx);
  return { clientIds: rows.map(({ id }) => id), leftOut: (rows[0]?.total ?? 0) - rows.length };
}
