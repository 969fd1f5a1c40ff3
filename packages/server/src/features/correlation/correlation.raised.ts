/** New alerts as causes of deliveries, once their case is known. Suppressed ones are left out. */
import { maxAlertEvents, maxAlertEventsLength } from '@parapet/contract/deliveryEvents.ts';
import { sql } from 'kysely';
import { integerColumn, timeColumn } from '../../core/db/bulk.ts';
import { byKey, type Tx } from '../../core/db/scope.ts';
import type { RuleFacts } from '../../core/db/tables.detection.ts';
import { type AlertEvent, readAlertEvents } from '../../domain/alertEvents.ts';
import { isEventRouted, queueDeliveries } from '../../domain/causes.ts';
import type { Ref } from './correlation.store.ts';

interface Raised {
  id: number;
  at: Date;
  raisedAt: Date;
  criticality: number;
  device: string | null;
  user: string | null;
  summary: string;
  count: number;
  title: string;
  rule: RuleFacts;
  case: number | null;
}

/** Queues the alerts for the targets of rules, in the transaction that places them. */
export async function queueRaised(tx: Tx, organisationId: number, alerts: readonly Ref[]): Promise<void> {
  if (alerts.length === 0 || !(await isEventRouted(tx, 'alert.raised', organisationId))) return;
  const { rows } = await sql<Raised>`${byKey}
    select a.id, a.at, a.raised_at as "raisedAt", a.criticality, a.device_name as device, a.user_name as user, a.summary, a.fire_count as count,
      r.title, r.facts as rule, (select c.case_id from case_alerts c where c.organisation_id = ${organisationId} and c.alert_id = a.id
        and c.alert_at = a.at limit 1) as "case"
    from unnest(${integerColumn(alerts.map(({ id }) => id))}, ${timeColumn(alerts.map(({ at }) => at.getTime()))}) as q (id, at)
    cross join lateral (select * from alerts where organisation_id = ${organisationId} and id = q.id and at = q.at limit 1) a
    join rules r on r.id = a.rule_id
    where not exists (select from suppressed_alerts s where s.organisation_id = ${organisationId} and s.alert_id = a.id and s.alert_at = a.at)
    order by a.id`.execute(tx);
  const events = await readAlertEvents(tx, { organisationIds: [organisationId] }, rows, { most: maxAlertEvents });
  await queueDeliveries(
    tx,
    rows.map(({ id, raisedAt, criticality, at, rule: { techniques, tactics }, ...facts }) => ({
      organisationId,
      event: 'alert.raised',
      objectId: id,
      at: raisedAt,
      criticality,
      facts: { ...facts, criticality, at: at.toISOString(), techniques, tactics, events: documentsOf(events.get(id) ?? []) },
    })),
  );
}

/** The first documents that fit into the length together. */
function documentsOf(events: readonly AlertEvent[]): Record<string, unknown>[] {
  let left = maxAlertEventsLength;
  return events.flatMap(({ document }) => {
    left -= JSON.stringify(document).length;
    return left < 0 ? [] : [document];
  });
}
