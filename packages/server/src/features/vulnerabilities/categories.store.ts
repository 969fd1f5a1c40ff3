/** SQL of the inputs of the ten categories. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { listCounts, retainedRange } from '../../domain/figures.ts';
import { isOpen, isShown } from '../../domain/findings.ts';
import { listRules, type StoredRule } from '../../domain/rules.ts';
import type { CategoryInputs, RuleAlerts } from './categories.ts';
import { languages } from './versions.ts';

const alertsMs = 30 * dayMs;
const casesMs = 90 * dayMs;
const fixedMs = 90 * dayMs;
const fedMs = 30 * dayMs;

/** Days to fix a finding; see docs/vulnerabilities.md. */
const daysOf = sql`case when k.cve is not null then 14 when f.severity = 'critical' then 15 when f.severity = 'high' then 30
  when f.severity = 'medium' then 90 else 180 end`;

/** Services that should not be reachable from other hosts: unencrypted, without a password, or administrative. */
const riskyPorts = [
  21, 23, 69, 111, 135, 139, 161, 389, 445, 512, 513, 514, 1433, 1521, 2049, 2375, 3306, 3389, 5432, 5900, 5984, 6000, 6379, 8086,
  9042, 9200, 11211, 27017,
];

/** Classifies rules by log source, ATT&CK techniques and tactics. */
const kinds: Record<'network' | 'dns' | 'phishing' | 'leaks', (rule: StoredRule) => boolean> = {
  dns: ({ facts }) => isDns(facts.logSource) || facts.techniques.some((id) => ['T1071.004', 'T1568', 'T1568.002'].includes(id)),
  network: ({ facts }) => /\b(firewall|network_connection|zeek|suricata|netflow|flow)\b/.test(facts.logSource),
  phishing: ({ facts }) => facts.techniques.some((id) => /^T(1566|1598|1534|1204|1656)(\.|$)/.test(id)),
  leaks: ({ facts }) => facts.tactics.some((tactic) => tactic === 'credential-access' || tactic === 'exfiltration'),
};
const isDns = (logSource: string): boolean => /\bdns(_query)?\b/.test(logSource);

export async function findCategoryInputs(
  tx: Tx,
  scope: Scope,
  now: number,
  isLoaded: (key: string) => boolean,
): Promise<CategoryInputs> {
  const at = new Date(now);
  const { rows } = await sql<{
    devices: number;
    endpoints: number;
    reporting: number;
    total: number;
    inTime: number;
    listening: number;
    risky: number;
    lists: number;
  }>`
    with device as (
      select count(*)::integer as devices, count(*) filter (where d.device_type in ('server', 'workstation'))::integer as endpoints,
        count(*) filter (where d.device_type in ('server', 'workstation') and ${stateAt(at)} = 'reporting')::integer as reporting
      from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null
    ), patching as (
      select count(*)::integer as total,
        count(*) filter (where coalesce(f.fixed_at, ${at}) - f.first_seen_at <= ${daysOf} * interval '1 day')::integer as in_time
      from findings f left join known_exploited k on k.cve = f.cve
      where ${within('f.organisation_id', scope)} and (${isOpen(at)} or (${isShown()} and f.fixed_at > ${new Date(now - fixedMs)}))
    ), listening as (
      select count(*)::integer as devices, coalesce(sum(risky), 0)::integer as risky from (
        select (
          select count(distinct (l ->> 'port'))::integer
          from jsonb_array_elements(case jsonb_typeof(a.inventory -> 'listening') when 'array' then a.inventory -> 'listening' else '[]' end) l
          where l ->> 'port' = any(${riskyPorts.map(String)}::text[]) and l ->> 'address' !~ '^(127\\.|::1$|::ffff:127\\.)'
        ) as risky
        from agents a where ${within('a.organisation_id', scope)} and a.inventory is not null and a.revoked_at is null
      ) each
    )
    select device.*, patching.total, patching.in_time as "inTime", listening.devices as listening, listening.risky,
      (select count(*)::integer from intelligence_lists) as lists
    from device, patching, listening`.execute(tx);
  const figures = rows[0]!;
  const hits = await countListed(tx, scope, now);
  return {
    devices: figures.devices,
    endpoints: figures.endpoints,
    reporting: figures.reporting,
    deviceScores: await deviceScores(tx, scope, at, false),
    languageScores: await deviceScores(tx, scope, at, true),
    patching: { total: figures.total, inTime: figures.inTime },
    listening: { devices: figures.listening, risky: figures.risky },
    lists: figures.lists,
    addresses: hits.addresses,
    files: hits.files,
    ...(await ruleAlerts(tx, scope, now, isLoaded)),
  };
}

