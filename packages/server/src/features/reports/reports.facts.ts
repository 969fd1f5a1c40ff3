/** All inputs of a report, read in one transaction and one scope. Figures come from the features that own them, so a report matches their pages. */
import type { attackApi } from '@parapet/contract/attack.ts';
import type { casesApi } from '@parapet/contract/cases.ts';
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { CheckInDay } from '@parapet/contract/devices.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type Severity, severityOf } from '@parapet/contract/primitives.ts';
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import type { Improvement } from '@parapet/contract/rules/risk.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { type Horizon, retainedRange } from '../../domain/figures.ts';
import type { Range } from '../../domain/ranges.ts';
import type { BalanceSums } from '../balance/balance.service.ts';
import type { Client } from './reports.client.ts';
import { type Day, daysOf, type Month, monthBefore, monthRange } from './reports.months.ts';
import {
  type CaseCounts,
  type CaseLine,
  countCases,
  countFindings,
  countMails,
  countNewDevices,
  type FindingCounts,
  listCases,
  listResponses,
  listSilences,
  type ResponseCount,
  type SilentDevice,
} from './reports.store.ts';

type Overview = AnswerOf<typeof dashboardApi.overview>;
type Matrix = AnswerOf<typeof attackApi.matrix>;
type Times = AnswerOf<typeof casesApi.times>['results'][number];

/** Mean minutes of the cases of one criticality, with their targets. */
export interface TimesOfCriticality {
  criticality: number;
  cases: number;
  meanMinutesToAcknowledge: number | null;
  meanMinutesToContain: number | null;
  meanMinutesToResolve: number | null;
  targetToAcknowledge: number;
  targetToContain: number;
  targetToResolve: number;
  /** Share of the closed cases that met all targets. */
  withinTarget: number | null;
}

export interface RiskDay {
  date: string;
  riskScore: number;
  deviceScore: number;
  practiceScore: number;
  caseScore: number;
}

/** Current state; absent when no device was scanned. */
export interface VulnerabilityFacts {
  /** 0–100, higher is better; null where nothing was measured. */
  score: number | null;
  open: number;
  knownExploited: number;
  meanDaysToFix: number | null;
  /** Known exploited vulnerabilities, worst first. */
  exploited: string[];
  worst: {
    cve: string;
    device: string;
    package: string;
    fixedVersion: string | null;
    severity: string;
    priority: number;
  }[];
}

interface TopsQuery {
  range: Range;
  before: Range;
  horizon: Horizon;
}

/** Figures of other features; see application.reports.ts. */
export interface Sources {
  countSeverities(tx: Tx, scope: Scope, ranges: readonly Range[], horizon: Horizon): Promise<Map<number, number>[]>;
  listTops(tx: Tx, scope: Scope, query: TopsQuery): Promise<Pick<Overview, 'topRules' | 'topDevices' | 'topUsers'>>;
  listReporting(tx: Tx, scope: Scope, now: number): Promise<Overview['reporting']>;
  listCheckIns(tx: Tx, scope: Scope, range: Range, now: number): Promise<CheckInDay[]>;
  listTimes(tx: Tx, scope: Scope, range: Range, now: Date): Promise<{ results: Times[] }>;
  listTimesByCriticality(tx: Tx, scope: Scope, range: Range): Promise<TimesOfCriticality[]>;
  listSnapshots(tx: Tx, scope: Scope, range: Range, limit: number): Promise<{ results: RiskDay[] }>;
  /** Changes that would lower the current score, largest drop first. */
  improvements(tx: Tx, scope: Scope): Promise<Improvement[]>;
  matrix(tx: Tx, scope: Scope, range: Range): Promise<Matrix>;
  balanceDays(tx: Tx, scope: Scope, range: Range): Promise<ReconciliationDay[]>;
  balanceSum(days: readonly ReconciliationDay[]): BalanceSums;
  vulnerabilities(tx: Tx, scope: Scope): Promise<VulnerabilityFacts | undefined>;
}

export type BySeverity = Record<Severity, number>;

