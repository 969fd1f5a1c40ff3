/** SQL of correlation: queue, sightings and joins. Values of many rows are sent as array columns or as one JSON document. */
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import { byKey, type Tx } from '../../core/db/scope.ts';
import type { RuleFacts } from '../../core/db/tables.detection.ts';
import { readPackedEvents } from '../../domain/alertEvents.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { valueAt } from '../../domain/events/fields.ts';
import type { EventFields } from './correlation.entities.ts';
import type { OpenCase, Sighting } from './correlation.judge.ts';
import { type Entity, keyOf } from './correlation.rules.ts';

export interface WaitingAlert {
  id: number;
  at: Date;
  raisedAt: Date;
  ruleId: number;
  criticality: number;
  deviceName: string | null;
  userName: string | null;
  /** Further rules that matched. */
  alsoRuleIds: number[];
  /** In a case already, or suppressed. */
  isPlaced: boolean;
}

export interface QueuedAlert extends WaitingAlert {
  /** Left its case to be correlated again. */
  isAgain: boolean;
}

export interface Ref {
  id: number;
  at: Date;
}

const idsOf = (refs: readonly Ref[]): RawBuilder<number[]> => integerColumn(refs.map((ref) => ref.id));
const timesOf = (refs: readonly Ref[]): RawBuilder<Date[]> => timeColumn(refs.map((ref) => ref.at.getTime()));

