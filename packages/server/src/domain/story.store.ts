/** SQL of a case's story: its rules with the event of their first alert, and its devices and users. */
import type { RuleGuidance } from '@parapet/contract/alerts.ts';
import { sql } from 'kysely';
import { byKey, type Scope, type Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import { readAlertEvents } from './alertEvents.ts';
import { citedField } from './field-places.ts';
import { identityJoin, shownUser } from './identities.ts';
import type { AttackFacts, StoryParty, StoryRule } from './story.facts.ts';

const maxRules = 40;
const maxParties = 20;
const maxName = 300;

export interface GuidedRule extends StoryRule {
  guidance: RuleGuidance | null;
}

interface StoredRule {
  alertId: number;
  at: string;
  lastAt: string;
  title: string;
  criticality: number;
  techniques: unknown;
  tactics: unknown;
  guidance: RuleGuidance | null;
  count: number;
  total: number;
  device: string | null;
  devices: number;
  user: string | null;
  person: string | null;
  users: number;
  isCorrelation: boolean;
}

/** Facts of one case; its most severe rules in chronological order. */
export async function readAttack(tx: Tx, scope: Scope, caseId: number): Promise<AttackFacts & { rules: readonly GuidedRule[] }> {
  const party = (column: 'device' | 'user_name', person = column === 'device' ? 'device' : 'person') => sql`(
    select coalesce(jsonb_agg(jsonb_build_object('name', left(p.name, ${sql.lit(maxName)}), 'alertID', p.alert_id, 'total', p.total) order by p.at, p.alert_id), '[]')
    from (select (array_agg(${sql.ref(column)} order by at, alert_id))[1] as name, (array_agg(alert_id order by at, alert_id))[1] as alert_id, min(at) as at,
        (count(*) over ())::integer as total
      from members where ${sql.ref(column)} is not null group by lower(${sql.ref(person)}) order by min(at), 2 limit ${sql.lit(maxParties)}) p)`;
  const { rows } = await sql<{
    rules: StoredRule[];
    devices: (StoryParty & { total: number })[];
    users: (StoryParty & { total: number })[];
  }>`${byKey}
    with members as materialized (
      select ca.rule_id, ca.alert_id, ca.alert_at as at, ca.criticality, a.device_name as device, a.user_name, a.person, a.fire_count, greatest(ca.alert_at, a.last_at) as last_at
      from case_alerts ca
      cross join lateral (
        select a.device_name, a.user_name, ${shownUser(sql`a`)} as person, a.fire_count, a.last_at from alerts a ${identityJoin(sql`a`)}
        where a.organisation_id = ca.organisation_id and a.id = ca.alert_id and a.at = ca.alert_at limit 1
      ) a
      where ca.case_id = ${caseId} and ${within('ca.organisation_id', scope)}
    ), found as (
      select rule_id, max(criticality) as criticality, sum(fire_count)::integer as count, min(at) as at, max(last_at) as last_at, (count(*) over ())::integer as total,
        (array_agg(alert_id order by at, alert_id))[1] as alert_id, (array_agg(device order by at, alert_id))[1] as device,
        (array_agg(user_name order by at, alert_id))[1] as user_name,
        (array_agg(person order by at, alert_id))[1] as person, (count(distinct lower(device)))::integer as devices, (count(distinct lower(person)))::integer as users
      from members group by rule_id order by max(criticality) desc, min(at), rule_id limit ${sql.lit(maxRules)}
    )
    select ${party('device')} as devices, ${party('user_name')} as users, (
      select coalesce(jsonb_agg(jsonb_build_object('alertId', f.alert_id, 'at', f.at, 'lastAt', f.last_at, 'title', left(r.title, 2000), 'criticality', f.criticality,
        'isCorrelation', r.facts ? 'groupFields', 'techniques', r.facts -> 'techniques', 'tactics', r.facts -> 'tactics', 'guidance', r.facts -> 'guidance', 'count', f.count, 'total', f.total,
        'device', left(f.device, ${sql.lit(maxName)}), 'devices', f.devices, 'user', left(f.user_name, ${sql.lit(maxName)}), 'users', f.users, 'person', left(f.person, ${sql.lit(maxName)})) order by f.at, f.alert_id), '[]')
      from found f join rules r on r.id = f.rule_id) as rules`.execute(tx);
  const { rules, devices, users } = rows[0]!;
  const documents = await documentsOf(tx, scope, rules);
  return {
    rules: rules.map((rule) => ruleOf(rule, documents.get(rule.alertId))),
    rulesTotal: rules[0]?.total ?? 0,
    devices,
    devicesTotal: devices[0]?.total ?? 0,
    users,
    usersTotal: users[0]?.total ?? 0,
  };
}

const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];

/** First citable value of the fields, in this order. */
const fieldOf = (document: unknown, ...fields: string[]): string | undefined => {
  for (const field of fields) {
    const value = citedField(document, field)?.value.slice(0, maxName);
    if (value !== undefined && value !== '-') return value;
  }
  return undefined;
};
const baseName = (path: string | undefined): string | undefined => path?.replace(/^.*[\\/](?=[^\\/]+$)/, '');

/** Of each rule’s first alert the first event, for correlations the one that completed them. */
async function documentsOf(tx: Tx, scope: Scope, rules: readonly StoredRule[]): Promise<Map<number, unknown>> {
  const documents = new Map<number, unknown>();
  for (const isNewestFirst of [false, true]) {
    const own = rules.filter(({ isCorrelation }) => isCorrelation === isNewestFirst);
    const alerts = own.map(({ alertId, at }) => ({ id: alertId, at: new Date(at) }));
    for (const [id, [event]] of await readAlertEvents(tx, scope, alerts, { most: 1, isNewestFirst }))
      documents.set(id, event?.document);
  }
  return documents;
}

const ruleOf = (row: StoredRule, document: unknown): GuidedRule => ({
  alertID: row.alertId,
  at: new Date(row.at),
  lastAt: new Date(row.lastAt),
  rule: row.title,
  criticality: row.criticality,
  techniques: textsOf(row.techniques),
  tactics: textsOf(row.tactics),
  guidance: row.guidance,
  count: row.count,
  device: row.device,
  devices: row.devices,
  user: row.user,
  person: row.person,
  users: row.users,
  source: fieldOf(document, 'source.ip', 'source.address'),
  destination: fieldOf(document, 'destination.domain', 'url.domain', 'dns.question.name', 'destination.ip'),
  program: baseName(fieldOf(document, 'process.executable', 'Image', 'process.name')),
});
