/** Findings of the rules of cases and their earlier alerts. Set-based: one query each for many cases of one organisation. */

import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import { byKey, type Tx } from '../../core/db/scope.ts';
import type { MatchExplanation, RuleFacts } from '../../core/db/tables.detection.ts';
import { readAlertEvents } from '../../domain/alertEvents.ts';
import { listSharedDevices } from '../../domain/sharedDevices.ts';
import type { CaseRecord } from './decisioning.store.ts';

/** Rules per case, the most important ones. */
const maxRules = 40;
/** Devices and users per rule and case. */
const maxNames = 50;
/** Rules per case whose habits are read, the most important ones. */
const maxHabits = 12;
/** Earlier alerts per rule that its habit is read from: on the same device, and at the client. */
const maxOwn = 50;
const maxOthers = 100;
const maxEvents = 20;
/** Time before a case from which habits are read. */
const habitMs = 30 * dayMs;

export interface RuleRow {
  caseId: number;
  ruleId: number;
  title: string;
  category: string;
  criticality: number;
  facts: RuleFacts;
  alerts: number;
  alertId: number;
  at: Date;
  lastAt: Date;
  deviceName: string | null;
  userName: string | null;
  devices: string[] | null;
  users: string[] | null;
  eventId: string | null;
  document: unknown;
  /** Last alert and its last event, where a rule has several events. */
  lastAlertId: number | null;
  lastDocument: unknown;
  why: MatchExplanation | undefined;
  malicious: number;
  benign: number;
}

/** Rules of each case with their first alert and its first event; for correlations the event that completed them. */
export async function readRules(
  tx: Tx,
  organisationId: number,
  ids: RawBuilder<number[]>,
  own: readonly number[],
): Promise<RuleRow[]> {
  const { rows } = await sql<FoundRule>`${byKey}
    with members as (
      select ca.case_id, ca.rule_id, ca.alert_id, ca.alert_at, ca.criticality, a.device_name, a.user_name, a.last_at
      from case_alerts ca
      cross join lateral (
        select device_name, user_name, last_at from alerts where organisation_id = ${organisationId} and id = ca.alert_id and at = ca.alert_at limit 1
      ) a
      where ca.organisation_id = ${organisationId} and ca.case_id = any (${ids}) and ca.alert_id <> all (${integerColumn(own)})
    ), found as (
      select case_id, rule_id, max(criticality) as criticality, count(*)::integer as alerts, min(alert_at) as at, max(alert_at) as last_alert_at, max(greatest(alert_at, last_at)) as last_at,
        (array_agg(alert_id order by alert_at, alert_id))[1] as alert_id, (array_agg(alert_id order by alert_at desc, alert_id desc))[1] as last_alert_id, (array_agg(device_name order by alert_at, alert_id))[1] as device_name,
        (array_agg(user_name order by alert_at, alert_id))[1] as user_name, (array_agg(distinct lower(device_name)))[1:${sql.lit(maxNames)}] as devices,
        (array_agg(distinct lower(user_name)))[1:${sql.lit(maxNames)}] as users
      from members group by case_id, rule_id
    ), ranked as (
      select f.*, r.title, r.category, r.facts, row_number() over (partition by f.case_id order by f.criticality desc, f.at, f.rule_id) as place
      from found f join rules r on r.id = f.rule_id
      where coalesce(r.facts ->> 'logSource', '') not like 'portal%'
    )
    select f.case_id as "caseId", f.rule_id as "ruleId", f.title, f.category, f.criticality, f.facts, f.alerts, f.alert_id as "alertId", f.at,
      f.last_at as "lastAt", f.device_name as "deviceName", f.user_name as "userName", f.devices, f.users, f.last_alert_id as "lastAlertId", f.last_alert_at as "lastAlertAt",
      coalesce(o.malicious, 0) - (c.counted_outcome = 'malicious' and f.rule_id = any (c.counted_rules))::integer as malicious,
      coalesce(o.benign, 0) - (c.counted_outcome = 'benign' and f.rule_id = any (c.counted_rules))::integer as benign
    from ranked f
    left join rule_outcomes o on o.organisation_id = ${organisationId} and o.rule_id = f.rule_id
    left join lateral (
      -- The case's own review is no evidence.
      select coalesce(max(counted_outcome), '') as counted_outcome, coalesce(max(counted_rules), '{}') as counted_rules from case_reviews
      where organisation_id = ${organisationId} and case_id = f.case_id
    ) c on true
    where f.place <= ${maxRules} order by f.case_id, f.place`.execute(tx);
  return addEvents(tx, organisationId, rows);
}

type FoundRule = Omit<RuleRow, 'eventId' | 'document' | 'lastAlertId' | 'lastDocument' | 'why'> & {
  lastAlertId: number;
  lastAlertAt: Date;
};

const isCorrelation = ({ facts }: { facts: RuleFacts }): boolean => Object.hasOwn(facts, 'groupFields');

