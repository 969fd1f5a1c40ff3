/** SQL of previews, and of the cases that alerts belong to. */

import { maxMaliciousCases, type RuleChange } from '@parapet/contract/rulePreviews.ts';
import { sql } from 'kysely';
import { textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type AlertRef, readAlertEvents } from '../../domain/alertEvents.ts';
import { storableJson } from '../../domain/audit.ts';
import { isMalicious } from '../../domain/maliciousCases.ts';
import { type ClientDifference, type Difference, type PreviewState, previewQueue } from '../../domain/previewQueue.ts';
import { shownName } from '../../domain/visibility.ts';
import type { PastAlert } from '../../pipeline/past.ts';

export interface ClientResult extends ClientDifference {
  events: number;
}

export interface Example extends PastAlert {
  organisationId: number;
  kind: 'gained' | 'lost' | 'changed';
}

export type PreviewResult = Difference<ClientResult, Example>;

export interface PreviewRow {
  id: number;
  organisationId: number;
  state: PreviewState;
  change: RuleChange;
  clientIds: number[];
  firstAt: Date;
  lastAt: Date;
  scanned: number;
  total: number;
  failure: string;
  requestedById: number | null;
  requestedAt: Date;
  result: PreviewResult | null;
}

const columns = sql`id, organisation_id as "organisationId", state, change, client_ids as "clientIds", first_at as "firstAt", last_at as "lastAt",
  scanned::float8 as scanned, total::float8 as total, failure, requested_by as "requestedById", requested_at as "requestedAt", result`;

export async function insertPreview(
  tx: Tx,
  of: { organisationId: number; userId: number; change: RuleChange; clientIds: readonly number[]; firstAt: Date; lastAt: Date },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into rule_previews (organisation_id, requested_by, rule_key, change, client_ids, first_at, last_at)
    values (${of.organisationId}, ${of.userId}, ${of.change.ruleID}, ${storableJson(of.change)}::jsonb, ${[...of.clientIds]}::integer[],
      ${of.firstAt}, ${of.lastAt}) returning id`.execute(tx);
  return rows[0]!.id;
}

export async function findPreview(tx: Tx, scope: Scope, id: number): Promise<(PreviewRow & { requestedBy: string }) | undefined> {
  const { rows } = await sql<PreviewRow & { requestedBy: string }>`
    select ${columns}, coalesce((select ${shownName(scope, 'u.id', 'u.display')} from (
      select id, concat_ws(' ', first_name, last_name) as display from users where id = requested_by) u), '') as "requestedBy"
    from rule_previews where ${within('organisation_id', scope)} and id = ${id}`.execute(tx);
  return rows[0];
}

export const queue = previewQueue<PreviewRow>('rule_previews', columns);

/** Clients to which a setting of an organisation applies, within the scope. */
export async function listClients(
  tx: Tx,
  scope: Scope,
  organisationId: number,
  isForAll: boolean,
  most: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from organisations where ${within('id', scope)} and (${isForAll} or id = ${organisationId} or parent_id = ${organisationId})
    order by id limit ${most}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Malicious cases of alerts that were raised about the times of these. */
export async function listMaliciousCases(
  tx: Tx,
  organisationId: number,
  alerts: readonly PastAlert[],
  windowMs: number,
): Promise<{ caseId: number; alerts: number }[]> {
  if (alerts.length === 0) return [];
  const { rows } = await sql<{ caseId: number; alerts: number }>`
    select c.id as "caseId", count(distinct a.id)::integer as alerts
    from unnest(${textColumn(alerts.map(({ ruleKey }) => ruleKey))}, ${timeColumn(alerts.map(({ at }) => at - windowMs))},
      ${timeColumn(alerts.map(({ lastAt }) => lastAt + windowMs))}, ${textColumn(alerts.map(({ deviceName }) => deviceName))},
      ${textColumn(alerts.map(({ userName }) => userName))}) as l (key, first, last, device, person)
    join rules r on r.key = l.key
    join alerts a on a.organisation_id = ${organisationId} and a.rule_id = r.id and a.at between l.first and l.last
      and lower(a.device_name) is not distinct from lower(l.device) and lower(a.user_name) is not distinct from lower(l.person)
    join case_alerts ca on ca.alert_id = a.id and ca.alert_at = a.at
    join cases c on c.id = ca.case_id
    where ${isMalicious} group by c.id order by c.id limit ${maxMaliciousCases}`.execute(tx);
  return rows;
}

const maxCopies = 5_000;
const maxCopiesOfAlert = 100;
const alertsPerRead = 500;

export interface MaliciousCopy {
  caseId: number;
  organisationId: number;
  alertId: number;
  document: Record<string, unknown>;
}

/** Stored events of a rule’s alerts in malicious cases. */
export async function listMaliciousCopies(
  tx: Tx,
  scope: Scope,
  organisationIds: readonly number[],
  key: string,
  since: Date,
): Promise<MaliciousCopy[]> {
  const { rows } = await sql<AlertRef & { caseId: number; organisationId: number }>`
    select c.id as "caseId", a.organisation_id as "organisationId", a.id, a.at from rules r
    join alerts a on a.rule_id = r.id and a.at >= ${since} and a.organisation_id = any(${[...organisationIds]}::integer[])
    join case_alerts ca on ca.alert_id = a.id and ca.alert_at = a.at
    join cases c on c.id = ca.case_id
    where r.key = ${key} and ${within('a.organisation_id', scope)} and ${isMalicious} order by a.at desc limit ${sql.lit(maxCopies)}`.execute(
    tx,
  );
  const copies: MaliciousCopy[] = [];
  for (let from = 0; from < rows.length && copies.length < maxCopies; from += alertsPerRead) {
    const alerts = rows.slice(from, from + alertsPerRead);
    const events = await readAlertEvents(tx, scope, alerts, { most: maxCopiesOfAlert });
    for (const { caseId, organisationId, id } of alerts)
      for (const { document } of events.get(id) ?? []) copies.push({ caseId, organisationId, alertId: id, document });
  }
  return copies.slice(0, maxCopies);
}
