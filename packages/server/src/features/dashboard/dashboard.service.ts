/** Figures of the dashboard, exact in every time zone. */
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type Severity, severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { findFirstMonth, listCounts, retainedRange } from '../../domain/figures.ts';
import { rangeOf } from '../../domain/ranges.ts';
import { listRules } from '../../domain/rules.ts';
import { bucketsOf } from './buckets.ts';
import { countSeverities, type Severities } from './dashboard.store.ts';
import { indicatorsOf, nistIndicatorsOf } from './indicators.ts';
import { listClients, listOpenCases, listReporting, listTops, type TopQuery } from './overview.store.ts';
import { createSummaryService } from './summary.service.ts';

export type DashboardService = ReturnType<typeof createDashboardService>;

const maxBuckets = 400;

export interface DashboardDeps {
  db: Database;
  clock: Clock;
  /** Current risk scores of all organisations in scope, by id. */
  riskScoresNow?: (tx: Tx, scope: Scope) => Promise<ReadonlyMap<number, number>>;
}

export function createDashboardService({ db, clock, riskScoresNow }: DashboardDeps) {
  /** The timeframe and the preceding one of equal length, limited to the retention of alerts. */
  const comparable = async (tx: Tx, start: string, end: string): Promise<TopQuery> => {
    const requested = rangeOf(start, end);
    const whole = { start: requested.start - (requested.end - requested.start), end: requested.end };
    const { range: retained, horizon } = await retainedRange(tx, whole, clock.now());
    return {
      range: { start: Math.max(requested.start, retained.start), end: requested.end },
      before: { start: retained.start, end: Math.max(requested.start, retained.start) },
      horizon,
    };
  };

  return {
    ...createSummaryService({ db, clock }),

    async alertsByType(
      actor: Actor,
      client: number,
      start: string,
      end: string,
    ): Promise<AnswerOf<typeof dashboardApi.alertsByType>> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, async (tx) => {
        const { range, horizon } = await retainedRange(tx, rangeOf(start, end), clock.now());
        const counts = await listCounts<number>(tx, scope, 'rule', range, horizon);
        const rules = await listRules(
          tx,
          counts.map(({ key }) => key),
        );
        const byId = new Map(rules.map((rule) => [rule.id, rule]));
        const counted = counts.flatMap(({ key, count }) => {
          const rule = byId.get(key);
          return rule ? [{ rule, count }] : [];
        });
        return { attackIndicators: indicatorsOf(counted), nistAttackIndicators: nistIndicatorsOf(counted) };
      });
    },

    async overview(actor: Actor, client: number, start: string, end: string): Promise<AnswerOf<typeof dashboardApi.overview>> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, async (tx) => ({
        openCases: await listOpenCases(tx, scope, clock.now()),
        ...(await listTops(tx, scope, await comparable(tx, start, end))),
        reporting: await listReporting(tx, scope, clock.now()),
      }));
    },

    async clients(actor: Actor, start: string, end: string): Promise<AnswerOf<typeof dashboardApi.clients>> {
      const scope = scopeOf(actor);
      // In parallel: neither depends on the other.
      const [{ results, total }, scores] = await Promise.all([
        readScoped(db, scope, async (tx) => listClients(tx, scope, await comparable(tx, start, end))),
        riskScoresNow && readScoped(db, scope, (tx) => riskScoresNow(tx, scope)),
      ]);
      return {
        results: results.map((row) => ({ ...row, tempScore: scores?.get(row.clientOrganizationID) ?? null })),
        total,
      };
    },

    async alertsOverTime(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      timeZone: string,
    ): Promise<AnswerOf<typeof dashboardApi.alertsOverTime>> {
      const scope = scopeFor(actor, client);
      const range = rangeOf(start, end);
      const over = bucketsOf(range, timeZone, maxBuckets);
      if (!over) throw problem.invalid({ start: [`The timeframe has more than ${maxBuckets} months. Select a shorter one.`] });
      const before = { start: range.start - (range.end - range.start), end: range.start };
      const counts = await readScoped(db, scope, async (tx) => {
        const firstMonth = await findFirstMonth(tx);
        return countSeverities(tx, scope, [before, ...over.buckets], {
          now: clock.now(),
          ...(firstMonth !== undefined && { firstMonth }),
        });
      });
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
