/** Stored events of a case, reduced to the fields of its attack graph. */
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type AlertEvent, type AlertRef, readPackedEvents } from '../../domain/alertEvents.ts';
import { textAt, valueAt } from '../../domain/events/fields.ts';

export const maxGraphEvents = 5_000;
const eventsPerAlert = 10;
/** Characters of a value; documents are hostile and long. */
const maxPersons = 5_000;
const maxText = 2_000;

const textFields = {
  hostName: ['host', 'name'],
  category: ['event', 'category'],
  type: ['event', 'type'],
  action: ['event', 'action'],
  outcome: ['event', 'outcome'],
  code: ['event', 'code'],
  processId: ['process', 'entity_id'],
  pid: ['process', 'pid'],
  processName: ['process', 'name'],
  executable: ['process', 'executable'],
  commandLine: ['process', 'command_line'],
  parentId: ['process', 'parent', 'entity_id'],
  parentPid: ['process', 'parent', 'pid'],
  parentName: ['process', 'parent', 'name'],
  parentExecutable: ['process', 'parent', 'executable'],
  parentCommandLine: ['process', 'parent', 'command_line'],
  sha256: ['process', 'hash', 'sha256'],
  userName: ['user', 'name'],
  userDomain: ['user', 'domain'],
  targetUserName: ['user', 'target', 'name'],
  targetUserDomain: ['user', 'target', 'domain'],
  effectiveUserName: ['user', 'effective', 'name'],
  effectiveUserDomain: ['user', 'effective', 'domain'],
  destinationName: ['destination', 'domain'],
  destinationPort: ['destination', 'port'],
  direction: ['network', 'direction'],
  question: ['dns', 'question', 'name'],
  urlDomain: ['url', 'domain'],
  url: ['url', 'original'],
  filePath: ['file', 'path'],
  fileName: ['file', 'name'],
  fileSha256: ['file', 'hash', 'sha256'],
  libraryPath: ['dll', 'path'],
  registryPath: ['registry', 'path'],
  registryData: ['registry', 'data', 'strings'],
  serviceName: ['service', 'name'],
  targetImage: ['winlog', 'event_data', 'TargetImage'],
  targetPid: ['winlog', 'event_data', 'TargetProcessId'],
} as const;
/** Fields that may be lists. */
const listFields = {
  hostIps: ['host', 'ip'],
  sourceIps: ['source', 'ip'],
  destinationIps: ['destination', 'ip'],
  resolvedIps: ['dns', 'resolved_ip'],
} as const;

type TextFields = { [Name in keyof typeof textFields]: string | null };
type ListFields = { [Name in keyof typeof listFields]: unknown };

/** An event of an alert of the case. */
export interface GraphEvent extends TextFields, ListFields {
  at: Date;
  alertId: number;
  rule: string;
  /** Short names. */
  tactics: unknown;
  criticality: number;
  alertDevice: string | null;
  alertUser: string | null;
}

const pathOf = (keys: readonly string[]): RawBuilder<unknown> => sql`${sql.lit(`{${keys.join(',')}}`)}`;

type Fields = TextFields & ListFields;
type Member = Pick<GraphEvent, 'alertId' | 'rule' | 'tactics' | 'criticality' | 'alertDevice' | 'alertUser'> & { alertAt: Date };
type Found = Fields & { alertId: number; eventId: string; at: Date };

