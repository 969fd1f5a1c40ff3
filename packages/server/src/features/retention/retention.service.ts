/**
 * Creates monthly partitions ahead and drops expired ones; other tables are deleted by age. Organisations with shorter retention
 * have rows deleted by age, in batches. Figures stay.
 */
import { deadLetterDays } from '@parapet/contract/rules/values.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';

const dayMs = 86_400_000;
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

export type RetentionService = ReturnType<typeof createRetentionService>;

export function createRetentionService({
  db,
  clock,
  log,
  alertRetentionMonths,
  eventRetentionDays,
  longestWindowMs,
  batch = defaultBatch,
}: {
  db: Database;
  clock: Clock;
  log: Log;
  alertRetentionMonths: number;
  eventRetentionDays: number;
  longestWindowMs: number;
  batch?: number;
}) {
  const before = (ms: number) => new Date(clock.now() - ms);
  const monthsBefore = (months: number) => {
    const at = new Date(clock.now());
    at.setUTCMonth(at.getUTCMonth() - months);
    return at;
  };

  const removeBatches = async (kind: 'events' | 'alerts', organisationId: number, limit: Date): Promise<number> => {
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
  };

  /** Organisations with shorter retention than the portal. */
  const removeOld = async (): Promise<void> => {
    const shorter = await scoped(db, 'system', (tx) =>
      tx
        .selectFrom('organisations')
        .select(['id', 'alert_retention_months as months', 'event_retention_days as days'])
        .where((eb) =>
          eb.or([eb('alert_retention_months', '<', alertRetentionMonths), eb('event_retention_days', '<', eventRetentionDays)]),
        )
        .orderBy('id')
        .execute(),
    );
    for (const { id, months, days } of shorter) {
      let removed = 0;
      if (months !== null && months < alertRetentionMonths) removed += await removeBatches('alerts', id, monthsBefore(months));
      if (days !== null && days < eventRetentionDays) {
        const limit = before(days * dayMs);
        removed += await removeBatches('events', id, limit);
        // Unprocessed input is raw data too.
        await scoped(db, 'system', (tx) =>
          tx.deleteFrom('dead_letters').where('organisation_id', '=', id).where('received_at', '<', limit).execute(),
        );
      }
      if (removed > 0) log.info({ organisationId: id, removed }, 'removed data past an organisation’s retention');
    }
  };

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
      const first = before(eventRetentionDays * dayMs);
      const last = new Date(clock.now());
      last.setUTCMonth(last.getUTCMonth() + monthsAhead);
      await scoped(db, 'system', (tx) =>
        sql`select make_partitions(${first.toISOString().slice(0, 10)}::date, ${last.toISOString().slice(0, 10)}::date)`.execute(
          tx,
        ),
      );
    },

    async dropOld(): Promise<void> {
      const alertsBefore = monthsBefore(alertRetentionMonths);
      const rollupsBefore = new Date(clock.now());
      rollupsBefore.setUTCFullYear(rollupsBefore.getUTCFullYear() - rollupYears);
      const dropped = await scoped(db, 'system', async (tx) => {
        const names: string[] = [];
        for (const [table, limit] of [
          ['events', before(eventRetentionDays * dayMs)],
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
        await tx.deleteFrom('event_keys').where('seen_at', '<', before(dayMs)).execute();
        await tx
          .deleteFrom('correlation_hits')
          .where('at', '<', before(longestWindowMs + dayMs))
          .execute();
        await tx
          .deleteFrom('alert_folds')
          .where('last_at', '<', before(2 * dayMs))
          .execute();
        await tx
          .deleteFrom('dead_letters')
          .where('received_at', '<', before(deadLetterDays * dayMs))
          .execute();
        await tx
          .deleteFrom('sessions')
          .where('expires_at', '<', before(sessionDays * dayMs))
          .execute();
        await tx
          .deleteFrom('rollup_day_rule')
          .where(
            'day',
            '<',
            before(ruleDays * dayMs)
              .toISOString()
              .slice(0, 10),
          )
          .execute();
        await tx
          .deleteFrom('device_hours')
          .where('hour', '<', before(deviceHourDays * dayMs))
          .execute();
        await tx
          .deleteFrom('sapphire_messages')
          .where('created_at', '<', before(messageDays * dayMs))
          .execute();
        // Only used to detect a device’s first event of a day; older events no longer arrive.
        await tx
          .deleteFrom('device_days')
          .where(
            'day',
            '<',
            before((eventRetentionDays + 2) * dayMs)
              .toISOString()
              .slice(0, 10),
          )
          .execute();
        await tx.deleteFrom('device_silences').where('ended_at', '<', alertsBefore).execute();
        await tx.deleteFrom('rollup_hour_severity').where('hour', '<', alertsBefore).execute();
        // Cases keep their figures; links to alerts go with the alerts.
        await tx.deleteFrom('case_alerts').where('alert_at', '<', alertsBefore).execute();
        await tx.deleteFrom('suppressed_alerts').where('alert_at', '<', alertsBefore).execute();
        const day = rollupsBefore.toISOString().slice(0, 10);
        await tx.deleteFrom('rollup_day_severity').where('day', '<', day).execute();
        await tx.deleteFrom('rollup_month_severity').where('month', '<', day).execute();
        await tx.deleteFrom('rollup_month_rule').where('month', '<', day).execute();
        await tx.deleteFrom('rollup_month_rule_total').where('month', '<', day).execute();
        await tx.deleteFrom('rollup_month_rule_news').where('month', '<', day).execute();
        await tx.deleteFrom('device_day_counts').where('day', '<', day).execute();
        await tx.deleteFrom('rollup_day_device').where('day', '<', day).execute();
        await tx.deleteFrom('rollup_month_device').where('month', '<', day).execute();
        await tx.deleteFrom('rollup_month_user').where('month', '<', day).execute();
        await tx.deleteFrom('rollup_day_user').where('day', '<', day).execute();
        await tx.deleteFrom('alert_fates').where('day', '<', day).execute();
        await tx.deleteFrom('ingest_counters').where('day', '<', day).execute();
      });
      await removeOld();
    },
  };
}
