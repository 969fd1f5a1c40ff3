/** Input facts of the model, read for many cases of one organisation at once. */
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { MatchExplanation, RuleFacts } from '../../core/db/tables.detection.ts';
import { citationOf, valuesAt } from './decisioning.citations.ts';
import type { CaseFacts, Citation, RuleFact } from './decisioning.model.ts';
import { type CaseRecord, isSilent } from './decisioning.store.ts';

const dayMs = 86_400_000;
const historyMs = 30 * dayMs;
/** Rules per case, the most important ones. */
const maxRules = 8;
const maxIndicators = 8;
const maxHistory = 50;

export type LookUp = (
  tx: Tx,
  wanted: readonly { kind: 'ip' | 'domain' | 'hash'; value: string }[],
) => Promise<{ kind: string; value: string; reputation: string; list: string }[]>;

interface RuleRow {
  caseId: number;
  ruleId: number;
  title: string;
  criticality: number;
  facts: RuleFacts;
  alerts: number;
  alertId: number;
  at: Date;
  deviceName: string | null;
  userName: string | null;
  document: unknown;
  why: MatchExplanation | undefined;
  malicious: number | null;
  benign: number | null;
}

export async function readFacts(
  tx: Tx,
  organisationId: number,
  cases: readonly CaseRecord[],
  lookUp: LookUp,
  now: number,
): Promise<Map<number, CaseFacts>> {
  const ids = integerColumn(cases.map((each) => each.id));
  const rows = await readRules(tx, organisationId, ids);
  const fired = await readHistory(tx, organisationId, cases, rows);
  const indicators = await readIndicators(tx, organisationId, ids, rows, lookUp);
  const hours = await readHours(tx, organisationId, now);
  const responses = await tx
    .selectFrom('responses')
    .select(['case_id', 'action', 'target'])
    .where('organisation_id', '=', organisationId)
    .where(
      'case_id',
      'in',
      cases.map((each) => each.id),
    )
    .where('state', 'in', ['acknowledged', 'verified'])
    .where('action', 'in', ['isolate', 'block', 'blockUser', 'disable'])
    .orderBy('id')
    .limit(1_000)
    .execute();
  const silent = await readSilent(tx, organisationId, cases, now);

  return new Map(
    cases.map((record) => {
      const rules = rows
        .filter((row) => row.caseId === record.id)
        .map((row): RuleFact => {
          const citation = citationOf(row.document, row.why);
          return {
            ruleId: row.ruleId,
            title: row.title,
            criticality: row.criticality,
            tactics: Array.isArray(row.facts.tactics) ? row.facts.tactics.filter((tactic) => typeof tactic === 'string') : [],
            at: row.at.getTime(),
            alerts: row.alerts,
            citation: citation && { alertID: row.alertId, ...citation },
            outcomes: { malicious: row.malicious ?? 0, benign: row.benign ?? 0 },
            firedBefore: fired.get(`${record.id} ${row.ruleId}`) ?? 0,
            on: row.deviceName ?? row.userName ?? 'the network',
          };
        });
      const utcHour = record.first_alert_at.getUTCHours();
      return [
        record.id,
        {
          rules,
          indicators: indicators.get(record.id) ?? [],
          hour: { utcHour, share: hours.total === 0 ? 0 : (hours.counts[utcHour] ?? 0) / hours.total, alerts: hours.total },
          responses: responses.filter((each) => each.case_id === record.id),
          // Closed cases need no verdict.
          silent: record.closed_at === null ? record.device_names.flatMap((name) => silent.get(name.toLowerCase()) ?? []) : [],
        } satisfies CaseFacts,
      ];
    }),
  );
}

