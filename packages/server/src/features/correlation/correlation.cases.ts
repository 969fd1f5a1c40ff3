/** Title, figures and artifacts of a case, recomputed from its alerts whenever some join. */
import { casePercentageOf, caseScoreOf } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import { byKey, type Tx } from '../../core/db/scope.ts';
import { tacticName } from '../../domain/facts.ts';
import type { Artifact } from './correlation.entities.ts';
import { readRules } from './correlation.store.ts';

/** Opens cases at the given times. Returns their ids in the same order. */
export async function insertCases(
  tx: Tx,
  organisationId: number,
  opened: readonly { at: Date; raisedAt: Date; criticality: number }[],
): Promise<number[]> {
  if (opened.length === 0) return [];
  const rows = await tx
    .insertInto('cases')
    .values(
      opened.map(({ at, raisedAt, criticality }) => ({
        organisation_id: organisationId,
        title: '',
        criticality,
        created_at: raisedAt,
        updated_at: raisedAt,
        first_alert_at: at,
        last_alert_at: at,
        // The first change sets version 1.
        version: 0,
      })),
    )
    .returning('id')
    .execute();
  // Identity values follow the order of the rows.
  return rows.map((row) => row.id).sort((a, b) => a - b);
}

export interface Member {
  caseId: number;
  alertId: number;
  at: number;
  raisedAt: number;
  ruleId: number;
  criticality: number;
  sentence: string;
}

