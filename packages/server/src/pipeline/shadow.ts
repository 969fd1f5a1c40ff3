/** Counts matches that raise nothing, by day: of versions in shadow, and those that exceptions hide. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { dateColumn, integerColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Event } from './event.ts';

interface Count {
  key: string;
  version: number;
  day: number;
  count: number;
  lastAt: number;
}

export async function countShadowMatches(tx: Tx, organisationId: number, events: readonly Event[]): Promise<void> {
  const counts = new Map<string, Count>();
  for (const { at, shadowMatches } of events)
    for (const { key, version } of shadowMatches) {
      const day = Math.floor(at / dayMs) * dayMs;
      const id = `${key} ${version} ${day}`;
      const count = counts.get(id) ?? { key, version, day, count: 0, lastAt: at };
      counts.set(id, { ...count, count: count.count + 1, lastAt: Math.max(count.lastAt, at) });
    }
  if (counts.size === 0) return;
  // Sorted, so that batches of one organisation lock rows in one order.
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  await sql`
    insert into rule_shadow_days (organisation_id, rule_key, version, day, count, last_at)
    select ${organisationId}, * from unnest(${textColumn(rows.map(({ key }) => key))}, ${integerColumn(rows.map(({ version }) => version))},
      ${dateColumn(rows.map(({ day }) => day))}, ${integerColumn(rows.map(({ count }) => count))}, ${timeColumn(rows.map(({ lastAt }) => lastAt))})
    on conflict (organisation_id, rule_key, version, day) do update
      set count = rule_shadow_days.count + excluded.count, last_at = greatest(rule_shadow_days.last_at, excluded.last_at)`.execute(
    tx,
  );
}

export async function countHiddenMatches(tx: Tx, organisationId: number, events: readonly Event[]): Promise<void> {
  const counts = new Map<string, { id: number; day: number; count: number; lastAt: number }>();
  for (const { at, hiddenBy = [] } of events)
    for (const id of hiddenBy) {
      const day = Math.floor(at / dayMs) * dayMs;
      const found = counts.get(`${id} ${day}`) ?? { id, day, count: 0, lastAt: at };
      counts.set(`${id} ${day}`, { ...found, count: found.count + 1, lastAt: Math.max(found.lastAt, at) });
    }
  if (counts.size === 0) return;
  const rows = [...counts.values()].sort((a, b) => a.id - b.id || a.day - b.day);
  await sql`
    insert into rule_exception_days (organisation_id, exception_id, day, count, last_at)
    select ${organisationId}, * from unnest(${integerColumn(rows.map(({ id }) => id))}, ${dateColumn(rows.map(({ day }) => day))},
      ${integerColumn(rows.map(({ count }) => count))}, ${timeColumn(rows.map(({ lastAt }) => lastAt))})
    on conflict (exception_id, organisation_id, day) do update
      set count = rule_exception_days.count + excluded.count, last_at = greatest(rule_exception_days.last_at, excluded.last_at)`.execute(
    tx,
  );
}
