/** SQL of routing rules. */
import type { DeliveryRule, DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import { criticalityOf, severityOf } from '@parapet/contract/primitives.ts';
import type { CaseStatus, verdicts } from '@parapet/contract/rules/cases.ts';
import type { DeliveryEvent } from '@parapet/contract/rules/deliveries.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

export const everyDay = [1, 2, 3, 4, 5, 6, 7];

const columnsOf = ({
  targetId,
  clientId,
  isOn,
  events,
  minSeverity,
  withEvents,
  digestMinutes,
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
  with_events: withEvents,
  digest_minutes: digestMinutes,
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
    .select(
      sql<
        DeliveryRuleInput['escalations']
      >`coalesce((select jsonb_agg(jsonb_build_object('afterMinutes', e.after_minutes, 'targetId', e.target_id)
        order by e.after_minutes, e.target_id) from delivery_escalations e
        where e.rule_id = r.id and e.organisation_id = r.organisation_id), '[]')`.as('escalations'),
    )
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
  withEvents: row.with_events,
  digestMinutes: row.digest_minutes as DeliveryRuleInput['digestMinutes'],
  verdicts: row.verdicts as (typeof verdicts)[number][],
  statuses: row.statuses as CaseStatus[],
  afterMinutes: row.after_minutes,
  escalations: row.escalations,
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
  await insertEscalations(tx, organisationId, id, input);
  return id;
}

async function insertEscalations(
  tx: Tx,
  organisationId: number,
  ruleId: number,
  { escalations }: DeliveryRuleInput,
): Promise<void> {
  if (escalations.length === 0) return;
  const rows = escalations.map(({ afterMinutes, targetId }) => ({
    rule_id: ruleId,
    organisation_id: organisationId,
    target_id: targetId,
    after_minutes: afterMinutes,
  }));
  await tx.insertInto('delivery_escalations').values(rows).execute();
}

export async function updateRule(tx: Tx, scope: Scope, id: number, input: DeliveryRuleInput): Promise<void> {
  const updated = await tx
    .updateTable('delivery_rules')
    .set(columnsOf(input))
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .returning('organisation_id')
    .executeTakeFirst();
  if (!updated) return;
  await tx.deleteFrom('delivery_escalations').where(within('organisation_id', scope)).where('rule_id', '=', id).execute();
  await insertEscalations(tx, updated.organisation_id, id, input);
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