/** Returns the number of alerts that joined; an alert in a case stays there. */
export async function insertMembers(tx: Tx, organisationId: number, members: readonly Member[]): Promise<number> {
  if (members.length === 0) return 0;
  const { numAffectedRows } = await sql`
    insert into case_alerts (organisation_id, case_id, alert_id, alert_at, rule_id, criticality, joined_by)
    select ${organisationId}, * from unnest(${integerColumn(members.map((each) => each.caseId))}, ${integerColumn(members.map((each) => each.alertId))},
      ${timeColumn(members.map((each) => each.at))}, ${integerColumn(members.map((each) => each.ruleId))},
      ${integerColumn(members.map((each) => each.criticality))}, ${textColumn(members.map((each) => each.sentence))})
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows);
}

export async function addArtifacts(
  tx: Tx,
  organisationId: number,
  shown: readonly (Artifact & { caseId: number })[],
): Promise<void> {
  const merged = new Map<
    string,
    { caseId: number; kind: string; value: string; first: number; last: number; count: number; decodedFrom: string | undefined }
  >();
  for (const { caseId, kind, value, at, decodedFrom } of shown) {
    const key = `${caseId} ${kind} ${value}`;
    const known = merged.get(key);
    if (known) {
      known.first = Math.min(known.first, at);
      known.last = Math.max(known.last, at);
      known.count++;
      known.decodedFrom = decodedFrom && known.decodedFrom;
    } else merged.set(key, { caseId, kind, value, first: at, last: at, count: 1, decodedFrom });
  }
  if (merged.size === 0) return;
  const rows = [...merged.values()];
  await sql`
    insert into case_artifacts (organisation_id, case_id, kind, value, first_at, last_at, count, decoded_from)
    select ${organisationId}, * from unnest(${integerColumn(rows.map((row) => row.caseId))}, ${textColumn(rows.map((row) => row.kind))},
      ${textColumn(rows.map((row) => row.value))}, ${timeColumn(rows.map((row) => row.first))}, ${timeColumn(rows.map((row) => row.last))},
      ${integerColumn(rows.map((row) => row.count))}, ${textColumn(rows.map((row) => row.decodedFrom))})
    on conflict (case_id, kind, value) do update set first_at = least(case_artifacts.first_at, excluded.first_at),
      last_at = greatest(case_artifacts.last_at, excluded.last_at), count = case_artifacts.count + excluded.count,
      decoded_from = case when excluded.decoded_from is not null then case_artifacts.decoded_from end`.execute(tx);
}

/** A rule's alerts in a case, with the names of the case's worst alert. */
interface CaseRule {
  caseId: number;
  ruleId: number;
  criticality: number;
  alerts: number;
  isNew: number;
  firstAt: Date;
  lastAt: Date;
  /** Further rules of its alerts. */
  also: number[];
  device: string | null;
  user: string | null;
}

/** Title from the worst rule and its devices: "Ransom Notes Written to Many Folders on WS-12 and 2 more". */
export function titleOf(
  rules: readonly { title: string; criticality: number; firstAt: Date }[],
  devices: readonly string[],
  users: readonly string[],
): string {
  const [worst] = [...rules].sort((a, b) => b.criticality - a.criticality || a.firstAt.getTime() - b.firstAt.getTime());
  const what = worst?.title ?? 'Alerts';
  const [names, word] = devices.length > 0 ? [devices, 'on'] : [users, 'by'];
  const [first] = names;
  if (first === undefined) return what.slice(0, 500);
  const more = names.length > 1 ? ` and ${names.length - 1} more` : '';
  return `${what.slice(0, 300)} ${word} ${first.slice(0, 150)}${more}`;
}

/** Tactics in order of their first alert. */
export const tacticsInTime = (rules: readonly { firstAt: Date; tactics: readonly string[] }[]): string[] => [
  ...new Set(
    [...rules].sort((a, b) => a.firstAt.getTime() - b.firstAt.getTime()).flatMap((rule) => rule.tactics.map(tacticName)),
  ),
];

/** Recomputes the figures of cases and increments their version. The caller holds their locks. */
export async function refreshCases(
  tx: Tx,
  organisationId: number,
  caseIds: readonly number[],
  at: (caseId: number) => Date,
): Promise<void> {
  if (caseIds.length === 0) return;
  const ids = integerColumn(caseIds);
  const [{ rows: rules }, { rows: names }, organisation] = await Promise.all([
    sql<CaseRule>`${byKey}
      with members as materialized (
        select c.*, a.is_new, a.device_name, a.user_name, a.also_rule_ids from case_alerts c
        left join lateral (
          select is_new, device_name, user_name, also_rule_ids from alerts where organisation_id = ${organisationId} and id = c.alert_id and at = c.alert_at limit 1
        ) a on true
        where c.organisation_id = ${organisationId} and c.case_id = any (${ids})
      ), worst as (
        select distinct on (case_id) case_id, device_name, user_name from members order by case_id, criticality desc, alert_at, alert_id
      )
      select r.*, coalesce(f.also, '{}') as also, w.device_name as device, w.user_name as user from (
        select case_id as "caseId", rule_id as "ruleId", max(criticality) as criticality, count(*) as alerts,
          count(*) filter (where is_new) as "isNew", min(alert_at) as "firstAt", max(alert_at) as "lastAt"
        from members group by 1, 2
      ) r join worst w on w.case_id = r."caseId"
      left join (
        select case_id, rule_id, array_agg(distinct id) as also from members m cross join lateral unnest(m.also_rule_ids) as id
        where m.also_rule_ids <> '{}' group by 1, 2
      ) f on f.case_id = r."caseId" and f.rule_id = r."ruleId" order by 1, 2`.execute(tx),
    sql<{ caseId: number; kind: string; value: string }>`
      select case_id as "caseId", kind, value from case_artifacts
      where organisation_id = ${organisationId} and case_id = any (${ids}) and kind in ('device', 'user')
      order by case_id, kind, first_at, value`.execute(tx),
    tx.selectFrom('organisations').select('malicious_threshold').where('id', '=', organisationId).executeTakeFirstOrThrow(),
  ]);
  const known = await readRules(tx, [...new Set(rules.flatMap((rule) => [rule.ruleId, ...rule.also]))]);
  const namesByCase = Map.groupBy(names, (name) => name.caseId);

  const changed = [...Map.groupBy(rules, (rule) => rule.caseId)].map(([caseId, shown]) => {
    const own = shown.map((rule) => ({
      ...rule,
      title: known.get(rule.ruleId)?.title ?? 'Alert',
      tactics: known.get(rule.ruleId)?.tactics ?? [],
    }));
    const sum = (of: (rule: CaseRule) => number) => own.reduce((total, rule) => total + of(rule), 0);
    const further = own.flatMap(({ also, firstAt }) => also.map((id) => ({ firstAt, tactics: known.get(id)?.tactics ?? [] })));
    const tactics = tacticsInTime([...own, ...further]);
    const score = caseScoreOf(own, tactics.length);
    // The worst alert comes first.
    const namesOf = (kind: string, first: string | null | undefined) => [
      ...new Set([
        ...(first ? [first.slice(0, 500)] : []),
        ...(namesByCase.get(caseId) ?? []).filter((name) => name.kind === kind).map((name) => name.value),
      ]),
    ];
    const [devices, users] = [namesOf('device', own[0]?.device), namesOf('user', own[0]?.user)];
    return {
      id: caseId,
      at: at(caseId),
      title: titleOf(own, devices, users),
      criticality: Math.max(1, ...own.map((rule) => rule.criticality)),
      score,
      percentage: casePercentageOf(score, organisation.malicious_threshold),
      alerts: sum((rule) => rule.alerts),
      isNew: sum((rule) => rule.isNew),
      firstAt: new Date(Math.min(...own.map((rule) => rule.firstAt.getTime()))),
      lastAt: new Date(Math.max(...own.map((rule) => rule.lastAt.getTime()))),
      tactics: tactics.slice(0, 14),
      devices: devices.slice(0, 20),
      users: users.slice(0, 20),
    };
  });
  await sql`
    update cases c set title = n.title, criticality = n.criticality, score = n.score, percentage = n.percentage, alert_count = n.alerts,
      new_count = n."isNew", first_alert_at = n."firstAt", last_alert_at = n."lastAt", tactics = n.tactics, device_names = n.devices,
      user_names = n.users, version = c.version + 1, updated_at = greatest(c.updated_at, n.at), needs_decision = true, is_excluded = false
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as n (id integer, at timestamptz, title text, criticality smallint, score float8,
      percentage float8, alerts integer, "isNew" integer, "firstAt" timestamptz, "lastAt" timestamptz, tactics text[], devices text[], users text[])
    where c.id = n.id and c.organisation_id = ${organisationId}`.execute(tx);
}

export async function insertHistory(
  tx: Tx,
  organisationId: number,
  rows: readonly { caseId: number; at: Date; text: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('case_history')
    .values(
      rows.map(({ caseId, at, text }) => ({
        organisation_id: organisationId,
        case_id: caseId,
        at,
        kind: 'alert',
        actor_user_id: null,
        text,
        before: null,
        after: null,
      })),
    )
    .execute();
}
