/** Alerts that a suppression matches, by rule, device and user regardless of letter case, and what it would have hidden. */

import { problem } from '@parapet/contract/problem.ts';
import { maxMaliciousCases } from '@parapet/contract/rulePreviews.ts';
import { type RawBuilder, sql } from 'kysely';
import { storable } from '../core/db/like.ts';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import { isMalicious } from './maliciousCases.ts';

/** Alerts that a suppression matches; null matches any. */
export interface Matching {
  organisationId: number;
  ruleId: number | null;
  deviceName: string | null;
  userName: string | null;
}

/** Condition on alerts `a`. */
export const matches = ({ organisationId, ruleId, deviceName, userName }: Matching): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(
    [
      sql`a.organisation_id = ${organisationId}`,
      ...(ruleId === null ? [] : [sql`a.rule_id = ${ruleId}`]),
      ...(deviceName === null ? [] : [sql`lower(a.device_name) = lower(${deviceName})`]),
      ...(userName === null ? [] : [sql`lower(a.user_name) = lower(${userName})`]),
    ],
    sql` and `,
  )}`;

/** The rule of a key; undefined for one that has raised no alert. */
const findRule = (tx: Tx, key: string): Promise<{ id: number } | undefined> =>
  tx.selectFrom('rules').where('key', '=', key).select('id').executeTakeFirst();

/** The matching of texts. Throws invalid for an unknown rule. */
export async function matchingOf(
  tx: Tx,
  of: { organisationId: number; ruleID: string | null; deviceName: string | null; userName: string | null },
): Promise<Matching> {
  const rule = of.ruleID ? await findRule(tx, storable(of.ruleID)) : undefined;
  if (of.ruleID && !rule) throw problem.invalid({ ruleID: [`There is no rule ${of.ruleID}. Select one from the list.`] });
  return {
    organisationId: of.organisationId,
    ruleId: rule?.id ?? null,
    deviceName: of.deviceName ? storable(of.deviceName) : null,
    userName: of.userName ? storable(of.userName) : null,
  };
}

interface HiddenAlert {
  at: string;
  criticality: number;
  title: string;
  count: number;
  deviceName: string | null;
  userName: string | null;
  summary: string;
}

export interface Hidden {
  hidden: number;
  /** All alerts of the client in the range. */
  total: number;
  oldestAt: Date | null;
  days: { day: string; lost: number }[];
  maliciousCases: { caseId: number; alerts: number }[];
  examples: HiddenAlert[];
}

/** Alerts that a suppression would have hidden in a range: by day, in malicious cases, and the newest ones. */
export async function readHidden(tx: Tx, scope: Scope, matching: Matching, since: Date, until: Date): Promise<Hidden> {
  const { rows } = await sql<Hidden>`
    with found as materialized (
      select a.id, a.at, a.criticality, a.summary, a.fire_count, a.device_name, a.user_name, a.rule_id from alerts a
      where ${within('a.organisation_id', scope)} and ${matches(matching)} and a.at >= ${since} and a.at < ${until}),
    malicious as (
      select ca.case_id, f.id from found f join case_alerts ca on ca.alert_id = f.id and ca.alert_at = f.at join cases c on c.id = ca.case_id
      where ${isMalicious})
    select (select count(*)::integer from found) as hidden, (select count(*)::integer from alerts o where ${within('o.organisation_id', scope)}
        and o.organisation_id = ${matching.organisationId} and o.at >= ${since} and o.at < ${until}) as total, (select min(o.at) from alerts o where ${within('o.organisation_id', scope)} and o.organisation_id = ${matching.organisationId}
        and o.at >= ${since}) as "oldestAt",
      (select coalesce(jsonb_agg(jsonb_build_object('day', d.day, 'lost', d.lost) order by d.day), '[]') from (
        select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::integer as lost from found group by 1) d) as days,
      (select coalesce(jsonb_agg(jsonb_build_object('caseId', m.case_id, 'alerts', m.alerts) order by m.case_id), '[]') from (
        select case_id, count(*)::integer as alerts from malicious group by 1 order by 1 limit ${maxMaliciousCases}) m) as "maliciousCases",
      (select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'criticality', e.criticality, 'title', r.title, 'count', e.fire_count,
        'deviceName', e.device_name, 'userName', e.user_name, 'summary', left(e.summary, 500)) order by e.at desc), '[]')
        from (select * from found order by at desc limit 20) e join rules r on r.id = e.rule_id) as examples`.execute(tx);
  return rows[0]!;
}

/** IDs of malicious cases with alerts of a range that a suppression matches. Looks at the alerts of malicious cases alone. */
export async function listHiddenMalicious(tx: Tx, scope: Scope, matching: Matching, since: Date, until: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with malicious as materialized (
      select c.id from cases c where ${within('c.organisation_id', scope)} and c.organisation_id = ${matching.organisationId}
        and c.last_alert_at >= ${since} and ${isMalicious})
    select m.id from malicious m cross join lateral (
      select from case_alerts ca join alerts a on a.id = ca.alert_id and a.at = ca.alert_at
      where ca.case_id = m.id and ca.alert_at >= ${since} and ca.alert_at < ${until} and ${within('a.organisation_id', scope)} and ${matches(matching)}
      limit 1) hidden order by m.id`.execute(tx);
  return rows.map(({ id }) => id);
}