export interface Facts {
  client: Client;
  month: Month;
  range: Range;
  now: number;
  /** True when retention has removed alerts of the month or part of it. */
  isPast: boolean;
  /** True when there is a previous month to compare with. */
  hasBefore: boolean;
  alerts: { now: BySeverity; before: BySeverity; days: { day: number; counts: BySeverity }[] };
  tops: Pick<Overview, 'topRules' | 'topDevices' | 'topUsers'>;
  cases: { now: CaseCounts; before: CaseCounts; list: CaseLine[]; mails: number };
  responses: { now: ResponseCount[]; before: ResponseCount[] };
  times: { now: Times | undefined; before: Times | undefined; byCriticality: TimesOfCriticality[] };
  risk: { days: RiskDay[]; before: RiskDay | undefined; improvements: Improvement[] };
  matrix: Matrix;
  devices: {
    reporting: Overview['reporting'];
    days: CheckInDay[];
    daysBefore: CheckInDay[];
    added: number;
    silences: SilentDevice[];
  };
  balance: { days: ReconciliationDay[]; now: BalanceSums; before: BalanceSums };
  vulnerabilities: (VulnerabilityFacts & FindingCounts) | undefined;
}

const maxSnapshots = 40;

const bySeverity = (counts: ReadonlyMap<number, number>): BySeverity => {
  const sums: BySeverity = { critical: 0, high: 0, medium: 0, low: 0, informational: 0 };
  for (const [criticality, count] of counts) sums[severityOf(criticality)] += count;
  return sums;
};

export const totalOf = (counts: BySeverity): number => severities.reduce((sum, severity) => sum + counts[severity], 0);

/** The part of a range from `from` on. */
const after = (from: number, { start, end }: Range): Range => ({ start: Math.min(end, Math.max(from, start)), end });

export async function gatherFacts(tx: Tx, sources: Sources, client: Client, month: Month, now: number): Promise<Facts> {
  const scope: Scope = { organisationIds: [client.id] };
  const range = monthRange(month, client.timeZone);
  const before = monthRange(monthBefore(month), client.timeZone);
  const days: Day[] = daysOf(month, client.timeZone).filter(({ start }) => start <= now);
  const { range: retained, horizon } = await retainedRange(tx, { start: before.start, end: range.end }, now);
  const clipped = (each: Range) => after(retained.start, each);
  const counts = (await sources.countSeverities(tx, scope, [before, ...days].map(clipped), horizon)).map(bySeverity);
  const at = new Date(now);
  // Stored per UTC day: the days with these dates.
  const [utc, utcBefore] = [monthRange(month, 'UTC'), monthRange(monthBefore(month), 'UTC')];
  const [snapshots, snapshotsBefore] = [
    await sources.listSnapshots(tx, scope, utc, maxSnapshots),
    await sources.listSnapshots(tx, scope, utcBefore, maxSnapshots),
  ];
  const [balanceDays, balanceBefore] = [
    await sources.balanceDays(tx, scope, range),
    await sources.balanceDays(tx, scope, before),
  ];
  const sumOfDays = counts
    .slice(1)
    .reduce<BySeverity>(
      (sum, each) => Object.fromEntries(severities.map((name) => [name, sum[name] + each[name]])) as BySeverity,
      bySeverity(new Map()),
    );
  const vulnerabilities = await sources.vulnerabilities(tx, scope);
  return {
    client,
    month,
    range,
    now,
    isPast: retained.start > range.start,
    hasBefore: client.createdAt.getTime() < before.end || counts.slice(0, 1).some((each) => totalOf(each) > 0),
    alerts: {
      now: sumOfDays,
      before: counts[0]!,
      days: days.map(({ day }, index) => ({ day, counts: counts[index + 1]! })),
    },
    tops: await sources.listTops(tx, scope, { range: clipped(range), before: clipped(before), horizon }),
    cases: {
      now: await countCases(tx, scope, range),
      before: await countCases(tx, scope, before),
      list: await listCases(tx, scope, range),
      mails: await countMails(tx, scope, range),
    },
    responses: { now: await listResponses(tx, scope, range), before: await listResponses(tx, scope, before) },
    times: {
      now: (await sources.listTimes(tx, scope, range, at)).results[0],
      before: (await sources.listTimes(tx, scope, before, at)).results[0],
      byCriticality: await sources.listTimesByCriticality(tx, scope, range),
    },
    risk: {
      days: snapshots.results,
      before: snapshotsBefore.results.at(-1),
      improvements: await sources.improvements(tx, scope),
    },
    matrix: await sources.matrix(tx, scope, range),
    devices: {
      reporting: await sources.listReporting(tx, scope, now),
      days: await sources.listCheckIns(tx, scope, utc, now),
      daysBefore: await sources.listCheckIns(tx, scope, utcBefore, now),
      added: await countNewDevices(tx, scope, range),
      silences: await listSilences(tx, scope, range),
    },
    balance: {
      days: balanceDays,
      now: sources.balanceSum(balanceDays),
      before: sources.balanceSum(balanceBefore),
    },
    vulnerabilities: vulnerabilities && { ...vulnerabilities, ...(await countFindings(tx, scope, range)) },
  };
}
