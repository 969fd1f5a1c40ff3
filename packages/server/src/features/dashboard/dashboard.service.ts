/** Figures of the dashboard, exact in every time zone. */
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type Severity, severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { findFirstMonth } from '../../core/db/figures.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { bucketsOf } from './buckets.ts';
import { countSeverities, type Severities } from './dashboard.store.ts';

export type DashboardService = ReturnType<typeof createDashboardService>;

const maxBuckets = 400;

export function createDashboardService({ db, clock = systemClock }: { db: Database; clock?: Clock }) {
  return {
    async alertsOverTime(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      timeZone: string,
    ): Promise<AnswerOf<typeof dashboardApi.alertsOverTime>> {
      const scope = scopeFor(actor, client);
      const range = { start: Date.parse(start), end: Date.parse(end) };
      const over = bucketsOf(range, timeZone, maxBuckets);
      if (!over) throw problem.invalid({ start: [`The timeframe has more than ${maxBuckets} months; choose a shorter one.`] });
      const before = { start: range.start - (range.end - range.start), end: range.start };
      const counts = await scoped(
        db,
        scope,
        async (tx) => {
          const firstMonth = await findFirstMonth(tx);
          return countSeverities(tx, scope, [before, ...over.buckets], {
            now: clock.now(),
            ...(firstMonth !== undefined && { firstMonth }),
          });
        },
        { readOnly: true },
      );
      const [earlier, ...current] = counts as [Severities, ...Severities[]];
      return {
        unit: over.unit,
        buckets: over.buckets.map(({ firstDay }, index) => ({ bucket: firstDay, ...bySeverity([current[index]!]) })),
        total: bySeverity(current),
        before: bySeverity([earlier]),
      };
    },
  };
}

function bySeverity(counts: readonly Severities[]): Record<Severity, number> {
  const sums: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, informational: 0 };
  for (const severities of counts) for (const [criticality, count] of severities) sums[severityOf(criticality)] += count;
  return sums;
}
