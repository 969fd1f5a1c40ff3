/**
 * Maintains alert rollups in the transaction that raises the alerts: per hour, day and month by severity, per day and month
 * by rule, device and user. The organisation’s lock serialises raising, so updates cannot deadlock.
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { dateColumn as dates, integerColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import type { GroupedAlert } from './grouping.ts';

const hourOf = (at: number): number => Math.floor(at / hourMs) * hourMs;
const dayOf = (at: number): number => Math.floor(at / dayMs) * dayMs;
function monthOf(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
}

/** Counts by composite key; returns the key’s parts unchanged, sorted by key. */
function countBy<Parts extends readonly unknown[]>(
  alerts: readonly GroupedAlert[],
  partsOf: (alert: GroupedAlert) => Parts | undefined,
): { parts: Parts; count: number }[] {
  const counts = new Map<string, { parts: Parts; count: number }>();
  for (const alert of alerts) {
    const parts = partsOf(alert);
    if (!parts) continue;
    const key = parts.join('\u0000');
    const entry = counts.get(key);
    if (entry) entry.count++;
    else counts.set(key, { parts, count: 1 });
  }
  return [...counts.keys()].sort().map((key) => counts.get(key)!);
}

/** Counts detections (new alerts and repeats) by the day of their alert. */
async function addDispositions(tx: Tx, organisationId: number, found: readonly GroupedAlert[]): Promise<void> {
  const byDay = new Map<number, { raised: number; folded: number }>();
  for (const { at, count, isNew } of found) {
    const day = byDay.get(dayOf(at)) ?? { raised: 0, folded: 0 };
    byDay.set(dayOf(at), { raised: day.raised + count, folded: day.folded + count - (isNew ? 1 : 0) });
  }
  const days = [...byDay].sort(([a], [b]) => a - b);
  await sql`
    insert into alert_fates as f (organisation_id, day, fate, count)
    select ${organisationId}, r.day, x.fate, x.n
    from unnest(${dates(days.map(([day]) => day))}, ${integerColumn(days.map(([, { raised }]) => raised))},
      ${integerColumn(days.map(([, { folded }]) => folded))}) as r (day, raised, folded)
    cross join lateral (values ('raised', r.raised), ('folded', r.folded)) as x (fate, n) where x.n > 0
    on conflict (organisation_id, day, fate) do update set count = f.count + excluded.count`.execute(tx);
}

/** `found` holds new alerts and repeats; only new ones count as alerts. */
export async function addToRollups(tx: Tx, organisationId: number, found: readonly GroupedAlert[]): Promise<void> {
  if (found.length === 0) return;
  const alerts = found.filter(({ isNew }) => isNew);
  await Promise.all([
    addDispositions(tx, organisationId, found),
    ...(alerts.length > 0 ? [addAlerts(tx, organisationId, alerts)] : []),
  ]);
}

