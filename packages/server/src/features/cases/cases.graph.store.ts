/** Stored events of a case, reduced to the fields of its attack graph. */
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

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

/** Events of the worst alerts first; an alert without stored events is one event of its device and user. One more than the limit is read. */
export async function listGraphEvents(tx: Tx, scope: Scope, caseId: number): Promise<GraphEvent[]> {
  const texts = Object.entries(textFields).map(
    ([name, keys]) => sql`left(e.document #>> ${pathOf(keys)}, ${sql.lit(maxText)}) as ${sql.ref(name)}`,
  );
  const lists = Object.entries(listFields).map(([name, keys]) => sql`e.document #> ${pathOf(keys)} as ${sql.ref(name)}`);
  const { rows } = await sql<GraphEvent>`
    select coalesce(e.event_at, m.alert_at) as at, m.alert_id as "alertId", left(r.title, ${sql.lit(maxText)}) as rule,
      r.facts -> 'tactics' as tactics, m.criticality, a.device_name as "alertDevice", a.user_name as "alertUser", ${sql.join([...texts, ...lists])}
    from (
      select alert_id, alert_at, rule_id, criticality from case_alerts
      where case_id = ${caseId} and ${within('organisation_id', scope)}
      order by criticality desc, alert_at, alert_id limit ${sql.lit(maxGraphEvents + 1)}
    ) m
    join rules r on r.id = m.rule_id
    cross join lateral (
      select device_name, user_name, organisation_id from alerts
      where id = m.alert_id and at = m.alert_at and ${within('organisation_id', scope)} limit 1
    ) a
    left join lateral (
      select event_at, event_id, document from alert_events
      where alert_id = m.alert_id and alert_at = m.alert_at and ${within('organisation_id', scope)}
      order by event_at, event_id limit ${sql.lit(eventsPerAlert)}
    ) e on true
    order by m.criticality desc, m.alert_at, m.alert_id, e.event_at, e.event_id limit ${sql.lit(maxGraphEvents + 1)}`.execute(tx);
  return rows;
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
