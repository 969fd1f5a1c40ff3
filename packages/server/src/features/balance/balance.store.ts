/** SQL of the reconciliation: a few rows per day and organisation, whatever the number of events and alerts. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { dateOf, type Range } from '../../domain/ranges.ts';
import type { Counted } from './balance.rules.ts';

export interface CountedDay extends Counted {
  date: string;
  clientOrganizationID: number;
  clientOrganizationName: string;
}

/** Newest day first, then by organisation, without empty days. `days` are whole UTC days. */
export async function listCounted(tx: Tx, scope: Scope, days: Range, limit: number): Promise<CountedDay[]> {
  const covered = sql`${within('organisation_id', scope)} and day >= ${dateOf(days.start)}::date and day < ${dateOf(days.end)}::date`;
  const { rows } = await sql<CountedDay>`
    with counted as (
      select organisation_id, day, json_object_agg(reason, count) as intake, 0 as alerts, null::json as dispositions from ingest_counters where ${covered} group by 1, 2
      union all
      select organisation_id, day, null, sum(count), null from rollup_day_severity where ${covered} group by 1, 2
      union all
      select organisation_id, day, null, 0, json_object_agg(fate, count) from alert_fates where ${covered} group by 1, 2
    ), whole as (
      select organisation_id, day, (array_agg(intake) filter (where intake is not null))[1] as intake, sum(alerts)::bigint as alerts,
        (array_agg(dispositions) filter (where dispositions is not null))[1] as dispositions
      from counted group by 1, 2 order by 2 desc, 1 limit ${limit}
    )
    select w.day::text as date, w.organisation_id as "clientOrganizationID", left(o.name, 200) as "clientOrganizationName",
      coalesce(w.intake, '{}') as intake, w.alerts, coalesce(w.dispositions, '{}') as dispositions
    from whole w join organisations o on o.id = w.organisation_id order by w.day desc, w.organisation_id`.execute(tx);
  return rows;
}
