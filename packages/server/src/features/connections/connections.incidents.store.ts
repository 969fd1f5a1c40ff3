/** SQL of the worker of incidents: which accounts and incidents are due, their cases, and what a comparison leaves behind. */
import type { IncidentRef, VendorIncident } from '@parapet/connectors/incidents.ts';
import { sql } from 'kysely';
import { textColumn, timeColumn } from '../../core/db/bulk.ts';
import { storable } from '../../core/db/like.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Agreed, IncidentMode } from '../../core/db/tables.connections.ts';
import { type AlertRef, readPackedEvents } from '../../domain/alertEvents.ts';

const maxWords = 500;
/** Incidents whose cases were all closed longer ago are read no more. */
const watchedDays = 30;
export const wordsOf = (text: string): string => storable(text).slice(0, maxWords).toWellFormed();

/** An account whose incidents are due, leased. */
export interface ClaimedSync {
  id: number;
  organisationId: number;
  kind: string;
  account: string;
  settings: Record<string, string>;
  secrets: Buffer;
  mode: IncidentMode;
  version: number;
  failures: number;
  readUntil: Date;
  linkedAt: Date | null;
  nextAt: Date;
}

/** Versions of the cases of an incident. */
const casesOf = (incident: string) => sql<
  string | null
>`(select string_agg(k.id || ':' || k.version, ',' order by k.id) from cases k
  where k.organisation_id = ${sql.ref(`${incident}.organisation_id`)} and k.id in (select c.case_id from incident_alerts a
    join case_alerts c on c.alert_id = a.alert_id and c.alert_at = a.alert_at where a.incident_id = ${sql.ref(`${incident}.id`)}))`;

export const addSyncs = (tx: Tx, kinds: readonly string[]): Promise<unknown> =>
  sql`insert into incident_syncs (connection_id, organisation_id) select id, organisation_id from connections c
    where kind = any(${[...kinds]}::text[]) and not exists (select from incident_syncs s where s.connection_id = c.id)
    on conflict do nothing`.execute(tx);

/** Conditions under which an account is worked on. */
const isIdle = (
  now: Date,
) => sql`c.state = 'active' and (select not is_paused()) and (s.leased_until is null or s.leased_until < ${now})
  and o.deactivated_at is null and p.deactivated_at is null`;