async function readRules(tx: Tx, organisationId: number, ids: RawBuilder<number[]>): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    with firsts as (
      select distinct on (case_id, rule_id) case_id, rule_id, alert_id, alert_at, criticality, count(*) over (partition by case_id, rule_id) as alerts
      from case_alerts where organisation_id = ${organisationId} and case_id = any (${ids}) order by case_id, rule_id, alert_at, alert_id
    ), ranked as (
      select *, row_number() over (partition by case_id order by criticality desc, alert_at, rule_id) as place from firsts
    )
    select f.case_id as "caseId", f.rule_id as "ruleId", r.title, f.criticality, r.facts, f.alerts, f.alert_id as "alertId", f.alert_at as at,
      a.device_name as "deviceName", a.user_name as "userName", e.document, e.why, o.malicious, o.benign
    from ranked f
    join rules r on r.id = f.rule_id
    left join rule_outcomes o on o.organisation_id = ${organisationId} and o.rule_id = f.rule_id
    cross join lateral (
      select device_name, user_name from alerts where organisation_id = ${organisationId} and id = f.alert_id and at = f.alert_at limit 1
    ) a
    left join lateral (
      select document, why from alert_events
      where organisation_id = ${organisationId} and alert_id = f.alert_id and alert_at = f.alert_at order by event_at, event_id limit 1
    ) e on true
    where f.place <= ${maxRules} order by f.case_id, f.place`.execute(tx);
  return rows;
}

/** Earlier alerts of each rule on the same device or user; 0 if one of them was in a malicious case. */
async function readHistory(
  tx: Tx,
  organisationId: number,
  cases: readonly CaseRecord[],
  rows: readonly RuleRow[],
): Promise<Map<string, number>> {
  const begin = new Map(cases.map((each) => [each.id, each.first_alert_at.getTime()]));
  const asked = rows.filter((row) => row.deviceName !== null || row.userName !== null);
  if (asked.length === 0) return new Map();
  const { rows: found } = await sql<{ caseId: number; ruleId: number; fired: number }>`
    select q.case_id as "caseId", q.rule_id as "ruleId", count(*) filter (where not h.malicious) * (not bool_or(h.malicious))::integer as fired
    from unnest(${integerColumn(asked.map((row) => row.caseId))}, ${integerColumn(asked.map((row) => row.ruleId))},
      ${textColumn(asked.map((row) => row.deviceName))}, ${textColumn(asked.map((row) => row.userName))},
      ${timeColumn(asked.map((row) => begin.get(row.caseId)!))}) as q (case_id, rule_id, device, person, begin)
    cross join lateral (
      select exists (
        select from case_alerts ca join cases c on c.id = ca.case_id
        where ca.alert_id = b.id and ca.alert_at = b.at and (c.status = 'malicious' or c.investigation_status = ${sql.lit(investigationStatusIds.malicious)})
      ) as malicious
      from (
        select id, at from alerts
        where organisation_id = ${organisationId} and rule_id = q.rule_id and at >= q.begin - interval '30 days' and at < q.begin
          and (device_name = q.device or (q.device is null and user_name = q.person))
        order by at desc, id desc limit ${maxHistory}
      ) b
    ) h group by 1, 2`.execute(tx);
  return new Map(found.map((row) => [`${row.caseId} ${row.ruleId}`, Number(row.fired)]));
}

const domainFields = ['dns.question.name', 'url.domain', 'destination.domain', 'tls.client.server_name'];
const addressFields = ['source.ip', 'destination.ip'];
const hashFields = [
  'process.hash.sha256',
  'process.hash.sha1',
  'process.hash.md5',
  'file.hash.sha256',
  'file.hash.sha1',
  'file.hash.md5',
  'dll.hash.sha256',
  'dll.hash.md5',
];
/** Fields of a program with its peer. */
const spokenFields = ['process.command_line', 'winlog.event_data.ScriptBlockText', 'url.original'];
const spoken = /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[0-9a-f]{32,64}\b|\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,20}\b/gi;
const maxSpoken = 20;
const fieldsOf = { ip: addressFields, hash: hashFields, domain: domainFields } as const;
type Kind = keyof typeof fieldsOf;

async function readIndicators(
  tx: Tx,
  organisationId: number,
  ids: RawBuilder<number[]>,
  rows: readonly RuleRow[],
  lookUp: LookUp,
): Promise<Map<number, CaseFacts['indicators'][number][]>> {
  const { rows: artifacts } = await sql<{ caseId: number; kind: Kind; value: string }>`
    select case_id as "caseId", case when kind = 'hash' then 'hash' else 'ip' end as kind, value from case_artifacts
    where organisation_id = ${organisationId} and case_id = any (${ids}) and kind in ('sourceIp', 'destinationIp', 'hash')
    group by 1, 2, 3 order by 1, 2, 3 limit 20000`.execute(tx);
  const shown: { caseId: number; kind: Kind; value: string; citation?: Citation }[] = [
    ...artifacts,
    ...rows.flatMap((row) =>
      spokenFields.flatMap((field) =>
        valuesAt(row.document, field).flatMap((text) =>
          (text.toLowerCase().match(spoken) ?? []).slice(0, maxSpoken).map((value) => ({
            caseId: row.caseId,
            kind: /^[\d.]+$/.test(value) ? ('ip' as const) : value.includes('.') ? ('domain' as const) : ('hash' as const),
            value,
            citation: { alertID: row.alertId, field, value: text },
          })),
        ),
      ),
    ),
    ...rows.flatMap((row) =>
      domainFields.flatMap((field) =>
        valuesAt(row.document, field).map((value) => ({
          caseId: row.caseId,
          kind: 'domain' as const,
          value: value.toLowerCase().replace(/\.$/, ''),
        })),
      ),
    ),
  ];
  const distinct = new Map(shown.map((each) => [`${each.kind} ${each.value}`, { kind: each.kind, value: each.value }]));
  const known = new Map<string, { reputation: string; list: string }>();
  for (const found of await lookUp(tx, [...distinct.values()])) {
    const key = `${found.kind} ${found.value}`;
    // The worst first.
    if (!known.has(key)) known.set(key, found);
  }
  const byCase = new Map<number, CaseFacts['indicators'][number][]>();
  for (const { caseId, kind, value, citation: said } of new Map(
    shown.map((each) => [`${each.caseId} ${each.kind} ${each.value}`, each]),
  ).values()) {
    const found = known.get(`${kind} ${value}`);
    const list = byCase.get(caseId) ?? [];
    if (!found || found.reputation === 'Unknown' || list.length >= maxIndicators) continue;
    const citation =
      said ??
      citeIn(
        rows.filter((row) => row.caseId === caseId),
        kind,
        value,
      ) ??
      (await citeAnywhere(tx, organisationId, caseId, kind, value));
    if (!citation) continue;
    list.push({
      reputation: found.reputation as CaseFacts['indicators'][number]['reputation'],
      value,
      list: found.list,
      citation,
    });
    byCase.set(caseId, list);
  }
  const order = ['Malicious', 'Suspicious', 'Benign'];
  for (const list of byCase.values())
    list.sort((a, b) => order.indexOf(a.reputation) - order.indexOf(b.reputation) || (a.value < b.value ? -1 : 1));
  return byCase;
}

function citeIn(rows: readonly Pick<RuleRow, 'alertId' | 'document'>[], kind: Kind, value: string): Citation | undefined {
  for (const { alertId, document } of rows)
    for (const field of fieldsOf[kind]) {
      const own = valuesAt(document, field).find((each) => each.toLowerCase() === value);
      if (own !== undefined) return { alertID: alertId, field, value: own };
    }
  return undefined;
}

/** Fallback for indicators that no rule's first event contains: the newest 100 events of the case. */
async function citeAnywhere(
  tx: Tx,
  organisationId: number,
  caseId: number,
  kind: Kind,
  value: string,
): Promise<Citation | undefined> {
  const { rows } = await sql<{ alertId: number; document: unknown }>`
    select c.alert_id as "alertId", e.document from case_alerts c
    cross join lateral (
      select document from alert_events where organisation_id = ${organisationId} and alert_id = c.alert_id and alert_at = c.alert_at limit 20
    ) e
    where c.organisation_id = ${organisationId} and c.case_id = ${caseId} and strpos(lower(e.document::text), ${value}) > 0
    order by c.alert_at desc, c.alert_id limit 5`.execute(tx);
  return citeIn(rows, kind, value);
}

/** Alerts of the last 30 days by hour of day, UTC. */
async function readHours(tx: Tx, organisationId: number, now: number): Promise<{ counts: number[]; total: number }> {
  const { rows } = await sql<{ hour: number; count: number }>`
    select extract(hour from hour at time zone 'UTC')::integer as hour, sum(count)::integer as count from rollup_hour_severity
    where organisation_id = ${organisationId} and hour >= ${new Date(now - historyMs)} and hour < ${new Date(now)} group by 1`.execute(
    tx,
  );
  const counts = Array.from({ length: 24 }, () => 0);
  for (const row of rows) counts[row.hour] = row.count;
  return { counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

/** Silent devices of open cases, by name in lower case. */
async function readSilent(
  tx: Tx,
  organisationId: number,
  cases: readonly CaseRecord[],
  now: number,
): Promise<Map<string, { device: string; lastEventAt: string }[]>> {
  const names = [
    ...new Set(
      cases.filter((each) => each.closed_at === null).flatMap((each) => each.device_names.map((name) => name.toLowerCase())),
    ),
  ];
  if (names.length === 0) return new Map();
  const { rows } = await sql<{ name: string; lastAt: Date }>`
    select d.name, d.last_event_at as "lastAt" from devices d
    where d.organisation_id = ${organisationId} and d.name_key = any (${textColumn(names)}) and ${isSilent(now)}`.execute(tx);
  return new Map(
    rows.map(({ name, lastAt }) => [
      name.toLowerCase(),
      [{ device: name, lastEventAt: `${lastAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` }],
    ]),
  );
}
