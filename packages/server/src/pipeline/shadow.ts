/** Counts matches of versions in shadow, by day; they raise nothing. */
import { sql } from 'kysely';
import { dateColumn, integerColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import { dayMs } from '../domain/ranges.ts';
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