async function addAlerts(tx: Tx, organisationId: number, alerts: readonly GroupedAlert[]): Promise<void> {
  const hours = countBy(alerts, (alert) => [hourOf(alert.at), alert.rule.criticality] as const);
  const days = countBy(alerts, (alert) => [dayOf(alert.at), alert.rule.criticality] as const);
  const severeMonths = countBy(alerts, (alert) => [monthOf(alert.at), alert.rule.criticality] as const);
  const rules = countBy(alerts, (alert) => [dayOf(alert.at), alert.rule.id] as const);
  const months = countBy(alerts, (alert) => [monthOf(alert.at), alert.rule.id] as const);
  const devices = countBy(alerts, ({ at, deviceName }) =>
    deviceName === undefined ? undefined : ([dayOf(at), deviceName] as const),
  );
  const users = countBy(alerts, ({ at, userName }) => (userName === undefined ? undefined : ([dayOf(at), userName] as const)));
  const deviceMonths = countBy(alerts, ({ at, deviceName }) =>
    deviceName === undefined ? undefined : ([monthOf(at), deviceName] as const),
  );
  const userMonths = countBy(alerts, ({ at, userName }) =>
    userName === undefined ? undefined : ([monthOf(at), userName] as const),
  );
  // One statement for all tables saves round trips.
  await sql`
    with hours as (
      insert into rollup_hour_severity (organisation_id, hour, criticality, count)
      select ${organisationId}, * from unnest(${timeColumn(firsts(hours))}, ${integerColumn(seconds(hours))}, ${integerColumn(counts(hours))})
      on conflict (organisation_id, hour, criticality) do update set count = rollup_hour_severity.count + excluded.count
    ), days as (
      insert into rollup_day_severity (organisation_id, day, criticality, count, new_count)
      select ${organisationId}, day, criticality, count, count
      from unnest(${dates(firsts(days))}, ${integerColumn(seconds(days))}, ${integerColumn(counts(days))}) as r (day, criticality, count)
      on conflict (organisation_id, day, criticality) do update
        set count = rollup_day_severity.count + excluded.count, new_count = rollup_day_severity.new_count + excluded.new_count
    ), severe_months as (
      insert into rollup_month_severity (organisation_id, month, criticality, count, new_count)
      select ${organisationId}, month, criticality, count, count
      from unnest(${dates(firsts(severeMonths))}, ${integerColumn(seconds(severeMonths))}, ${integerColumn(counts(severeMonths))})
        as r (month, criticality, count)
      on conflict (organisation_id, month, criticality) do update
        set count = rollup_month_severity.count + excluded.count, new_count = rollup_month_severity.new_count + excluded.new_count
    ), rules as (
      insert into rollup_day_rule (organisation_id, day, rule_id, count)
      select ${organisationId}, * from unnest(${dates(firsts(rules))}, ${integerColumn(seconds(rules))}, ${integerColumn(counts(rules))})
      on conflict (organisation_id, day, rule_id) do update set count = rollup_day_rule.count + excluded.count
    ), months as (
      insert into rollup_month_rule (organisation_id, month, rule_id, count)
      select ${organisationId}, * from unnest(${dates(firsts(months))}, ${integerColumn(seconds(months))}, ${integerColumn(counts(months))})
      on conflict (organisation_id, month, rule_id) do update set count = rollup_month_rule.count + excluded.count
    ), devices as (
      insert into rollup_day_device (organisation_id, day, device_name, count)
      select ${organisationId}, * from unnest(${dates(firsts(devices))}, ${textColumn(seconds(devices))}, ${integerColumn(counts(devices))})
      on conflict (organisation_id, day, device_name) do update set count = rollup_day_device.count + excluded.count
    ), device_months as (
      insert into rollup_month_device (organisation_id, month, device_name, count)
      select ${organisationId}, * from unnest(${dates(firsts(deviceMonths))}, ${textColumn(seconds(deviceMonths))}, ${integerColumn(counts(deviceMonths))})
      on conflict (organisation_id, month, device_name) do update set count = rollup_month_device.count + excluded.count
    ), user_months as (
      insert into rollup_month_user (organisation_id, month, user_name, count)
      select ${organisationId}, * from unnest(${dates(firsts(userMonths))}, ${textColumn(seconds(userMonths))}, ${integerColumn(counts(userMonths))})
      on conflict (organisation_id, month, user_name) do update set count = rollup_month_user.count + excluded.count
    )
    insert into rollup_day_user (organisation_id, day, user_name, count)
    select ${organisationId}, * from unnest(${dates(firsts(users))}, ${textColumn(seconds(users))}, ${integerColumn(counts(users))})
    on conflict (organisation_id, day, user_name) do update set count = rollup_day_user.count + excluded.count`.execute(tx);
}

const firsts = <A, B>(rows: readonly { parts: readonly [A, B] }[]): A[] => rows.map((row) => row.parts[0]);
const seconds = <A, B>(rows: readonly { parts: readonly [A, B] }[]): B[] => rows.map((row) => row.parts[1]);
const counts = (rows: readonly { count: number }[]): number[] => rows.map((row) => row.count);
