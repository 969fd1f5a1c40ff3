/** Average risk score of each industry over the portal’s clients, without identifying any. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { minOrganisationsPerIndustry } from '@parapet/contract/rules/risk.ts';
import { sql } from 'kysely';
import type { Database } from '../core/db/connect.ts';
import { scoped } from '../core/db/scope.ts';
import { dateOf } from './ranges.ts';

const comparableDays = 31;

/** By industry in lower case; without those of too few organisations, for which `defaultIndustryAverage` stands. */
export async function findIndustryAverages(db: Database, now: number): Promise<Map<string, { count: number; average: number }>> {
  const rows = await scoped(
    db,
    'system',
    async (tx) =>
      (
        await sql<{ industry: string; count: number; average: number }>`
          select lower(trim(o.industry)) as industry, count(*)::integer as count, round(avg(s.risk_score))::integer as average
          from organisations o cross join lateral (
            select s.risk_score from risk_snapshots s
            where s.organisation_id = o.id and s.day > ${dateOf(now - comparableDays * dayMs)}::date order by s.day desc limit 1
          ) s
          where trim(o.industry) <> '' and not o.is_partner and o.deactivated_at is null
          group by 1 having count(*) >= ${minOrganisationsPerIndustry}`.execute(tx)
      ).rows,
    { readOnly: true },
  );
  return new Map(rows.map(({ industry, ...average }) => [industry, average]));
}
