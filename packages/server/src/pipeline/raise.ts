/**
 * Turns matches into alerts, inside the transaction that stores the events. Correlations read their hits from the database,
 * so that they work across batches, processes and restarts. Repeats of a rule for the same device and user are grouped into
 * the open alert. One lock per organisation keeps two processes from raising the same alert concurrently.
 */
import { hash } from 'node:crypto';
import type { SigmaRule } from '@parapet/sigma/rules.ts';
import { type RawBuilder, sql } from 'kysely';
import { publish } from '../core/bus.ts';
import type { Clock } from '../core/clock.ts';
import { integerColumn, textColumn, textColumnBuilder, timeColumn, uuidColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import type { MatchExplanation } from '../core/db/tables.detection.ts';
import { shouldYield, yieldToEventLoop } from '../core/yielding.ts';
import { lockAlerts } from '../domain/alerts-lock.ts';
import { correlate } from './correlations.ts';
import type { Event } from './event.ts';
import {
  type Candidate,
  type Evidence,
  foldRules,
  type GroupedAlert,
  groupCandidates,
  groupingKey,
  maxAlso,
  maxCopies,
  type OpenAlert,
} from './grouping.ts';
import { addToRollups } from './rollups.ts';
import type { OrganisationRules } from './rule-view.ts';

export interface RaiseDeps {
  clock: Clock;
  detector: OrganisationRules;
  groupingWindowMs: number;
}

/** Returns the ids of alerts that are new or were repeated. */
export async function raise(
  tx: Tx,
  { clock, detector, groupingWindowMs }: RaiseDeps,
  organisationId: number,
  events: readonly Event[],
): Promise<number[]> {
  const matched = events.filter((event) => event.matches.length > 0);
  if (matched.length === 0) return [];
  await lockAlerts(tx, organisationId);

  const candidates: Candidate[] = [];
  for (const event of matched) {
    const standalone = event.matches.filter((rule) => rule.standalone);
    if (standalone.length > 0) candidates.push(singleCandidate(detector, standalone, event));
  }
  candidates.push(...(await correlate(tx, detector, organisationId, matched, clock.now())));
  if (candidates.length === 0) return [];

  const openAlerts = await findOpenAlerts(tx, organisationId, [...new Set(candidates.map((candidate) => candidate.key))]);
  const grouped = groupCandidates(candidates, openAlerts, groupingWindowMs);
  const raised = grouped.filter((alert) => alert.isNew);
  const copies = copiesOf(grouped);
  // Match explanations are computed while PostgreSQL writes.
  const [explanations] = await Promise.all([
    explainAll(detector, copies),
    (async () => {
      await insertAlerts(tx, organisationId, raised);
      await repeatAlerts(
        tx,
        organisationId,
        grouped.filter((alert) => !alert.isNew),
      );
      await saveOpenAlerts(tx, organisationId, grouped);
      await addToRollups(tx, organisationId, grouped);
    })(),
  ]);
  await insertCopies(tx, organisationId, copies, explanations);
  const alertIds = grouped.map((alert) => alert.id);
  await publish(tx, 'alert.raised', { organisationId, alertIds });
  return alertIds;
}

/** One detection of all rules that an event matched. */
export function singleCandidate(detector: OrganisationRules, rules: readonly SigmaRule[], event: Event): Candidate {
  const { rule: known, also } = foldRules(rules.map((rule) => detector.known(rule.id)));
  return {
    // One machine in either case of its name.
    key: groupingKey(known, event.deviceName?.toLowerCase(), event.userName?.toLowerCase()),
    rule: known,
    also,
    at: event.at,
    raisedAt: event.receivedAt,
    clockSkew: event.clockSkew,
    deviceName: event.deviceName,
    userName: event.userName,
    summary: event.text || known.title,
    evidence: [
      {
        eventId: event.id,
        at: event.at,
        text: event.text,
        document: event.document,
        rule: rules.find((rule) => rule.id === known.key),
      },
    ],
  };
}

/** Formats a key as a UUID for the database. */
function uuidOf(key: string): string {
  const hex = hash('sha256', key, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

async function findOpenAlerts(tx: Tx, organisationId: number, keys: readonly string[]): Promise<Map<string, OpenAlert>> {
  const byUuid = new Map(keys.map((key) => [uuidOf(key), key]));
  const { rows } = await sql<{ key: string; alertId: number; alertAt: Date; lastAt: Date; copies: number }>`
    select key, alert_id as "alertId", alert_at as "alertAt", last_at as "lastAt", copies
    from alert_folds where organisation_id = ${organisationId} and key = any (${uuidColumn([...byUuid.keys()])})`.execute(tx);
  return new Map(
    rows.map((row) => [
      byUuid.get(row.key)!,
      { alertId: row.alertId, alertAt: row.alertAt.getTime(), lastAt: row.lastAt.getTime(), copies: row.copies },
    ]),
  );
}

/** Array literal of the further rules. */
const alsoOf = ({ rule, also }: GroupedAlert): string =>
  `{${[...new Set(also.map(({ id }) => id))].filter((id) => id !== rule.id).join(',')}}`;

async function insertAlerts(tx: Tx, organisationId: number, alerts: readonly GroupedAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  const { rows } = await sql<{ id: number }>`
    select nextval('alert_ids')::integer as id from generate_series(1, ${alerts.length})`.execute(tx);
  alerts.forEach((alert, index) => {
    alert.id = rows[index]!.id;
  });
  // One statement marks and queues the alerts for correlation, saving a round trip.
  await sql`
    with raised as (
    insert into alerts (organisation_id, id, at, last_at, raised_at, rule_id, criticality, device_name, user_name, summary, fire_count, clock_skew, also_rule_ids, rule_revision)
    select ${organisationId}, id, at, last_at, raised_at, rule_id, criticality, device_name, user_name, summary, fire_count, clock_skew, also::integer[], revision
    from unnest(
      ${integerColumn(alerts.map((alert) => alert.id))},
      ${timeColumn(alerts.map((alert) => alert.at))},
      ${timeColumn(alerts.map((alert) => alert.lastAt))},
      ${timeColumn(alerts.map((alert) => alert.raisedAt))},
      ${integerColumn(alerts.map((alert) => alert.rule.id))},
      ${integerColumn(alerts.map((alert) => alert.rule.criticality))},
      ${textColumn(alerts.map((alert) => alert.deviceName))},
      ${textColumn(alerts.map((alert) => alert.userName))},
      ${textColumn(alerts.map((alert) => alert.summary.slice(0, 1000)))},
      ${integerColumn(alerts.map((alert) => alert.count))},
      ${integerColumn(alerts.map((alert) => alert.clockSkew))},
      ${textColumn(alerts.map(alsoOf))},
      ${textColumn(alerts.map((alert) => alert.rule.revision))})
      as r (id, at, last_at, raised_at, rule_id, criticality, device_name, user_name, summary, fire_count, clock_skew, also, revision)
    returning id, at
    )
    insert into correlation_queue (organisation_id, alert_id, alert_at) select ${organisationId}, id, at from raised`.execute(tx);
}

async function repeatAlerts(tx: Tx, organisationId: number, alerts: readonly GroupedAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  const times = alerts.map((alert) => alert.at);
  await sql`
    update alerts set fire_count = least(fire_count::bigint + repeat.count, 2147483647)::integer, last_at = greatest(alerts.last_at, repeat.last_at),
      also_rule_ids = case when repeat.also = '{}' or alerts.also_rule_ids @> repeat.also::integer[] then alerts.also_rule_ids
        else (array(select distinct also from unnest(alerts.also_rule_ids || repeat.also::integer[]) as also))[:${maxAlso}] end
    from unnest(${integerColumn(alerts.map((alert) => alert.id))}, ${timeColumn(times)}, ${timeColumn(alerts.map((alert) => alert.lastAt))},
      ${integerColumn(alerts.map((alert) => alert.count))}, ${textColumn(alerts.map(alsoOf))}) as repeat (id, at, last_at, count, also)
    where alerts.id = repeat.id and alerts.at = repeat.at and alerts.organisation_id = ${organisationId}
      and alerts.at between ${new Date(lowest(times))} and ${new Date(highest(times))}`.execute(tx);
}

async function saveOpenAlerts(tx: Tx, organisationId: number, alerts: readonly GroupedAlert[]): Promise<void> {
  // Repeats go to the newest alert of a key.
  const newest = new Map<string, GroupedAlert>();
  for (const alert of alerts) if (!((newest.get(alert.key)?.lastAt ?? -Infinity) > alert.lastAt)) newest.set(alert.key, alert);
  const rows = [...newest.values()];
  await sql`
    insert into alert_folds (organisation_id, key, alert_id, alert_at, last_at, copies)
    select ${organisationId}, f.key, f.id, f.at, f.last_at, f.copies
    from unnest(${uuidColumn(rows.map((row) => uuidOf(row.key)))}, ${integerColumn(rows.map((row) => row.id))},
      ${timeColumn(rows.map((row) => row.at))}, ${timeColumn(rows.map((row) => row.lastAt))},
      ${integerColumn(rows.map((row) => Math.min(maxCopies, row.copies + row.evidence.length)))}) as f (key, id, at, last_at, copies)
    on conflict (organisation_id, key) do update set
      alert_id = excluded.alert_id, alert_at = excluded.alert_at, last_at = excluded.last_at, copies = excluded.copies
      where excluded.last_at >= alert_folds.last_at`.execute(tx);
}

interface Copy {
  alert: GroupedAlert;
  evidence: Evidence;
}

const copiesOf = (alerts: readonly GroupedAlert[]): Copy[] =>
  alerts.flatMap((alert) =>
    alert.evidence.slice(0, Math.max(0, maxCopies - alert.copies)).map((evidence) => ({ alert, evidence })),
  );

async function explainAll(detector: OrganisationRules, copies: readonly Copy[]): Promise<RawBuilder<string[]>> {
  const explanations = textColumnBuilder();
  for (const { evidence } of copies) {
    const explanation: MatchExplanation = evidence.rule
      ? detector.explain(evidence.rule, evidence.document)
      : { condition: '', items: [] };
    explanations.add(JSON.stringify(explanation));
    if (shouldYield()) await yieldToEventLoop();
  }
  return explanations.column();
}

async function insertCopies(
  tx: Tx,
  organisationId: number,
  copies: readonly Copy[],
  explanations: RawBuilder<string[]>,
): Promise<void> {
  if (copies.length === 0) return;
  const documents = textColumnBuilder(copies.length * 3_000);
  for (const { evidence } of copies) {
    documents.add(JSON.stringify(evidence.document));
    if (shouldYield()) await yieldToEventLoop();
  }
  await sql`
    insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document, is_recent)
    select ${organisationId}, c.alert_id, c.alert_at, c.event_id, c.event_at, c.text, c.why::jsonb, c.document::jsonb, true
    from unnest(
      ${integerColumn(copies.map(({ alert }) => alert.id))},
      ${timeColumn(copies.map(({ alert }) => alert.at))},
      ${uuidColumn(copies.map(({ evidence }) => evidence.eventId))},
      ${timeColumn(copies.map(({ evidence }) => evidence.at))},
      ${textColumn(copies.map(({ evidence }) => evidence.text))},
      ${documents.column()},
      ${explanations}) as c (alert_id, alert_at, event_id, event_at, text, document, why)
    on conflict do nothing`.execute(tx);
}

const lowest = (times: readonly number[]): number => times.reduce((least, time) => Math.min(least, time));
const highest = (times: readonly number[]): number => times.reduce((most, time) => Math.max(most, time));
