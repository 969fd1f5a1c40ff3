/** SQL of retention settings, legal holds and requests. Every function takes the organisation, and runs in its scope or the portal’s own. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { faultOf, type PairFault } from '../../domain/approvers.ts';
import { archiveMonthsOf, eventDaysOf } from '../../domain/retentionDays.ts';
import { shownName } from '../../domain/visibility.ts';

export interface SettingsRow {
  name: string;
  isPartner: boolean;
  deactivatedAt: Date | null;
  erasedAt: Date | null;
  eventRetentionDays: number | null;
  archiveMonths: number | null;
  appliedDays: number;
  appliedMonths: number;
  minEventDays: number;
  maxEventDays: number | null;
  maxArchiveMonths: number;
  heldSince: Date | null;
  heldReason: string;
  heldByName: string;
}

export async function findSettings(
  tx: Tx,
  reader: Scope,
  organisationId: number,
  portalDays: number,
): Promise<SettingsRow | undefined> {
  const { rows } = await sql<SettingsRow>`
    select o.name, o.is_partner as "isPartner", o.deactivated_at as "deactivatedAt", o.erased_at as "erasedAt", o.event_retention_days as "eventRetentionDays",
      o.archive_months as "archiveMonths", ${eventDaysOf('o', portalDays)} as "appliedDays", ${archiveMonthsOf('o')} as "appliedMonths",
      s.event_days_min as "minEventDays", s.event_days_max as "maxEventDays", s.archive_months_max as "maxArchiveMonths",
      o.held_since as "heldSince", o.held_reason as "heldReason", ${shownName(reader, 'o.held_by', 'o.held_by_name')} as "heldByName"
    from organisations o cross join installation_settings s where o.id = ${organisationId}`.execute(tx);
  return rows[0];
}

export interface ListedSettings {
  clientOrganizationID: number;
  clientOrganizationName: string;
  eventDays: number;
  archiveMonths: number;
  archiveBytes: number;
  isHeld: boolean;
}

export async function listSettings(tx: Tx, scope: Scope, portalDays: number): Promise<ListedSettings[]> {
  const { rows } = await sql<ListedSettings>`
    select o.id as "clientOrganizationID", o.name as "clientOrganizationName", ${eventDaysOf('o', portalDays)} as "eventDays",
      ${archiveMonthsOf('o')} as "archiveMonths", o.held_since is not null as "isHeld",
      (select coalesce(sum(f.bytes), 0)::float8 from archive_files f where f.organisation_id = o.id) as "archiveBytes"
    from organisations o where ${within('o.id', scope)} and o.deactivated_at is null order by lower(o.name), o.id limit 10000`.execute(
    tx,
  );
  return rows;
}

export interface Archived {
  files: number;
  events: number;
  bytes: number;
  firstDay: string | null;
  lastDay: string | null;
}

export async function sumArchive(tx: Tx, organisationId: number): Promise<Archived> {
  const { rows } = await sql<Archived>`
    select count(*)::integer as files, coalesce(sum(rows), 0)::float8 as events, coalesce(sum(bytes), 0)::float8 as bytes,
      min(day)::text as "firstDay", max(day)::text as "lastDay" from archive_files where organisation_id = ${organisationId}`.execute(
    tx,
  );
  return rows[0]!;
}

export const updateChoice = (
  tx: Tx,
  organisationId: number,
  choice: { eventRetentionDays: number | null; archiveMonths: number | null },
) =>
  tx
    .updateTable('organisations')
    .set({ event_retention_days: choice.eventRetentionDays, archive_months: choice.archiveMonths })
    .where('id', '=', organisationId)
    .execute();

export const updateLimits = (
  tx: Tx,
  limits: { minEventDays: number; maxEventDays: number | null; maxArchiveMonths: number },
): Promise<unknown> =>
  tx
    .updateTable('installation_settings')
    .set({
      event_days_min: limits.minEventDays,
      event_days_max: limits.maxEventDays,
      archive_months_max: limits.maxArchiveMonths,
    })
    .execute();

export interface RequestRow {
  id: number;
  kind: 'hold' | 'lift' | 'erase';
  reason: string;
  requestedBy: number | null;
  requestedByName: string;
  /** As the caller may know it. */
  shownName: string;
  requestedAt: Date;
  expiresAt: Date;
  /** Reason why the caller cannot confirm it. */
  fault: PairFault | null;
}

/** The request that waits, judged for an account. In the portal’s own scope, as requesters may be outside of the caller’s. */
export async function findWaiting(
  tx: Tx,
  organisationId: number,
  { userId, reader }: { userId: number; reader: Scope },
  now: Date,
): Promise<RequestRow | undefined> {
  const { rows } = await sql<RequestRow>`
    select r.id, r.kind, r.reason, r.requested_by as "requestedBy", r.requested_by_name as "requestedByName",
      ${shownName(reader, 'r.requested_by', 'r.requested_by_name')} as "shownName",
      r.requested_at as "requestedAt", r.expires_at as "expiresAt", ${faultOf(sql`r.requested_by`, userId, now)} as fault
    from retention_requests r where r.organisation_id = ${organisationId} and r.state = 'waiting' and r.expires_at > ${now}`.execute(
    tx,
  );
  return rows[0];
}

export const expireRequests = (tx: Tx, organisationId: number, now: Date): Promise<unknown> =>
  tx
    .updateTable('retention_requests')
    .set({ state: 'expired' })
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'waiting')
    .where('expires_at', '<=', now)
    .execute();

export const setHold = (
  tx: Tx,
  organisationId: number,
  hold: { since: Date; reason: string; by: number | null; byName: string } | null,
): Promise<unknown> =>
  tx
    .updateTable('organisations')
    .set({
      held_since: hold?.since ?? null,
      held_reason: hold?.reason ?? '',
      held_by: hold?.by ?? null,
      held_by_name: hold?.byName ?? '',
    })
    .where('id', '=', organisationId)
    .execute();