/** Adds the event of each rule’s first alert, and the last one of its last alert where that is another. */
async function addEvents(tx: Tx, organisationId: number, rows: readonly FoundRule[]): Promise<RuleRow[]> {
  const scope = { organisationIds: [organisationId] };
  const firstOf = ({ alertId, at }: FoundRule) => ({ id: alertId, at });
  const single = rows.filter((row) => !isCorrelation(row));
  const first = await readAlertEvents(tx, scope, single.map(firstOf), { most: 1 });
  const completing = await readAlertEvents(tx, scope, rows.filter(isCorrelation).map(firstOf), { most: 1, isNewestFirst: true });
  const lastRefs = rows.map(({ lastAlertId, lastAlertAt }) => ({ id: lastAlertId, at: lastAlertAt }));
  const last = await readAlertEvents(tx, scope, lastRefs, { most: 2, isNewestFirst: true });
  return rows.map(({ lastAlertId, lastAlertAt: _, ...row }) => {
    const event = (isCorrelation(row) ? completing : first).get(row.alertId)?.[0];
    const other = event && last.get(lastAlertId)?.find(({ eventId }) => eventId !== event.eventId);
    return {
      ...row,
      eventId: event?.eventId ?? null,
      document: event?.document ?? null,
      why: event?.why,
      lastAlertId: other?.alertId ?? null,
      lastDocument: other?.document ?? null,
    };
  });
}

/** Events of the first alert of each correlation, by case and rule. */
export async function readCounted(tx: Tx, organisationId: number, rows: readonly RuleRow[]): Promise<Map<string, unknown[]>> {
  const wanted = rows.filter(({ facts }) => Array.isArray(facts.groupFields));
  if (wanted.length === 0) return new Map();
  const alerts = wanted.map(({ alertId, at }) => ({ id: alertId, at }));
  const events = await readAlertEvents(tx, { organisationIds: [organisationId] }, alerts, { most: maxEvents });
  return new Map(
    wanted.flatMap(({ caseId, ruleId, alertId }) => {
      const own = events.get(alertId);
      return own ? [[`${caseId} ${ruleId}`, own.map(({ document }) => document)] as const] : [];
    }),
  );
}

export interface Habit {
  days: number;
  cleared: number;
  others: number;
  total: number;
}

/**
 * Earlier alerts of each rule: on how many days on the same device (in a shared service: by the same user), on how many others up to the day before, and
 * how many in all. No days if one of the same was in another case that was judged or reviewed malicious.
 */
export async function readHabits(
  tx: Tx,
  organisationId: number,
  cases: readonly CaseRecord[],
  rows: readonly RuleRow[],
): Promise<Map<string, Habit>> {
  const placeIn = new Map<number, number>();
  const limited = rows.filter(({ caseId }) => {
    const place = (placeIn.get(caseId) ?? 0) + 1;
    placeIn.set(caseId, place);
    return place <= maxHabits;
  });
  if (limited.length === 0) return new Map();
  const begin = new Map(cases.map((each) => [each.id, each.first_alert_at.getTime()]));
  const shared = await listSharedDevices(tx, organisationId);
  const begins = limited.map((row) => begin.get(row.caseId)!);
  // Bounds that are known when PostgreSQL plans: it looks at their months only.
  const bounds = sql`at >= ${new Date(Math.min(...begins) - habitMs)} and at < ${new Date(Math.max(...begins))}`;
  const deviceOf = ({ deviceName }: RuleRow) => (deviceName !== null && shared.has(deviceName.toLowerCase()) ? null : deviceName);
  const { rows: found } = await sql<Habit & { caseId: number; ruleId: number }>`
    select q.case_id as "caseId", q.rule_id as "ruleId", own.days, own.cleared, every.others, every.total
    from unnest(${integerColumn(limited.map((row) => row.caseId))}, ${integerColumn(limited.map((row) => row.ruleId))},
      ${textColumn(limited.map(deviceOf))}, ${textColumn(limited.map((row) => row.userName))},
      ${timeColumn(begins)}) as q (case_id, rule_id, device, person, begin)
    cross join lateral (
      select (count(distinct b.at::date) * (not coalesce(bool_or(b.is_malicious), false))::integer)::integer as days,
        (count(distinct b.at::date) filter (where b.is_cleared))::integer as cleared
      from (
        select a.at, exists (
            select from case_alerts ca join case_reviews cr on cr.case_id = ca.case_id
            where ca.alert_id = a.id and ca.alert_at = a.at and ca.case_id <> q.case_id and cr.counted_outcome = 'benign'
          ) as is_cleared, exists (
            select from case_alerts ca join cases c on c.id = ca.case_id left join case_reviews cr on cr.case_id = c.id
            where ca.alert_id = a.id and ca.alert_at = a.at and ca.case_id <> q.case_id
              and (c.status = 'malicious' or c.investigation_status = ${sql.lit(investigationStatusIds.malicious)} or cr.counted_outcome = 'malicious'
                or (c.verdict in ('Malicious', 'Suspicious') and cr.counted_outcome is distinct from 'benign'
                  and c.investigation_status not in (${sql.lit(investigationStatusIds.benign)}, ${sql.lit(investigationStatusIds.falsePositive)})))
          ) as is_malicious
        from (
          select id, at from alerts
          where organisation_id = ${organisationId} and ${bounds} and rule_id = q.rule_id and at >= q.begin - interval '30 days' and at < q.begin
            and (device_name = q.device or (q.device is null and user_name = q.person))
          order by at desc, id desc limit ${maxOwn}
        ) a
      ) b
    ) own
    cross join lateral (
      select count(*)::integer as total, count(distinct e.party) filter (where e.at < q.begin - interval '1 day'
        and e.party is distinct from lower(coalesce(q.device, q.person)))::integer as others
      from (
        select at, lower(case when q.device is null then user_name else device_name end) as party from alerts
        where organisation_id = ${organisationId} and ${bounds} and rule_id = q.rule_id and at >= q.begin - interval '30 days' and at < q.begin
        order by at desc, id desc limit ${maxOthers}
      ) e
    ) every`.execute(tx);
  return new Map(found.map(({ caseId, ruleId, ...habit }) => [`${caseId} ${ruleId}`, habit]));
}
