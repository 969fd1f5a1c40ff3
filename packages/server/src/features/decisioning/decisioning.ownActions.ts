/** Alerts about the SOC's own response actions, which are no evidence for or against an attack. */
import { type RawBuilder, sql } from 'kysely';
import { byKey, type Tx } from '../../core/db/scope.ts';
import { type AlertEvent, type AlertRef, readAlertEvents } from '../../domain/alertEvents.ts';
import { textAt } from '../../domain/events/fields.ts';

/** Actions and the techniques by which rules may see them on their target. */
const effects: readonly { actions: readonly string[]; techniques: readonly string[] }[] = [
  { actions: ['isolate', 'unisolate', 'block', 'unblock'], techniques: ['T1562.004', 'T1562'] },
  { actions: ['blockUser', 'unblockUser', 'disable', 'reenable'], techniques: ['T1531', 'T1098'] },
  { actions: ['killProcess'], techniques: ['T1489', 'T1562.001'] },
  { actions: ['collectFile'], techniques: ['T1005', 'T1003.008', 'T1552'] },
];
/** Folder of the agent’s programs; its processes are the SOC’s own only near one of its steps. */
const agentFolder = '/opt/mdr-agent/';
const maxEvents = 20;
const states = ['sent', 'acknowledged', 'verified', 'released'];

/**
 * Ids of the cases' alerts that a response caused: on its device or account, from five minutes before to 30 minutes after one of its steps, and either of
 * a technique of the action or by a process of the agent.
 */
export async function listOwnAlerts(tx: Tx, organisationId: number, ids: RawBuilder<number[]>): Promise<number[]> {
  const { rows } = await sql<AlertRef & { isOwn: boolean }>`${byKey}
    select ca.alert_id as id, ca.alert_at as at, bool_or(exists (
      select from jsonb_to_recordset(${JSON.stringify(effects)}::jsonb) as f (actions text[], techniques text[])
      where r.action = any (f.actions) and rules.facts -> 'techniques' ?| f.techniques)) as "isOwn"
    from responses r
    join response_steps s on s.response_id = r.id and s.organisation_id = ${organisationId} and s.state = any (${states})
    join case_alerts ca on ca.organisation_id = ${organisationId} and ca.case_id = any (${ids})
      and ca.alert_at between s.at - interval '5 minutes' and s.at + interval '30 minutes'
    join rules on rules.id = ca.rule_id
    cross join lateral (
      select device_name, user_name from alerts where organisation_id = ${organisationId} and id = ca.alert_id and at = ca.alert_at limit 1
    ) a
    where r.organisation_id = ${organisationId}
      and (lower(a.device_name) in (lower(r.target), lower(r.device_name))
        or regexp_replace(lower(a.user_name), '^.*\\\\|@.*$', '', 'g') = regexp_replace(lower(r.target), '^.*\\\\|@.*$', '', 'g'))
    group by ca.alert_id, ca.alert_at limit 10000`.execute(tx);
  const others = rows.filter(({ isOwn }) => !isOwn);
  const events = await readAlertEvents(tx, { organisationIds: [organisationId] }, others, { most: maxEvents });
  return rows.flatMap(({ id, isOwn }) => (isOwn || events.get(id)?.some(isOfAgent) ? [id] : []));
}

const isOfAgent = ({ document }: AlertEvent): boolean =>
  [['executable'], ['parent', 'executable']].some((path) => textAt(document, 'process', ...path)?.startsWith(agentFolder));

/** Names in lower case of devices that the SOC isolated: their silence is its own doing. */
export async function listIsolated(tx: Tx, organisationId: number): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('response_flags')
    .select('value_key')
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'deviceIsolated')
    .limit(10_000)
    .execute();
  return new Set(rows.map((row) => row.value_key));
}
