/** SQL of incidents, for people. Every function takes the scope first; row-level security enforces it again. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { IncidentMode } from '../../core/db/tables.connections.ts';
import { within } from '../../core/db/within.ts';

export interface CaseIncidentRow {
  kind: 'incident' | 'alert';
  vendorId: string;
  title: string;
  url: string;
  connectionKind: string;
  connectionName: string;
  mode: IncidentMode;
  status: string;
  isClosed: boolean;
  classification: string | null;
  determination: string;
  assignedTo: string | null;
  readAt: Date | null;
  isSending: boolean;
  error: string | null;
  conflict: string | null;
  goneAt: Date | null;
}

/** Incidents that the alerts of a case belong to, open ones first. */
export async function listCaseIncidents(tx: Tx, scope: Scope, caseId: number, limit: number): Promise<CaseIncidentRow[]> {
  const { rows } = await sql<CaseIncidentRow>`
    select i.kind, i.vendor_id as "vendorId", i.title, i.url, c.kind as "connectionKind", c.name as "connectionName", s.mode, i.status,
      i.state = 'closed' as "isClosed", i.classification, i.determination, i.assigned_to as "assignedTo", i.read_at as "readAt",
      i.is_sending as "isSending", i.error, i.conflict, i.gone_at as "goneAt"
    from incidents i join connections c on c.id = i.connection_id join incident_syncs s on s.connection_id = i.connection_id
    where ${within('i.organisation_id', scope)} and i.merged_into is null and i.id in (select a.incident_id from case_alerts k
      join incident_alerts a on a.alert_id = k.alert_id and a.alert_at = k.alert_at
      where k.case_id = ${caseId} and ${within('k.organisation_id', scope)})
    order by i.state = 'closed', i.id limit ${limit}`.execute(tx);
  return rows;
}

/** Only later changes are exchanged: what cases and incidents are now counts as agreed. The same mode only tries again. Returns the former mode. */
export async function updateIncidentMode(
  tx: Tx,
  place: { organisationId: number; id: number },
  mode: IncidentMode,
): Promise<IncidentMode> {
  const { rows } = await sql<{ mode: IncidentMode }>`
    with former as (select mode from incident_syncs where connection_id = ${place.id} and organisation_id = ${place.organisationId})
    insert into incident_syncs (connection_id, organisation_id, mode) values (${place.id}, ${place.organisationId}, ${mode})
    on conflict (connection_id) do update set mode = excluded.mode,
      mode_at = case when incident_syncs.mode = excluded.mode then incident_syncs.mode_at else now() end, next_at = now(), failures = 0, error = null, error_at = null
    returning coalesce((select mode from former), 'read') as mode`.execute(tx);
  await sql`update incidents set next_at = now(), failures = 0
    where connection_id = ${place.id} and organisation_id = ${place.organisationId} and failures > 0`.execute(tx);
  return rows[0]!.mode;
}