/** Organisations with queued alerts. */
export async function listOrganisationsWaiting(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from organisations o where exists (select from correlation_queue q where q.organisation_id = o.id) order by id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

const alertColumns = sql`id, at, raised_at as "raisedAt", rule_id as "ruleId", criticality, device_name as "deviceName", user_name as "userName", also_rule_ids as "alsoRuleIds"`;
const isPlaced = sql`exists (select from case_alerts c where c.alert_id = a.id and c.alert_at = a.at)
  or exists (select from suppressed_alerts s where s.alert_id = a.id and s.alert_at = a.at)`;

/** The oldest queued alerts, in the order of raising; `queued` also has ids of alerts that retention deleted. */
export async function readQueued(
  tx: Tx,
  organisationId: number,
  limit: number,
): Promise<{ queued: number[]; alerts: QueuedAlert[] }> {
  const { rows } = await sql<QueuedAlert & { queuedId: number }>`${byKey}
    select q.alert_id as "queuedId", q.is_again as "isAgain", a.*, ${isPlaced} as "isPlaced"
    from (select alert_id, alert_at, is_again from correlation_queue where organisation_id = ${organisationId} order by alert_id limit ${limit}) q
    left join lateral (
      select ${alertColumns} from alerts where organisation_id = ${organisationId} and id = q.alert_id and at = q.alert_at limit 1
    ) a on true order by q.alert_id`.execute(tx);
  return {
    queued: rows.map((row) => row.queuedId),
    alerts: rows.filter((row) => row.id !== null),
  };
}

// Lateral with a limit, here and below: forces one index lookup per row whatever the estimates.
export async function readAlerts(tx: Tx, organisationId: number, refs: readonly Ref[]): Promise<WaitingAlert[]> {
  if (refs.length === 0) return [];
  const { rows } = await sql<WaitingAlert>`${byKey}
    select a.*, ${isPlaced} as "isPlaced"
    from unnest(${idsOf(refs)}, ${timesOf(refs)}) as q (id, at)
    cross join lateral (
      select ${alertColumns} from alerts where organisation_id = ${organisationId} and id = q.id and at = q.at limit 1
    ) a`.execute(tx);
  return rows;
}

/** Fields of the alerts' events that correlation reads; each document is parsed once. */
export async function readFields(tx: Tx, organisationId: number, refs: readonly Ref[]): Promise<Map<number, EventFields[]>> {
  const byAlert = new Map<number, EventFields[]>();
  if (refs.length === 0) return byAlert;
  const { rows } = await sql<EventFields & { eventId: string }>`${byKey}
    select e.alert_id as "alertId", e.event_id as "eventId", e.event_at as at, d.source->'ip' as "sourceIp", d.destination->'ip' as "destinationIp", d.host->'ip' as "hostIp",
      d.process->'entity_id' as "processId", d.process->'parent'->'entity_id' as "parentId", d.process->'name' as "processName",
      d.process->'executable' as executable, d.process->'hash' as "processHash", d.file->'hash' as "fileHash", d.file->'path' as "filePath",
      d.dll->'hash' as "dllHash", d.dll->'path' as "dllPath", d.source->'domain' as "sourceName", d.destination->'domain' as "destinationName", d."user",
      d.process->'command_line' as "commandLine", d.process->'decoded_command_line' as "decodedCommandLine",
      d.powershell->'file'->'script_block_text' as script, d.powershell->'file'->'decoded_script_block_text' as "decodedScript"
    from unnest(${idsOf(refs)}, ${timesOf(refs)}) as q (id, at)
    cross join lateral (
      select alert_id, event_at, event_id, document from alert_events
      where organisation_id = ${organisationId} and alert_id = q.id and alert_at = q.at order by event_at, event_id limit 50
    ) e
    cross join lateral jsonb_to_record(case when jsonb_typeof(e.document) = 'object' then e.document else '{}' end)
      as d (source jsonb, destination jsonb, host jsonb, process jsonb, file jsonb, dll jsonb, "user" jsonb, powershell jsonb)`.execute(
    tx,
  );
  const seen = new Set<string>();
  for (const { eventId, ...row } of [...rows, ...(await readPackedFields(tx, organisationId, refs))]) {
    // A copy that was packed between the two statements is in both.
    const key = `${row.alertId} ${row.at.getTime()} ${eventId}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const known = byAlert.get(row.alertId);
    if (known) known.push(row);
    else byAlert.set(row.alertId, [row]);
  }
  return byAlert;
}

const fieldPaths: Readonly<Record<Exclude<keyof EventFields, 'alertId' | 'at'>, readonly string[]>> = {
  sourceIp: ['source', 'ip'],
  destinationIp: ['destination', 'ip'],
  hostIp: ['host', 'ip'],
  processId: ['process', 'entity_id'],
  parentId: ['process', 'parent', 'entity_id'],
  processName: ['process', 'name'],
  executable: ['process', 'executable'],
  processHash: ['process', 'hash'],
  fileHash: ['file', 'hash'],
  filePath: ['file', 'path'],
  dllHash: ['dll', 'hash'],
  dllPath: ['dll', 'path'],
  sourceName: ['source', 'domain'],
  destinationName: ['destination', 'domain'],
  user: ['user'],
  commandLine: ['process', 'command_line'],
  decodedCommandLine: ['process', 'decoded_command_line'],
  script: ['powershell', 'file', 'script_block_text'],
  decodedScript: ['powershell', 'file', 'decoded_script_block_text'],
};

/** The same of events that were packed before correlation came to their alerts. */
async function readPackedFields(
  tx: Tx,
  organisationId: number,
  refs: readonly Ref[],
): Promise<(EventFields & { eventId: string })[]> {
  const packed = await readPackedEvents(tx, { organisationIds: [organisationId] }, refs, { most: 50 });
  return [...packed.values()].flat().map(({ alertId, eventId, at, document }) => {
    const fields = Object.entries(fieldPaths).map(([name, path]) => [name, valueAt(document, ...path) ?? null]);
    return { alertId, eventId, at: new Date(at), ...(Object.fromEntries(fields) as Omit<EventFields, 'alertId' | 'at'>) };
  });
}

export interface Rule {
  title: string;
  criticality: number;
  tactics: string[];
}

export async function readRules(tx: Tx, ids: readonly number[]): Promise<Map<number, Rule>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('rules')
    .select(['id', 'title', 'criticality', 'facts'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, title, criticality, facts }) => [id, { title, criticality, tactics: tacticsOf(facts) }]));
}

const tacticsOf = (facts: RuleFacts): string[] =>
  Array.isArray(facts.tactics) ? facts.tactics.filter((tactic) => typeof tactic === 'string') : [];

export interface Suppression {
  id: number;
  ruleId: number | null;
  deviceName: string | null;
  userName: string | null;
  createdAt: Date;
  endsAt: Date;
}

/** Suppressions active at some time in the range. */
export async function listSuppressions(tx: Tx, organisationId: number, from: Date, to: Date): Promise<Suppression[]> {
  const rows = await tx
    .selectFrom('exceptions')
    .selectAll()
    .where('kind', '=', 'suppression')
    .where('organisation_id', '=', organisationId)
    .where('created_at', '<=', to)
    .where('ends_at', '>', from)
    .orderBy('id')
    .limit(10_000)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ruleId: row.rule_id,
    deviceName: row.device_name?.toLowerCase() ?? null,
    userName: row.user_name?.toLowerCase() ?? null,
    createdAt: row.created_at,
    endsAt: row.ends_at,
  }));
}

export async function insertSuppressed(tx: Tx, organisationId: number, hidden: readonly (Ref & { by: number })[]): Promise<void> {
  if (hidden.length === 0) return;
  await sql`
    with hidden as (
      insert into suppressed_alerts (organisation_id, alert_id, alert_at, suppression_id)
      select ${organisationId}, * from unnest(${idsOf(hidden)}, ${timesOf(hidden)}, ${integerColumn(hidden.map((each) => each.by))})
      on conflict do nothing returning suppression_id
    )
    update exceptions s set hidden_count = s.hidden_count + h.count
    from (select suppression_id, count(*)::integer as count from hidden group by 1) h
    where s.id = h.suppression_id and s.organisation_id = ${organisationId}`.execute(tx);
}

/** Limit per entity: its newest alerts; of those in one case the first, last and worst. */
export const maxSightings = 100;

/** Earlier alerts with these entities, within a window around each. An alert is one object under all its entities. */
export async function readSightings(
  tx: Tx,
  organisationId: number,
  wanted: readonly { entity: Entity; from: number; to: number }[],
): Promise<Map<string, Sighting[]>> {
  const seen = new Map<string, Sighting[]>();
  if (wanted.length === 0) return seen;
  // The place of the entity and milliseconds: many rows, whose texts and times take long to write and to parse.
  const { rows } = await sql<Omit<Sighting, 'caseId' | 'tactics'> & { place: number; caseId: number | null }>`
    select w.place::integer, s.* from unnest(${textColumn(wanted.map(({ entity }) => entity.kind))}, ${textColumn(wanted.map(({ entity }) => entity.value))},
      ${timeColumn(wanted.map(({ from }) => from))}, ${timeColumn(wanted.map(({ to }) => to))}) with ordinality as w (kind, value, first, last, place)
    cross join lateral (
      select alert_id as "alertId", date_part('epoch', alert_at) * 1000 as at, party, rule_id as "ruleId", criticality, case_id as "caseId"
      from (
        select *, row_number() over (partition by case_id order by alert_at desc) as newest, count(*) over (partition by case_id) as of,
          row_number() over (partition by case_id order by criticality desc, alert_at desc) as worst
        from (
          select alert_id, alert_at, party, rule_id, criticality, case_id from alert_entities
          where organisation_id = ${organisationId} and kind = w.kind and value = w.value and alert_at between w.first and w.last
          order by alert_at desc, alert_id desc limit ${maxSightings}
        ) found
      ) each
      where case_id is null or newest <= 2 or newest > of - 2 or worst = 1
    ) s`.execute(tx);
  const keys = wanted.map(({ entity }) => keyOf(entity));
  const sightings = new Map<number, Sighting>();
  for (const { place, alertId, at, party, ruleId, criticality, caseId } of rows) {
    let sighting = sightings.get(alertId);
    if (!sighting) {
      sighting = { alertId, at: Math.round(at), party, ruleId, criticality, caseId: caseId ?? undefined, tactics: [] };
      sightings.set(alertId, sighting);
    }
    const key = keys[place - 1]!;
    const known = seen.get(key);
    if (known) known.push(sighting);
    else seen.set(key, [sighting]);
  }
  return seen;
}

/** Events of a device just before an alert that are read. */
const maxBefore = 200;
const maxAddresses = 10;

/** Internal source addresses of sign-ins to the alerts' devices just before; the newest events of each device are read, so for few devices. */
export async function readArrivals(
  tx: Tx,
  organisationId: number,
  alerts: readonly WaitingAlert[],
  windowMs: number,
): Promise<Map<number, string[]>> {
  const arrivals = new Map<number, string[]>();
  if (alerts.length === 0) return arrivals;
  const withDevice = alerts.filter(({ deviceName }) => deviceName !== null);
  const queries = withDevice.map(({ at, deviceName }) => ({
    devices: [deviceName!],
    start: at.getTime() - windowMs,
    end: at.getTime() + 1,
    limit: maxBefore,
  }));
  const found = await eventStore.newestTexts(tx, { organisationIds: [organisationId] }, queries, ['source', 'ip']);
  for (const [index, { id }] of withDevice.entries()) {
    const addresses = new Set(found[index]);
    if (addresses.size > 0) arrivals.set(id, [...addresses].slice(0, maxAddresses));
  }
  return arrivals;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export interface NewEntity extends Entity {
  alertId: number;
  at: number;
  party: string;
  ruleId: number;
  criticality: number;
  caseId: number | null;
}

export async function insertEntities(tx: Tx, organisationId: number, shown: readonly NewEntity[]): Promise<void> {
  if (shown.length === 0) return;
  // Rows of one entity are stored together, as they are read together.
  const entities = [...shown].sort((a, b) => compare(a.kind, b.kind) || compare(a.value, b.value) || a.at - b.at);
  // 0 means none: the binary array has no nulls.
  await sql`
    insert into alert_entities (organisation_id, kind, value, alert_at, alert_id, party, rule_id, criticality, case_id)
    select ${organisationId}, kind, value, at, id, party, rule_id, criticality, nullif(case_id, 0) from unnest(
      ${textColumn(entities.map((each) => each.kind))}, ${textColumn(entities.map((each) => each.value))},
      ${timeColumn(entities.map((each) => each.at))}, ${integerColumn(entities.map((each) => each.alertId))},
      ${textColumn(entities.map((each) => each.party))}, ${integerColumn(entities.map((each) => each.ruleId))},
      ${integerColumn(entities.map((each) => each.criticality))}, ${integerColumn(entities.map((each) => each.caseId ?? 0))})
      as e (kind, value, at, id, party, rule_id, criticality, case_id)
    on conflict do nothing`.execute(tx);
}

/** Earlier alerts that joined a case. */
export async function placeEntities(
  tx: Tx,
  organisationId: number,
  placed: readonly { id: number; caseId: number }[],
): Promise<void> {
  if (placed.length === 0) return;
  await sql`
    update alert_entities e set case_id = p.case_id
    from unnest(${integerColumn(placed.map((each) => each.id))}, ${integerColumn(placed.map((each) => each.caseId))}) as p (id, case_id)
    where e.organisation_id = ${organisationId} and e.alert_id = p.id`.execute(tx);
}

export async function removeEntitiesBefore(tx: Tx, organisationId: number, before: Date): Promise<void> {
  await sql`delete from alert_entities where organisation_id = ${organisationId} and alert_at < ${before}`.execute(tx);
}

/** Cases of these that are still open. */
export async function listOpenCases(tx: Tx, organisationId: number, ids: readonly number[]): Promise<OpenCase[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('cases')
    .select(['id', 'first_alert_at', 'alert_count'])
    .select(sql<boolean>`is_attended(cases)`.as('isAttended'))
    .select(sql<number>`cardinality(device_names)`.as('devices'))
    .where('organisation_id', '=', organisationId)
    .where('id', 'in', [...ids])
    .where('closed_at', 'is', null)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    firstAt: row.first_alert_at.getTime(),
    isAttended: row.isAttended,
    alerts: row.alert_count,
    devices: row.devices,
  }));
}

/** Locks cases until the transaction ends; cases closed in the meantime are missing. */
export async function lockOpenCases(tx: Tx, organisationId: number, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom('cases')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('id', 'in', [...ids])
    .where('closed_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function removeQueued(tx: Tx, organisationId: number, ids: readonly number[]): Promise<void> {
  await sql`delete from correlation_queue where organisation_id = ${organisationId} and alert_id = any (${integerColumn(ids)})`.execute(
    tx,
  );
}