/** Events of the worst alerts first; an alert without stored events is one event of its device and user. One more than the limit is read. */
export async function listGraphEvents(tx: Tx, scope: Scope, caseId: number): Promise<GraphEvent[]> {
  const { rows: members } = await sql<Member>`
    select m.alert_id as "alertId", m.alert_at as "alertAt", left(r.title, ${sql.lit(maxText)}) as rule, r.facts -> 'tactics' as tactics, m.criticality,
      a.device_name as "alertDevice", a.user_name as "alertUser"
    from (
      select alert_id, alert_at, rule_id, criticality from case_alerts
      where case_id = ${caseId} and ${within('organisation_id', scope)}
      order by criticality desc, alert_at, alert_id limit ${sql.lit(maxGraphEvents + 1)}
    ) m
    join rules r on r.id = m.rule_id
    cross join lateral (
      select device_name, user_name from alerts
      where id = m.alert_id and at = m.alert_at and ${within('organisation_id', scope)} limit 1
    ) a
    order by m.criticality desc, m.alert_at, m.alert_id`.execute(tx);
  const events = await fieldsOf(
    tx,
    scope,
    members.map(({ alertId, alertAt }) => ({ id: alertId, at: alertAt })),
  );
  return members
    .flatMap(({ alertAt, ...member }): GraphEvent[] => {
      const own = events.get(member.alertId) ?? [{ ...noFields, at: alertAt }];
      return own.map((fields) => ({ ...member, ...fields }));
    })
    .slice(0, maxGraphEvents + 1);
}

const names = Object.keys({ ...textFields, ...listFields }) as (keyof Fields)[];
const noFields = Object.fromEntries(names.map((name) => [name, null])) as Fields;

/** Fields of the first events of each alert: of rows by the database, which leaves long documents there. */
async function fieldsOf(tx: Tx, scope: Scope, alerts: readonly AlertRef[]): Promise<Map<number, (Fields & { at: Date })[]>> {
  const texts = Object.entries(textFields).map(
    ([name, keys]) => sql`left(e.document #>> ${pathOf(keys)}, ${sql.lit(maxText)}) as ${sql.ref(name)}`,
  );
  const lists = Object.entries(listFields).map(([name, keys]) => sql`e.document #> ${pathOf(keys)} as ${sql.ref(name)}`);
  const { rows } = await sql<Found>`
    select e.alert_id as "alertId", e.event_id as "eventId", e.event_at as at, ${sql.join([...texts, ...lists])}
    from unnest(${integerColumn(alerts.map(({ id }) => id))}, ${timeColumn(alerts.map(({ at }) => at.getTime()))}) as q (id, at)
    cross join lateral (
      select alert_id, event_at, event_id, document from alert_events
      where alert_id = q.id and alert_at = q.at and ${within('organisation_id', scope)}
      order by event_at, event_id limit ${sql.lit(eventsPerAlert)}
    ) e`.execute(tx);
  const packed = await readPackedEvents(tx, scope, alerts, { most: eventsPerAlert });
  const all = [...rows, ...[...packed.values()].flat().map(fieldsOfPacked)];
  const byAlert = new Map<number, Map<string, Found>>();
  for (const event of all) {
    const known = byAlert.get(event.alertId) ?? new Map<string, Found>();
    known.set(`${event.at.getTime()} ${event.eventId}`, event);
    byAlert.set(event.alertId, known);
  }
  return new Map(
    [...byAlert].map(([id, events]) => {
      const own = [...events.values()].sort((a, b) => a.at.getTime() - b.at.getTime() || (a.eventId < b.eventId ? -1 : 1));
      return [id, own.slice(0, eventsPerAlert).map(({ eventId: _, ...fields }) => fields)];
    }),
  );
}

function fieldsOfPacked({ alertId, eventId, at, document }: AlertEvent): Found {
  const texts = Object.entries(textFields).map(([name, keys]) => [name, textAt(document, ...keys)?.slice(0, maxText) ?? null]);
  const lists = Object.entries(listFields).map(([name, keys]) => [name, valueAt(document, ...keys) ?? null]);
  return { ...(Object.fromEntries([...texts, ...lists]) as Fields), alertId, eventId, at: new Date(at) };
}

/** All names of the case’s users, with the ones that stand for them. */
export async function readPersons(tx: Tx, scope: Scope, caseId: number): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; person: string }>`
    select j.user_name as name, j.shown_name as person from cases c
    join identity_names u on u.organisation_id = c.organisation_id and u.user_name = any(c.user_names)
    join identity_names j on j.organisation_id = u.organisation_id and j.identity = u.identity
    where c.id = ${caseId} and ${within('c.organisation_id', scope)} limit ${sql.lit(maxPersons)}`.execute(tx);
  return new Map(rows.map(({ name, person }) => [name, person]));
}
