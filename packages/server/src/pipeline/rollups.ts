/**
 * Figures are kept as they change, in the transaction that raises the alerts: per hour and day by severity, per day and month by rule, per
 * day by device and by user. Rows are written in one order, and one organisation's raising is serialised, so nothing can lock crosswise.
 */
import { sql } from 'kysely';
import { integerColumn, plainColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Folded } from './fold.ts';

const hourMs = 3_600_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Counts by a composite key whose parts come back as they went in, in the order of the keys. */
function tally<Parts extends readonly unknown[]>(
  alerts: readonly Folded[],
  partsOf: (alert: Folded) => Parts | undefined,
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

export async function addToRollups(tx: Tx, organisationId: number, alerts: readonly Folded[]): Promise<void> {
  if (alerts.length === 0) return;

  const hours = tally(alerts, (alert) => [Math.floor(alert.at / hourMs) * hourMs, alert.rule.criticality] as const);
  await sql`
    insert into rollup_hour_severity (organisation_id, hour, criticality, count)
    select ${organisationId}, * from unnest(${timeColumn(hours.map((row) => row.parts[0]))}, ${integerColumn(hours.map((row) => row.parts[1]))},
      ${integerColumn(hours.map((row) => row.count))})
    on conflict (organisation_id, hour, criticality) do update set count = rollup_hour_severity.count + excluded.count`.execute(
    tx,
  );

  const days = tally(alerts, (alert) => [dayOf(alert.at), alert.rule.criticality] as const);
  await sql`
    insert into rollup_day_severity (organisation_id, day, criticality, count, new_count)
    select ${organisationId}, day, criticality, count, count from unnest(${plainColumn(
      days.map((row) => row.parts[0]),
      'date',
    )},
      ${integerColumn(days.map((row) => row.parts[1]))}, ${integerColumn(days.map((row) => row.count))}) as r (day, criticality, count)
    on conflict (organisation_id, day, criticality) do update set
      count = rollup_day_severity.count + excluded.count, new_count = rollup_day_severity.new_count + excluded.new_count`.execute(
    tx,
  );

  const rules = tally(alerts, (alert) => [dayOf(alert.at), alert.rule.id] as const);
  await sql`
    insert into rollup_day_rule (organisation_id, day, rule_id, count)
    select ${organisationId}, * from unnest(${plainColumn(
      rules.map((row) => row.parts[0]),
      'date',
    )}, ${integerColumn(rules.map((row) => row.parts[1]))},
      ${integerColumn(rules.map((row) => row.count))})
    on conflict (organisation_id, day, rule_id) do update set count = rollup_day_rule.count + excluded.count`.execute(tx);

  const months = tally(alerts, (alert) => [`${dayOf(alert.at).slice(0, 7)}-01`, alert.rule.id] as const);
  await sql`
    insert into rollup_month_rule (organisation_id, month, rule_id, count)
    select ${organisationId}, * from unnest(${plainColumn(
      months.map((row) => row.parts[0]),
      'date',
    )}, ${integerColumn(months.map((row) => row.parts[1]))},
      ${integerColumn(months.map((row) => row.count))})
    on conflict (organisation_id, month, rule_id) do update set count = rollup_month_rule.count + excluded.count`.execute(tx);

  const devices = tally(alerts, (alert) =>
    alert.deviceName === undefined ? undefined : ([dayOf(alert.at), alert.deviceName] as const),
  );
  if (devices.length > 0) {
    await sql`
      insert into rollup_day_device (organisation_id, day, device_name, count)
      select ${organisationId}, * from unnest(${plainColumn(
        devices.map((row) => row.parts[0]),
        'date',
      )}, ${textColumn(devices.map((row) => row.parts[1]))},
        ${integerColumn(devices.map((row) => row.count))})
      on conflict (organisation_id, day, device_name) do update set count = rollup_day_device.count + excluded.count`.execute(tx);
  }

  const users = tally(alerts, (alert) =>
    alert.userName === undefined ? undefined : ([dayOf(alert.at), alert.userName] as const),
  );
  if (users.length > 0) {
    await sql`
      insert into rollup_day_user (organisation_id, day, user_name, count)
      select ${organisationId}, * from unnest(${plainColumn(
        users.map((row) => row.parts[0]),
        'date',
      )}, ${textColumn(users.map((row) => row.parts[1]))},
        ${integerColumn(users.map((row) => row.count))})
      on conflict (organisation_id, day, user_name) do update set count = rollup_day_user.count + excluded.count`.execute(tx);
  }
}
