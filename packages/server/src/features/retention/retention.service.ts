/**
 * Creates monthly partitions ahead and drops expired ones; other tables are deleted by age. What an organisation keeps for a shorter time
 * than others is deleted by age, in batches; under a legal hold nothing of its events and alerts is. Figures stay.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { deadLetterDays } from '@parapet/contract/rules/values.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import type { Log } from '../../core/log.ts';
import { clickHouse } from '../../domain/events/clickhouse/connected.ts';
import { removeMovedBefore } from '../../domain/events/clickhouse/remove.ts';
import { sightingDays } from '../../domain/fieldSightings.ts';
import { dateOf } from '../../domain/ranges.ts';
import { eventDaysOf } from '../../domain/retentionDays.ts';

const monthsAhead = 2;
const rollupYears = 5;
/** Daily rule counts serve timeframes up to two months; older ones use monthly counts. */
const ruleDays = 62;
const sessionDays = 30;
/** Device baselines use four weeks and are shown for one. */
const deviceHourDays = 42;
/** Days that questions to Sapphire and their replies are kept. */
const messageDays = 90;
/** Rows deleted per transaction, to keep locks short. */
const defaultBatch = 5_000;

export interface RetentionServiceDeps {
  db: Database;
  clock: Clock;
  log: Log;
  alertRetentionMonths: number;
  eventRetentionDays: number;
  longestWindowMs: number;
  batch?: number;
}

export type RetentionService = ReturnType<typeof createRetentionService>;

export function createRetentionService(deps: RetentionServiceDeps) {
  const { db, clock, log, alertRetentionMonths, eventRetentionDays } = deps;
  return {
    /** Merges new counts into the totals of all organisations (migration 0014). */
    async rollUpTotals(): Promise<void> {
      await scoped(db, 'system', (tx) =>
        sql`with news as (delete from rollup_month_rule_news returning month, rule_id, count)
          insert into rollup_month_rule_total as t select month, rule_id, sum(count) from news group by 1, 2 order by 1, 2
          on conflict (month, rule_id) do update set count = t.count + excluded.count`.execute(tx),
      );
    },

    /** Creates the partitions for current events and alerts, as far back as source timestamps are accepted. */
    async makeMonths(): Promise<void> {
      const now = clock.now();
      const [first, last] = [dateOf(now - eventRetentionDays * dayMs), dateOf(monthsFrom(now, monthsAhead).getTime())];
      await scoped(db, 'system', (tx) => sql`select make_partitions(${first}::date, ${last}::date)`.execute(tx));
    },

    async dropOld(): Promise<void> {
      const now = clock.now();
      const clients = await scoped(db, 'system', (tx) => listAges(tx, deps));
      const days = Math.max(eventRetentionDays, ...clients.map((client) => client.days));
      const eventsBefore = new Date(now - days * dayMs);
      const alertsBefore = monthsFrom(now, -alertRetentionMonths);
      const dropped = await scoped(db, 'system', async (tx) => {
        const names: string[] = [];
        for (const [table, limit] of [
          ['event_blocks', eventsBefore],
          ['event_rows', eventsBefore],
          ['alerts', alertsBefore],
          ['alert_events', alertsBefore],
        ] as const) {
          const { rows } = await sql<{ name: string }>`select drop_partitions(${table}, ${limit}) as name`.execute(tx);
          names.push(...rows.map((row) => row.name));
        }
        return names;
      });
      if (dropped.length > 0) log.info({ dropped }, 'dropped expired partitions');
      await scoped(db, 'system', async (tx) => {
        for (const [table, column, limit] of expiredRows(deps, now))
          await sql`delete from ${sql.table(table)} where ${sql.ref(column)} < ${limit}
            ${evidence.has(table) ? sql`and not is_held(organisation_id)` : sql``}`.execute(tx);
        await removeNames(tx);
      });
      for (const client of clients) if (!client.isHeld) await removeOld(deps, client, now);
    },
  };
}

/** Removes user names that no figure counts; persons shown by one of them get another. */
async function removeNames(tx: Tx): Promise<void> {
  await sql`delete from identity_names i where not exists (
    select from rollup_month_user r where r.organisation_id = i.organisation_id and r.user_name = i.user_name)`.execute(tx);
  await sql`update identity_names i set is_stale = true where not is_stale and not exists (
    select from identity_names s where s.organisation_id = i.organisation_id and s.user_name = i.shown_name)`.execute(tx);
}

function monthsFrom(now: number, months: number): Date {
  const at = new Date(now);
  at.setUTCMonth(at.getUTCMonth() + months);
  return at;
}

