/** The balance sheet and the monthly reports: what they are made of is asked of the features whose pages show it. */
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { improvementsOf } from '@parapet/contract/rules/risk.ts';
import type { Blobs } from './core/blobs.ts';
import { type Clock, systemClock } from './core/clock.ts';
import type { Database } from './core/db/connect.ts';
import type { Log } from './core/log.ts';
import type { AttackService } from './features/attack/attack.service.ts';
import { findActorOfUser } from './features/auth/auth.store.ts';
import { type BalanceService, createBalanceService } from './features/balance/balance.service.ts';
import type { BrandService } from './features/brand/brand.service.ts';
import { listTimes, listTimesByCriticality } from './features/cases/cases.times.ts';
import { countSeverities } from './features/dashboard/dashboard.store.ts';
import { listReporting, listTops } from './features/dashboard/overview.store.ts';
import { listCheckIns } from './features/devices/devices.store.ts';
import type { OutboxService } from './features/outbox/outbox.service.ts';
import { createReportJobs } from './features/reports/reports.jobs.ts';
import type { Reporting } from './features/reports/reports.routes.ts';
import { createReportSchedules } from './features/reports/reports.schedules.ts';
import { createReportsService } from './features/reports/reports.service.ts';
import { countChecked, listInputs, listSnapshots } from './features/risk/risk.store.ts';
import { findCategoryInputs } from './features/vulnerabilities/categories.store.ts';
import { categoriesOf } from './features/vulnerabilities/categories.ts';
import { countAll, listFindings } from './features/vulnerabilities/vulnerabilities.store.ts';
import { deadReasons } from './pipeline/result.ts';

/** Of a report. */
const worstFindings = 15;

export interface ReportingDeps {
  db: Database;
  blobs: Blobs;
  clock?: Clock;
  brand: BrandService;
  outbox: OutboxService;
  attack: Pick<AttackService, 'matrixIn'>;
  /** Whether a rule, by its key, is at work. */
  isLoaded: (key: string) => boolean;
  log: Log;
}

export function openReporting({ db, blobs, clock = systemClock, brand, outbox, attack, isLoaded, log }: ReportingDeps): {
  balance: BalanceService;
  reporting: Reporting;
} {
  const balance = createBalanceService({ db, clock, deadReasons });
  const reports = createReportsService({
    db,
    clock,
    brandOf: brand.ofReports,
    sources: {
      countSeverities,
      listTops,
      listReporting,
      listCheckIns,
      listTimes,
      listTimesByCriticality,
      listSnapshots,
      async improvements(tx, scope) {
        const [inputs] = await listInputs(tx, scope, { now: clock.now(), isOne: true });
        if (!inputs) return [];
        const checked = await countChecked(tx, scope, [inputs.id]);
        const undone = bestPractices.filter(({ id }) => !checked.has(id)).map(({ id }) => id);
        return improvementsOf(inputs, undone);
      },
      matrix: attack.matrixIn,
      balanceDays: balance.daysIn,
      balanceSum: balance.sum,
      async vulnerabilities(tx, scope) {
        const now = clock.now();
        const { scanned, open, knownExploited, meanDaysToFix } = await countAll(tx, scope, now);
        if (scanned === 0) return undefined;
        const { score } = categoriesOf(await findCategoryInputs(tx, scope, now, isLoaded));
        const worst = async (exploited?: true) => {
          const ask = { text: '', severity: [], state: ['open' as const], exploited, limit: worstFindings, offset: 0 };
          return (await listFindings(tx, scope, ask, now)).results;
        };
        return {
          score: score < 0 ? null : score,
          open,
          knownExploited,
          meanDaysToFix,
          exploited: [...new Set((await worst(true)).map(({ cve }) => cve))],
          worst: (await worst()).map(({ cve, deviceName: device, package: name, fixedVersion, severity, priority }) => ({
            cve,
            device,
            package: name,
            fixedVersion,
            severity,
            priority,
          })),
        };
      },
    },
  });
  return {
    balance,
    reporting: {
      reports,
      schedules: createReportSchedules({ db, clock, reports, blobs, brand, outbox, log }),
      jobs: createReportJobs({ db, clock, reports, blobs, actorNow: findActorOfUser, log }),
    },
  };
}
