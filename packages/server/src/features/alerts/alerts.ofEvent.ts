/** Alerts that keep a copy of an event, and their cases. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { alertsOfPackedEvent } from '../../domain/alertEvents.ts';
import { readByKeys, type StoredRow } from './alerts.rows.ts';

/** An alert begins at most this long before an event of which it keeps a copy: only its first events are copied. */
const beforeMs = 7 * dayMs;
/** Events arrive out of order: a later one may have begun the alert. */
const afterMs = dayMs;
const maxAlerts = 50;

/**
 * The newest alerts with a copy of the event. Copies have no index by event: the alerts of these days are looked up one by one in the primary
 * key.
 */
export async function listOfEvent(
  tx: Tx,
  scope: Scope,
  eventId: string,
  eventAt: string,
): Promise<{ rows: StoredRow[]; caseOf: Map<number, number> }> {
  const at = Date.parse(eventAt);
  // To the millisecond, as the contract shows it.
  const sameInstant = sql`e.event_at >= ${new Date(at)} and e.event_at < ${new Date(at + 1)}`;
  const [start, end] = [at - beforeMs, at + afterMs];
  const packed = await alertsOfPackedEvent(tx, scope, { id: eventId, at }, { start, end });
  const { rows: keys } = await sql<{ alert_id: number; alert_at: Date; caseId: number | null }>`
    select a.id as alert_id, a.at as alert_at,
      (select case_id from case_alerts c where c.alert_id = a.id and c.alert_at = a.at and ${within('c.organisation_id', scope)}) as "caseId"
    from alerts a
    where ${within('a.organisation_id', scope)} and a.at >= ${new Date(start)} and a.at < ${new Date(end)}
      and (a.id = any (${integerColumn(packed)}) or exists (select from alert_events e where e.alert_id = a.id and e.alert_at = a.at and ${sameInstant}
        and e.event_id = ${eventId} and ${within('e.organisation_id', scope)}))
    order by a.at desc, a.id desc limit ${maxAlerts}`.execute(tx);
  return {
    rows: await readByKeys(tx, scope, keys),
    caseOf: new Map(keys.flatMap(({ alert_id, caseId }) => (caseId === null ? [] : [[alert_id, caseId]]))),
  };
}
