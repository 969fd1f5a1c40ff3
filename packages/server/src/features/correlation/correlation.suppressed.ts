/** Suppressions: alerts that they cover stay out of cases. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { Tx } from '../../core/db/scope.ts';
import * as store from './correlation.store.ts';

/** Keeps alerts covered by a suppression out of cases, and counts them for it. */
export async function withoutSuppressed(
  tx: Tx,
  organisationId: number,
  alerts: readonly store.WaitingAlert[],
): Promise<store.WaitingAlert[]> {
  const { shown, hidden } = await separateSuppressed(tx, organisationId, alerts);
  await store.insertSuppressed(tx, organisationId, hidden);
  return shown;
}

/** Alerts that suppressions leave, and those that they cover. */
export async function separateSuppressed(
  tx: Tx,
  organisationId: number,
  alerts: readonly store.WaitingAlert[],
): Promise<{ shown: store.WaitingAlert[]; hidden: (store.Ref & { by: number })[] }> {
  const hidden: (store.Ref & { by: number })[] = [];
  if (alerts.length === 0) return { shown: [], hidden };
  const times = alerts.map((alert) => alert.raisedAt.getTime());
  const suppressions = await store.listSuppressions(tx, organisationId, new Date(lowest(times)), new Date(highest(times)));
  if (suppressions.length === 0) return { shown: [...alerts], hidden };
  const also = await store.readRules(tx, [...new Set(alerts.flatMap((alert) => alert.alsoRuleIds))]);
  const shown = alerts.flatMap((alert): store.WaitingAlert[] => {
    const by = suppressions.find((suppression) => covers(suppression, alert));
    if (!by) return [alert];
    const next = withNextRule(alert, also, suppressions);
    if (!next) hidden.push({ id: alert.id, at: alert.at, by: by.id });
    return next ? [next] : [];
  });
  return { shown, hidden };
}

/** The alert under its worst further rule that no suppression covers, at least Medium; undefined without one. */
function withNextRule(
  alert: store.WaitingAlert,
  rules: ReadonlyMap<number, store.Rule>,
  suppressions: readonly store.Suppression[],
): store.WaitingAlert | undefined {
  return alert.alsoRuleIds
    .map((ruleId) => ({ ...alert, ruleId, criticality: rules.get(ruleId)?.criticality ?? 0 }))
    .filter(
      (other) => other.criticality >= criticalityOf.medium && !suppressions.some((suppression) => covers(suppression, other)),
    )
    .sort((a, b) => b.criticality - a.criticality)[0];
}

const covers = (
  { ruleId, deviceName, userName, createdAt, endsAt }: store.Suppression,
  alert: Pick<store.WaitingAlert, 'ruleId' | 'deviceName' | 'userName' | 'raisedAt'>,
): boolean =>
  (ruleId !== null || deviceName !== null || userName !== null) &&
  (ruleId === null || ruleId === alert.ruleId) &&
  (deviceName === null || deviceName === alert.deviceName?.toLowerCase()) &&
  (userName === null || userName === alert.userName?.toLowerCase()) &&
  createdAt <= alert.raisedAt &&
  alert.raisedAt < endsAt;

export const lowest = (times: readonly number[]): number => times.reduce((least, time) => Math.min(least, time), Infinity);
export const highest = (times: readonly number[]): number => times.reduce((most, time) => Math.max(most, time), -Infinity);