/** Accounts that are due. */
export async function listDueSyncs(tx: Tx, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.connection_id as id from incident_syncs s join connections c on c.id = s.connection_id
    join organisations o on o.id = s.organisation_id left join organisations p on p.id = o.parent_id
    where ${isIdle(now)} and s.next_at <= ${now} order by s.next_at, s.connection_id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Incidents of these cases that no comparison saw in their newest version, by account; none of accounts that fail. */
export async function listChangedIncidents(
  tx: Tx,
  now: Date,
  caseIds: readonly number[],
  limit: number,
): Promise<{ id: number; incidents: number[] }[]> {
  const { rows } = await sql<{ id: number; incidents: number[] }>`
    select s.connection_id as id, array_agg(i.id order by i.id) as incidents
    from (select distinct a.incident_id as id from case_alerts k
      join incident_alerts a on a.alert_id = k.alert_id and a.alert_at = k.alert_at
      where k.case_id = any(${[...caseIds]}::integer[]) order by 1 limit ${limit}) f
    join incidents i on i.id = f.id join incident_syncs s on s.connection_id = i.connection_id join connections c on c.id = s.connection_id
    join organisations o on o.id = s.organisation_id left join organisations p on p.id = o.parent_id
    where ${isIdle(now)} and s.failures = 0 and i.failures = 0 and i.gone_at is null and i.merged_into is null
      and i.cases is distinct from ${casesOf('i')}
    group by s.connection_id order by s.connection_id`.execute(tx);
  return rows;
}

/** Leases an account; undefined where another worker has it. */
export async function claimSync(tx: Tx, id: number, now: Date, until: Date): Promise<ClaimedSync | undefined> {
  const { rows } = await sql<ClaimedSync>`
    update incident_syncs s set leased_until = ${until}, version = s.version + 1 from connections c
    where s.connection_id = ${id} and c.id = s.connection_id and c.state = 'active' and (s.leased_until is null or s.leased_until < ${now})
    returning c.id, c.organisation_id as "organisationId", c.kind, c.account, c.settings, c.secrets, s.mode, s.version, s.failures,
      s.read_until as "readUntil", s.linked_at as "linkedAt", s.next_at as "nextAt"`.execute(tx);
  return rows[0];
}

/** Extends the lease until the transaction's end at least; undefined once it is gone. Returns the mode, which a person may have changed. */
export async function holdSync(
  tx: Tx,
  { id, version }: ClaimedSync,
  until: Date,
): Promise<{ mode: IncidentMode; modeAt: Date } | undefined> {
  return tx
    .updateTable('incident_syncs')
    .set({ leased_until: until })
    .where('connection_id', '=', id)
    .where('version', '=', version)
    .returning(['mode', 'mode_at as modeAt'])
    .executeTakeFirst();
}

export interface SyncEnd {
  nextAt: Date;
  failures: number;
  error: string | null;
  readUntil?: Date;
  linkedAt?: Date | undefined;
}

export async function endSync(tx: Tx, { id, version }: ClaimedSync, end: SyncEnd, now: Date): Promise<void> {
  await tx
    .updateTable('incident_syncs')
    .set({
      leased_until: null,
      next_at: end.nextAt,
      failures: end.failures,
      error: end.error === null ? null : wordsOf(end.error),
      error_at: end.error === null ? null : now,
      ...(end.readUntil && { read_until: end.readUntil }),
      ...(end.linkedAt && { linked_at: end.linkedAt }),
    })
    .where('connection_id', '=', id)
    .where('version', '=', version)
    .execute();
}

export interface AlertEvent {
  alertId: number;
  alertAt: Date;
  fields: Record<string, unknown>;
}

/** Events of alerts since a time that name an incident, with the fields that identify it; packed copies of alerts without one as well. */
export async function listAlertEvents(
  tx: Tx,
  organisationId: number,
  support: { module: string; fields: readonly string[] },
  since: Date,
): Promise<AlertEvent[]> {
  const { rows } = await sql<AlertEvent>`
    select e.alert_id as "alertId", e.alert_at as "alertAt",
      (select jsonb_object_agg(f, e.document -> f) from unnest(${[...support.fields]}::text[]) f) as fields
    from alerts a join alert_events e on e.alert_id = a.id and e.alert_at = a.at and e.organisation_id = a.organisation_id
    where a.organisation_id = ${organisationId} and a.at >= ${since} and e.alert_at >= ${since}
      and e.document #>> '{event,module}' = ${support.module}`.execute(tx);
  return [...rows, ...(await listPackedEvents(tx, organisationId, support, since))];
}

/** Alerts whose packed copies one look reads. */
const maxPackedAlerts = 5_000;

async function listPackedEvents(
  tx: Tx,
  organisationId: number,
  { module, fields }: { module: string; fields: readonly string[] },
  since: Date,
): Promise<AlertEvent[]> {
  const { rows: alerts } = await sql<AlertRef>`
    select a.id, a.at from alerts a where a.organisation_id = ${organisationId} and a.at >= ${since}
      and not exists (select from incident_alerts i where i.alert_id = a.id and i.alert_at = a.at)
      and not exists (select from alert_events e where e.alert_id = a.id and e.alert_at = a.at and e.organisation_id = a.organisation_id)
    order by a.at desc, a.id desc limit ${maxPackedAlerts}`.execute(tx);
  const packed = await readPackedEvents(tx, { organisationIds: [organisationId] }, alerts, { most: 1_000 });
  return alerts.flatMap(({ id, at }) =>
    (packed.get(id) ?? [])
      .filter(({ document }) => (document.event as { module?: unknown } | undefined)?.module === module)
      .map(({ document }) => ({
        alertId: id,
        alertAt: at,
        fields: Object.fromEntries(fields.map((field) => [field, document[field]])),
      })),
  );
}

/** Links alerts to incidents, or to the ones that these were merged into. */
export async function saveLinks(
  tx: Tx,
  { id, organisationId }: Pick<ClaimedSync, 'id' | 'organisationId'>,
  links: readonly (Pick<AlertEvent, 'alertId' | 'alertAt'> & { ref: IncidentRef })[],
): Promise<void> {
  if (links.length === 0) return;
  const kinds = textColumn(links.map(({ ref }) => ref.kind));
  const ids = textColumn(links.map(({ ref }) => ref.id));
  await sql`insert into incidents (organisation_id, connection_id, kind, vendor_id)
    select distinct ${organisationId}::integer, ${id}::integer, l.kind, l.vendor_id from unnest(${kinds}, ${ids}) as l (kind, vendor_id)
    on conflict do nothing`.execute(tx);
  await sql`insert into incident_alerts (incident_id, organisation_id, alert_id, alert_at)
    select coalesce(t.id, i.id), ${organisationId}::integer, l.alert_id::integer, l.alert_at::timestamptz
    from unnest(${kinds}, ${ids}, ${textColumn(links.map(({ alertId }) => String(alertId)))},
      ${textColumn(links.map(({ alertAt }) => alertAt.toISOString()))}) as l (kind, vendor_id, alert_id, alert_at)
    join incidents i on i.connection_id = ${id} and i.organisation_id = ${organisationId} and i.kind = l.kind and i.vendor_id = l.vendor_id
    left join incidents t on t.connection_id = i.connection_id and t.kind = 'incident' and t.vendor_id = i.merged_into
    on conflict do nothing`.execute(tx);
}

/** Clocks of the portal and the vendor may differ by it. */
const clockSkewMs = 120_000;

/** Marks incidents that the vendor changed after they were read as due. */
export const markChanged = (
  tx: Tx,
  { id }: Pick<ClaimedSync, 'id'>,
  changed: readonly Pick<VendorIncident, 'kind' | 'id' | 'changedAt'>[],
  now: Date,
): Promise<unknown> =>
  sql`update incidents i set next_at = least(i.next_at, ${now}) from unnest(${textColumn(changed.map(({ kind }) => kind))},
      ${textColumn(changed.map((each) => each.id))}, ${timeColumn(changed.map(({ changedAt }) => changedAt + clockSkewMs))})
      as l (kind, vendor_id, changed_at)
    where i.connection_id = ${id} and i.kind = l.kind and i.vendor_id = l.vendor_id and i.failures = 0
      and (i.read_at is null or i.read_at < l.changed_at)`.execute(tx);

/** Incidents with cases that are due, or whose cases changed, oldest first. */
export async function listDueIncidents(tx: Tx, { id, organisationId }: ClaimedSync, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select i.id from incidents i cross join lateral (select ${casesOf('i')} as cases) now
    where i.connection_id = ${id} and i.organisation_id = ${organisationId} and i.gone_at is null and i.merged_into is null and now.cases is not null
      and (i.next_at <= ${now} or (i.failures = 0 and i.cases is distinct from now.cases))
      and (i.cases is distinct from now.cases or exists (select from incident_alerts a
        join case_alerts c on c.alert_id = a.alert_id and c.alert_at = a.alert_at join cases k on k.id = c.case_id
        where a.incident_id = i.id and (k.closed_at is null or k.closed_at > ${now}::timestamptz - make_interval(days => ${watchedDays}::integer))))
    order by i.next_at, i.id limit ${limit}`.execute(tx);
  return rows.map(({ id: each }) => each);
}

export interface IncidentRow {
  id: number;
  kind: IncidentRef['kind'];
  vendorId: string;
  agreed: Agreed | null;
  comment: string | null;
  comments: number;
  failures: number;
  conflict: string | null;
  cases: string | null;
  readAt: Date | null;
}

const columns = [
  'id',
  'kind',
  'vendor_id as vendorId',
  'agreed',
  'comment',
  'comments',
  'failures',
  'conflict',
  'cases',
  'read_at as readAt',
] as const;

/** Locks it until the transaction ends. */
export const findIncident = (
  tx: Tx,
  { id: connectionId }: Pick<ClaimedSync, 'id'>,
  id: number,
): Promise<IncidentRow | undefined> =>
  tx
    .selectFrom('incidents')
    .select(columns)
    .where('connection_id', '=', connectionId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst() as Promise<IncidentRow | undefined>;

/** Its cases, lowest id first. */
export async function listCaseIds(tx: Tx, organisationId: number, incidentId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct c.case_id as id from incident_alerts a join case_alerts c on c.alert_id = a.alert_id and c.alert_at = a.alert_at
    where a.incident_id = ${incidentId} and c.organisation_id = ${organisationId} order by 1 limit 200`.execute(tx);
  return rows.map(({ id }) => id);
}

/** True for an analyst of the organisation itself, whom its own people know by name. */
export async function isOwnUser(tx: Tx, organisationId: number, userId: number): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from users where id = ${userId} and organisation_id = ${organisationId}) as is`.execute(tx);
  return rows[0]!.is;
}

export interface IncidentSet {
  agreed?: Agreed;
  comment?: string | null;
  isCounted?: boolean;
  isSending: boolean;
  failures: number;
  error: string | null;
  /** Undefined leaves it. */
  conflict?: string | null | undefined;
  nextAt: Date;
  isCompared?: boolean;
}

/** Saves the newest reading and what follows from it. With `isCompared`, the versions of its cases are those of this transaction. */
export async function saveIncident(
  tx: Tx,
  id: number,
  now: VendorIncident | undefined,
  set: IncidentSet,
  readAt: Date,
): Promise<void> {
  await tx
    .updateTable('incidents as i')
    .set({
      ...(now && {
        title: storable(now.title),
        url: now.url,
        status: storable(now.status),
        state: now.state,
        classification: now.classification,
        determination: storable(now.determination),
        assigned_to: now.assignedTo === null ? null : storable(now.assignedTo),
        read_at: readAt,
        gone_at: null,
      }),
      ...(set.agreed && { agreed: JSON.stringify(set.agreed) }),
      ...(set.comment !== undefined && { comment: set.comment }),
      ...(set.isCounted && { comments: sql<number>`comments + 1` }),
      ...(set.conflict !== undefined && { conflict: set.conflict === null ? null : wordsOf(set.conflict) }),
      is_sending: set.isSending,
      failures: set.failures,
      error: set.error === null ? null : wordsOf(set.error),
      next_at: set.nextAt,
      ...(set.isCompared && { cases: casesOf('i') }),
    })
    .where('id', '=', id)
    .execute();
}

/** Notes a failed attempt. */
export async function saveFailed(tx: Tx, id: number, failed: { error: string; failures: number; nextAt: Date }): Promise<void> {
  await tx
    .updateTable('incidents')
    .set({ error: wordsOf(failed.error), failures: failed.failures, next_at: failed.nextAt })
    .where('id', '=', id)
    .execute();
}

export async function markGone(tx: Tx, id: number, now: Date): Promise<void> {
  await tx
    .updateTable('incidents')
    .set({ gone_at: now, is_sending: false, comment: null, error: null, failures: 0 })
    .where('id', '=', id)
    .execute();
}

/** Moves the alerts of an incident to the one that it was merged into. */
export async function mergeIncident(tx: Tx, { id, organisationId }: ClaimedSync, from: number, into: string): Promise<void> {
  await sql`insert into incidents (organisation_id, connection_id, kind, vendor_id) values (${organisationId}, ${id}, 'incident', ${into})
    on conflict do nothing`.execute(tx);
  await sql`with moved as (delete from incident_alerts where incident_id = ${from} returning organisation_id, alert_id, alert_at)
    insert into incident_alerts (incident_id, organisation_id, alert_id, alert_at)
    select i.id, m.organisation_id, m.alert_id, m.alert_at from moved m
    join incidents i on i.connection_id = ${id} and i.kind = 'incident' and i.vendor_id = ${into} on conflict do nothing`.execute(
    tx,
  );
  await sql`update incidents i set merged_into = ${into}, is_sending = false, comment = null, error = null, failures = 0
    from incidents f where f.id = ${from} and i.connection_id = ${id} and i.kind = 'incident'
      and (i.id = f.id or i.merged_into = f.vendor_id)`.execute(tx);
}
