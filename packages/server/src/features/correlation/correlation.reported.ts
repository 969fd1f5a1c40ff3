/** Alerts with the names and entities that their events report. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { Tx } from '../../core/db/scope.ts';
import { listSharedDevices } from '../../domain/sharedDevices.ts';
import { type About, aboutAlert, type EventFields } from './correlation.entities.ts';
import { arrivalWindowMs } from './correlation.rules.ts';
import * as store from './correlation.store.ts';
import type { Reported } from './correlation.surroundings.ts';

/** Limit of alerts of lateral movement per batch whose sign-ins are looked up, as each lookup reads events. */
export const maxMoved = 80;

export async function readReported(
  tx: Tx,
  organisationId: number,
  alerts: readonly store.WaitingAlert[],
): Promise<{
  rules: Map<number, store.Rule>;
  reported: Reported[];
  about: (alert: store.WaitingAlert, events?: readonly EventFields[]) => About;
}> {
  const [sharedDevices, rules, fields] = await Promise.all([
    listSharedDevices(tx, organisationId),
    store.readRules(tx, [...new Set(alerts.flatMap((alert) => [alert.ruleId, ...alert.alsoRuleIds]))]),
    store.readFields(tx, organisationId, alerts),
  ]);
  const moved = alerts.filter((alert) => rules.get(alert.ruleId)?.tactics.includes('lateral-movement')).slice(0, maxMoved);
  const arrivals = await store.readArrivals(tx, organisationId, moved, arrivalWindowMs);
  const isOnShared = (alert: store.WaitingAlert) => sharedDevices.has(alert.deviceName?.toLowerCase() ?? '');
  const about = (alert: store.WaitingAlert, events: readonly EventFields[] = []): About =>
    aboutAlert(
      {
        ...alert,
        at: alert.at.getTime(),
        isSharedDevice: isOnShared(alert),
        outbreak: alert.criticality >= criticalityOf.critical ? String(alert.ruleId) : undefined,
      },
      events,
      arrivals.get(alert.id),
    );
  const reported = alerts.map((alert): Reported => {
    const events = fields.get(alert.id) ?? [];
    return { alert, about: about(alert, events), events, isOnShared: isOnShared(alert) };
  });
  return { rules, reported, about };
}