/** Tables whose rows are deleted by age: table, column, and the limit below which a row is deleted. */
function expiredRows(
  { alertRetentionMonths, eventRetentionDays, longestWindowMs }: RetentionServiceDeps,
  now: number,
): (readonly [keyof Tables, string, Date | string])[] {
  const before = (days: number) => new Date(now - days * dayMs);
  const dayBefore = (days: number) => dateOf(now - days * dayMs);
  const alertsBefore = monthsFrom(now, -alertRetentionMonths);
  const rollupsBefore = dateOf(monthsFrom(now, -12 * rollupYears).getTime());
  return [
    ['event_keys', 'seen_at', before(1)],
    ['correlation_hits', 'at', new Date(now - longestWindowMs - dayMs)],
    ['alert_folds', 'last_at', before(2)],
    ['dead_letters', 'received_at', before(deadLetterDays)],
    ['sessions', 'expires_at', before(sessionDays)],
    ['rollup_day_rule', 'day', dayBefore(ruleDays)],
    ['device_hours', 'hour', before(deviceHourDays)],
    ['sapphire_messages', 'created_at', before(messageDays)],
    // Only used to detect a device’s first event of a day; older events no longer arrive.
    ['device_days', 'day', dayBefore(eventRetentionDays + 2)],
    ['field_sightings', 'last_at', before(sightingDays)],
    ['device_silences', 'ended_at', alertsBefore],
    ['rollup_hour_severity', 'hour', alertsBefore],
    // Cases keep their figures; links to alerts go with the alerts.
    ['case_alerts', 'alert_at', alertsBefore],
    ['suppressed_alerts', 'alert_at', alertsBefore],
    ['rollup_day_severity', 'day', rollupsBefore],
    ['rollup_month_severity', 'month', rollupsBefore],
    ['rollup_month_rule', 'month', rollupsBefore],
    ['rollup_month_rule_total', 'month', rollupsBefore],
    ['rollup_month_rule_news', 'month', rollupsBefore],
    ['device_day_counts', 'day', rollupsBefore],
    ['rollup_day_device', 'day', rollupsBefore],
    ['rollup_month_device', 'month', rollupsBefore],
    ['rollup_month_user', 'month', rollupsBefore],
    ['rollup_day_user', 'day', rollupsBefore],
    ['alert_fates', 'day', rollupsBefore],
    ['ingest_counters', 'day', rollupsBefore],
  ];
}

/** Evidence besides the tables by month, which a legal hold keeps. */
const evidence: ReadonlySet<string> = new Set(['dead_letters', 'case_alerts', 'suppressed_alerts']);

/** Retention of one organisation, as applied. */
interface Ages {
  id: number;
  months: number;
  days: number;
  isHeld: boolean;
  isArchived: boolean;
}

async function listAges(tx: Tx, { alertRetentionMonths, eventRetentionDays }: RetentionServiceDeps): Promise<Ages[]> {
  const { rows } = await sql<Ages>`
    select o.id, least(coalesce(o.alert_retention_months, ${alertRetentionMonths}), ${alertRetentionMonths}) as months,
      ${eventDaysOf('o', eventRetentionDays)} as days, is_held(o.id) as "isHeld", archive_months_of(o.id) > 0 as "isArchived"
    from organisations o order by o.id`.execute(tx);
  return rows;
}

/** Removes by age, from months that are not dropped as a whole. */
async function removeOld(deps: RetentionServiceDeps, { id, months, days, isArchived }: Ages, now: number): Promise<void> {
  const { db, log } = deps;
  const limit = new Date(now - days * dayMs);
  let removed = await removeBatches(deps, 'alerts', id, monthsFrom(now, -months));
  // Archived events leave when their file is written (features/archive).
  if (!isArchived)
    for (const kind of ['event_blocks', 'event_rows'] as const) removed += await removeBatches(deps, kind, id, limit);
  const moved = clickHouse();
  if (moved) removed += await readScoped(db, 'system', (tx) => removeMovedBefore(tx, moved, id, limit.getTime(), { isArchived }));
  // Unprocessed input is raw data too.
  if (days < deadLetterDays)
    await scoped(db, 'system', (tx) =>
      tx.deleteFrom('dead_letters').where('organisation_id', '=', id).where('received_at', '<', limit).execute(),
    );
  if (removed > 0) log.info({ organisationId: id, removed }, 'removed data past an organisation’s retention');
}

async function removeBatches(
  { db, batch = defaultBatch }: RetentionServiceDeps,
  kind: 'event_blocks' | 'event_rows' | 'alerts',
  organisationId: number,
  limit: Date,
): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await scoped(db, 'system', async (tx) => {
      const { rows } = await sql<{
        gone: number;
      }>`select remove_over_age(${kind}, ${organisationId}, ${limit}, ${batch}) as gone`.execute(tx);
      return rows[0]?.gone ?? 0;
    });
    total += gone;
    if (gone < batch) return total;
  }
}
