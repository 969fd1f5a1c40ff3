/** Figures of the monthly reports, read from the stores behind the pages that show them. */
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { improvementsOf } from '@parapet/contract/rules/risk.ts';
import type { Clock } from './core/clock.ts';
import type { AttackService } from './features/attack/attack.service.ts';
import type { BalanceService } from './features/balance/balance.service.ts';
import { listTimes, listTimesByCriticality } from './features/cases/cases.register.ts';
import { countSeverities, listReporting, listTops } from './features/dashboard/dashboard.register.ts';
import { listCheckIns } from './features/devices/devices.register.ts';
import type { ReportsDeps } from './features/reports/reports.service.ts';
import { countChecked, listInputs, listSnapshots } from './features/risk/risk.register.ts';
import { categoriesOf, countAll, findCategoryInputs, listFindings } from './features/vulnerabilities/vulnerabilities.register.ts';

type Sources = ReportsDeps['sources'];

/** Findings listed in a report. */
const maxWorstFindings = 15;

export interface ReportSourcesDeps {
  clock: Clock;
  attack: Pick<AttackService, 'matrixIn'>;
  balance: Pick<BalanceService, 'daysIn' | 'sum'>;
  /** True for the key of a rule that is loaded. */
  isLoaded: (key: string) => boolean;
}

export function createReportSources({ clock, attack, balance, isLoaded }: ReportSourcesDeps): Sources {
  return {
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
    vulnerabilities: vulnerabilitySource(clock, isLoaded),
  };
}

const vulnerabilitySource =
  (clock: Clock, isLoaded: ReportSourcesDeps['isLoaded']): Sources['vulnerabilities'] =>
  async (tx, scope) => {
    const now = clock.now();
    const { scanned, open, knownExploited, meanDaysToFix } = await countAll(tx, scope, now);
    if (scanned === 0) return undefined;
    const { score } = categoriesOf(await findCategoryInputs(tx, scope, now, isLoaded));
    const listWorst = async (exploited?: true) => {
      const query = { text: '', severity: [], state: ['open' as const], exploited, limit: maxWorstFindings, offset: 0 };
      return (await listFindings(tx, scope, query, now)).results;
    };
    return {
      score: score < 0 ? null : score,
      open,
      knownExploited,
      meanDaysToFix,
      exploited: [...new Set((await listWorst(true)).map(({ cve }) => cve))],
      worst: (await listWorst()).map(({ cve, deviceName: device, package: name, fixedVersion, severity, priority }) => ({
        cve,
        device,
        package: name,
        fixedVersion,
        severity,
        priority,
      })),
    };
  };