/** 100 less the priority of the worst open finding, over scanned devices; with `isOfLanguages` over devices with language packages and their findings. */
async function deviceScores(tx: Tx, scope: Scope, now: Date, isOfLanguages: boolean): Promise<CategoryInputs['deviceScores']> {
  const ofLanguages = sql<boolean>`split_part(f.ecosystem, ':', 1) = any(${languages}::text[])`;
  const { rows } = await sql<{ devices: number; mean: number | null }>`
    with scanned as (
      select distinct coalesce(d.merged_into, d.id) as id from scans s join devices d on d.id = s.device_id
      where ${within('s.organisation_id', scope)} ${isOfLanguages ? sql`and s.languages > 0` : sql``}
    ), worst as (
      select coalesce(d.merged_into, d.id) as id, max(f.priority) as priority from findings f join devices d on d.id = f.device_id
      where ${within('f.organisation_id', scope)} and ${isOpen(now)} ${isOfLanguages ? sql`and ${ofLanguages}` : sql``} group by 1
    )
    select count(*)::integer as devices, avg(100 - coalesce(w.priority, 0))::float8 as mean
    from scanned left join worst w on w.id = scanned.id`.execute(tx);
  const { devices, mean } = rows[0]!;
  return devices === 0 || mean === null ? undefined : { devices, mean };
}

type Hits = Record<'addresses' | 'files', { malicious: number; suspicious: number }>;

/** Counts each listed value once, at its worst. */
async function countListed(tx: Tx, scope: Scope, now: number): Promise<Hits> {
  const { rows } = await sql<{ kind: string; malicious: number; suspicious: number }>`
    select kind, count(*) filter (where is_malicious)::integer as malicious, count(*) filter (where not is_malicious)::integer as suspicious
    from (
      select i.kind, i.value, bool_or(i.reputation = 'Malicious') as is_malicious
      from (
        select distinct case when a.kind = 'hash' then 'hash' else 'ip' end as kind, a.value from case_artifacts a
        where ${within('a.organisation_id', scope)} and a.kind in ('destinationIp', 'sourceIp', 'hash') and a.last_at > ${new Date(now - casesMs)}
      ) a join indicators i on i.kind = a.kind and i.value = a.value and i.reputation in ('Malicious', 'Suspicious')
      group by 1, 2
    ) hit group by 1`.execute(tx);
  const of = (kind: string) => {
    const { malicious = 0, suspicious = 0 } = rows.find((row) => row.kind === kind) ?? {};
    return { malicious, suspicious };
  };
  return { addresses: of('ip'), files: of('hash') };
}

async function ruleAlerts(
  tx: Tx,
  scope: Scope,
  now: number,
  isLoaded: (key: string) => boolean,
): Promise<Record<keyof typeof kinds, RuleAlerts>> {
  const rules = await listRules(tx);
  const { range, horizon } = await retainedRange(tx, { start: now - alertsMs, end: now }, now);
  const counts = new Map((await listCounts<number>(tx, scope, 'rule', range, horizon)).map(({ key, count }) => [key, count]));
  const { rows: fed } = await sql<{ source: string }>`
    select distinct s.log_source as source from device_sources s join devices d on d.id = s.device_id
    where ${within('s.organisation_id', scope)} and ${within('d.organisation_id', scope)} and s.last_at > ${new Date(now - fedMs)}`.execute(
    tx,
  );
  const sources = new Set(fed.map(({ source }) => source));
  // A correlation lists the sources of its member rules.
  const isLive = ({ key, facts }: StoredRule) =>
    isLoaded(key) && facts.logSource.split('; ').some((source) => sources.has(source));
  const of = (kind: keyof typeof kinds): RuleAlerts => {
    const those = rules.filter((rule) => kinds[kind](rule));
    const alerts = those.flatMap(({ id, criticality }) => {
      const count = counts.get(id) ?? 0;
      return count > 0 ? [{ criticality, count }] : [];
    });
    return { alerts, liveRules: Math.max(those.filter(isLive).length, alerts.length) };
  };
  return { network: of('network'), dns: of('dns'), phishing: of('phishing'), leaks: of('leaks') };
}
