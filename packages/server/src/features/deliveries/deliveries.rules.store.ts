/** SQL of routing rules, and of what one would have sent. */
import type { DeliveryRule, DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import { criticalityOf, severityOf } from '@parapet/contract/primitives.ts';
import type { CaseStatus, verdicts } from '@parapet/contract/rules/cases.ts';
import { type DeliveryEvent, previewDays } from '@parapet/contract/rules/deliveries.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7];

const columnsOf = ({
  targetId,
  clientId,
  isOn,
  events,
  minSeverity,
  verdicts,
  statuses,
  hours,
  afterMinutes,
}: DeliveryRuleInput) => ({
  target_id: targetId,
  client_id: clientId,
  is_on: isOn,
  events,
  min_criticality: criticalityOf[minSeverity],
  verdicts,
  statuses,
  after_minutes: afterMinutes,
  zone: hours?.zone ?? null,
  days: hours?.days ?? everyDay,
  from_minute: hours?.from ?? 0,
  to_minute: hours?.to ?? 1440,
});

const selected = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('delivery_rules as r')
    .innerJoin('delivery_targets as t', 't.id', 'r.target_id')
    .selectAll('r')
    .select('t.name as target_name')
    .where(within('r.organisation_id', scope));

/** A rule without the name of its client, which belongs to another organisation. */
export type StoredRule = Omit<DeliveryRule, 'clientName'>;

type Row = Awaited<ReturnType<ReturnType<typeof selected>['execute']>>[number];

const shown = (row: Row): StoredRule => ({
  id: row.id,
  clientOrganizationID: row.organisation_id,
  targetId: row.target_id,
  targetName: row.target_name,
  clientId: row.client_id,
  isOn: row.is_on,
  events: row.events as DeliveryEvent[],
  minSeverity: severityOf(row.min_criticality),
  verdicts: row.verdicts as (typeof verdicts)[number][],
  statuses: row.statuses as CaseStatus[],
  afterMinutes: row.after_minutes,
  hours: row.zone === null ? null : { zone: row.zone, days: row.days, from: row.from_minute, to: row.to_minute },
});

export const listRules = async (tx: Tx, scope: Scope): Promise<StoredRule[]> =>
  (await selected(tx, scope).orderBy(sql`lower(t.name)`).orderBy('r.id').limit(1_000).execute()).map(shown);

export async function findRule(tx: Tx, scope: Scope, id: number): Promise<StoredRule | undefined> {
  const row = await selected(tx, scope).where('r.id', '=', id).executeTakeFirst();
  return row && shown(row);
}

export async function insertRule(tx: Tx, organisationId: number, input: DeliveryRuleInput): Promise<number> {
  const { id } = await tx
    .insertInto('delivery_rules')
    .values({ ...columnsOf(input), organisation_id: organisationId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateRule(tx: Tx, scope: Scope, id: number, input: DeliveryRuleInput): Promise<void> {
  await tx
    .updateTable('delivery_rules')
    .set(columnsOf(input))
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

export async function removeRule(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('delivery_rules').where(within('organisation_id', scope)).where('id', '=', id).execute();
}

/** True for an organisation whose events the owner's targets can receive. */
export async function covers(tx: Tx, scope: Scope, owner: number, clientId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('organisations')
    .select('id')
    .where(within('id', scope))
    .where('id', '=', clientId)
    .where((eb) => eb.or([eb('id', '=', owner), eb('parent_id', '=', owner), eb.val(owner === 1)]))
    .executeTakeFirst();
  return found !== undefined;
}

/** Counts by event what a rule would have sent since `from`. Cases count with their severity and verdict of today. */
export async function countPreview(
  tx: Tx,
  scope: Scope,
  owner: number,
  rule: DeliveryRuleInput,
  now: number,
): Promise<{ event: DeliveryEvent; count: number }[]> {
  const from = new Date(now - previewDays * 86_400_000);
  const { hours, verdicts, statuses, clientId } = rule;
  const covered = (column: string): RawBuilder<boolean> => sql<boolean>`${within(column, scope)} and exists (
    select from organisations o where o.id = ${sql.ref(column)} and (${owner}::integer in (o.id, o.parent_id) or ${owner}::integer = 1)
      and (${clientId}::integer is null or o.id = ${clientId}::integer))`;
  const during = (
    at: string,
  ): RawBuilder<boolean> => sql<boolean>`${sql.ref(at)} >= ${from} and in_hours(${sql.ref(at)}, ${hours?.zone ?? null},
    ${hours?.days ?? everyDay}::smallint[], ${hours?.from ?? 0}::integer, ${hours?.to ?? 1440}::integer)`;
  const { afterMinutes } = rule;
  /** Cases that an escalation would have found unacknowledged. */
  const ofTime = (at: string) =>
    afterMinutes === 0
      ? sql<boolean>`true`
      : sql<boolean>`coalesce(c.acknowledged_at, c.closed_at, 'infinity') > ${sql.ref(at)} + ${afterMinutes} * interval '1 minute'`;
  const ofCase = sql<boolean>`not c.is_excluded and c.criticality >= ${criticalityOf[rule.minSeverity]}`;
  const ofVerdict = (column: RawBuilder<unknown>) =>
    verdicts.length === 0 ? sql<boolean>`true` : sql<boolean>`${column} = any (${verdicts}::text[])`;
  const ofHistory = (kind: string, condition: RawBuilder<boolean>) => sql`
    select 1 from case_history h join cases c on c.id = h.case_id and c.organisation_id = h.organisation_id
    where ${covered('h.organisation_id')} and ${during('h.at')} and h.kind = ${kind} and ${ofCase} and ${condition}`;
  const queries: Record<DeliveryEvent, RawBuilder<unknown>> = {
    'case.opened': sql`select 1 from cases c where ${covered('c.organisation_id')} and ${during('c.created_at')} and ${ofCase} and ${ofTime('c.created_at')}
      and ${verdicts.length === 0 ? sql`true` : sql`false`}`,
    'case.verdict': ofHistory(
      'decision',
      sql<boolean>`h.after->>'verdict' is not null and ${ofVerdict(sql`h.after->>'verdict'`)} and ${ofTime('h.at')}`,
    ),
    'case.acknowledged': ofHistory('status', sql<boolean>`h.after @> '{"acknowledged": true}' and ${ofVerdict(sql`c.verdict`)}`),
    'case.statusChanged': ofHistory(
      'status',
      sql<boolean>`h.after->>'status' is not null and h.after->>'status' is distinct from h.before->>'status' and ${ofVerdict(sql`c.verdict`)}
        and ${statuses.length === 0 ? sql`true` : sql`h.after->>'status' = any (${statuses}::text[])`}`,
    ),
    'response.approvalNeeded': sql`select 1 from responses r where ${covered('r.organisation_id')} and ${during('r.requested_at')}
      and r.approvals_needed > 0`,
    'source.silent': sql`select 1 from device_silences s where ${covered('s.organisation_id')} and ${during('s.told_at')}`,
    'report.ready': sql`select 1 from report_schedules p where ${covered('p.organisation_id')} and ${during('p.last_sent_at')}`,
  };
  const counted: { event: DeliveryEvent; count: number }[] = [];
  for (const event of new Set(rule.events)) {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from (${queries[event]}) q`.execute(tx);
    counted.push({ event, count: rows[0]?.count ?? 0 });
  }
  return counted;
}
