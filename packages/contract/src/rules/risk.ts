/**
 * The risk score (spec §9), one module for server, screen and reports. Each of the three parts is held between 0 and 1000 (decision 16),
 * so that the whole stays between 100 and 1000; higher is worse.
 */

/** A server weighs as much as ten workstations (spec §9). */
const serverWeight = 10;
const partWeight = 0.3;
const highest = 1_000;
/** The best and the worst score that there is (decision 16). */
export const minScore = 100;
export const maxScore = 1_000;

/** Of industries with fewer organisations than `minOfIndustry`: the middle of what a score can be. */
export const defaultIndustryAverage = 550;
export const minOfIndustry = 5;

export interface Totals {
  totalServers: number;
  totalWorkstations: number;
}
export interface Monitored {
  monitoredServers: number;
  monitoredWorkstations: number;
}
export type DeviceCounts = Totals & Monitored;

/** Statuses that weigh (spec §3), and how much one point of a case's score counts for in each. */
export const riskStatuses = ['open', 'assigned', 'investigating', 'malicious'] as const;
export type RiskStatus = (typeof riskStatuses)[number];
const statusWeights: Record<RiskStatus, number> = { open: 0.1, assigned: 0.25, investigating: 1, malicious: 1_000 };
export type CaseSums = Record<RiskStatus, number>;

export interface RiskInputs {
  devices: DeviceCounts;
  /** Best practices: done, and in all. With several clients their sums. */
  checked: number;
  practices: number;
  cases: CaseSums;
}

export interface RiskDeps {
  deviceScore: number;
  practiceScore: number;
  caseScore: number;
}

const clamped = (score: number): number => Math.min(highest, Math.max(0, Number.isFinite(score) ? score : highest));

/** spec §5: where both totals are 0, there is one workstation; so nothing is divided by 0, and who has nothing known is not safe. */
export const effectiveTotals = <T extends Totals>(totals: T): T =>
  totals.totalServers === 0 && totals.totalWorkstations === 0 ? { ...totals, totalWorkstations: 1 } : totals;

export function deviceScoreOf(counts: DeviceCounts): number {
  const { totalServers, totalWorkstations } = effectiveTotals(counts);
  const monitored = serverWeight * counts.monitoredServers + counts.monitoredWorkstations;
  return clamped(1_000 * (1 - monitored / (serverWeight * totalServers + totalWorkstations)));
}

export const practiceScoreOf = (checked: number, practices: number): number =>
  clamped(1_000 * (1 - checked / Math.max(1, practices)));

export const caseScoreOf = (sums: CaseSums): number =>
  clamped(riskStatuses.reduce((total, status) => total + statusWeights[status] * sums[status], 0));

/** Of the parts as they are, not rounded. */
const totalOf = ({ deviceScore, practiceScore, caseScore }: RiskDeps): number =>
  Math.round(partWeight * deviceScore + partWeight * practiceScore + partWeight * caseScore) + minScore;

/** The score and its parts; the parts are rounded for showing, the score is not made of rounded ones. */
export function riskOf({ devices, checked, practices, cases }: RiskInputs): RiskDeps & { tempScore: number } {
  const parts = {
    deviceScore: deviceScoreOf(devices),
    practiceScore: practiceScoreOf(checked, practices),
    caseScore: caseScoreOf(cases),
  };
  return {
    deviceScore: Math.round(parts.deviceScore),
    practiceScore: Math.round(parts.practiceScore),
    caseScore: Math.round(parts.caseScore),
    tempScore: totalOf(parts),
  };
}

/** One score of many clients comes from their summed counts (decision 23b). */
export function sumInputs(all: readonly RiskInputs[]): RiskInputs {
  const sum = (of: (inputs: RiskInputs) => number) => all.reduce((total, inputs) => total + of(inputs), 0);
  return {
    devices: {
      totalServers: sum(({ devices }) => devices.totalServers),
      totalWorkstations: sum(({ devices }) => devices.totalWorkstations),
      monitoredServers: sum(({ devices }) => devices.monitoredServers),
      monitoredWorkstations: sum(({ devices }) => devices.monitoredWorkstations),
    },
    checked: sum(({ checked }) => checked),
    practices: sum(({ practices }) => practices),
    cases: {
      open: sum(({ cases }) => cases.open),
      assigned: sum(({ cases }) => cases.assigned),
      investigating: sum(({ cases }) => cases.investigating),
      malicious: sum(({ cases }) => cases.malicious),
    },
  };
}

/** The most devices of one kind that can be entered. */
export const maxDevices = 10_000_000;

/** A count as it is typed: commas are stripped, an empty text is 0 (spec §5); undefined where it is none. */
export function countIn(text: string): number | undefined {
  const digits = text.replace(/[,\s]/g, '');
  if (digits === '') return 0;
  if (!/^\d{1,9}$/.test(digits)) return undefined;
  const count = Number(digits);
  return count <= maxDevices ? count : undefined;
}

/** What is wrong with totals, by field: below what reports they are refused (spec §5). */
export function totalsFaults(totals: Totals, monitored: Monitored): Partial<Record<keyof Totals, string>> {
  const text = (kind: string, count: number) => `${count} ${kind} report already; the total cannot be lower.`;
  return {
    ...(totals.totalServers < monitored.monitoredServers && { totalServers: text('servers', monitored.monitoredServers) }),
    ...(totals.totalWorkstations < monitored.monitoredWorkstations && {
      totalWorkstations: text('workstations', monitored.monitoredWorkstations),
    }),
  };
}

export const additionalOf = (counts: DeviceCounts) => ({
  additionalServers: counts.totalServers - counts.monitoredServers,
  additionalWorkstations: counts.totalWorkstations - counts.monitoredWorkstations,
});

/** One thing that could be changed, and where it would take the score. */
export interface Improvement {
  change:
    | { kind: 'server' | 'workstation'; count: number }
    | { kind: 'practice'; id: string }
    | { kind: 'cases'; status: RiskStatus };
  tempScore: number;
  /** How far the score falls; more than 0. */
  drop: number;
}

/**
 * What would lower the score most: every single change is tried. Those are: all servers, or all workstations, that do not report do; one
 * practice is done; the cases of one status are closed. The largest drop first; what changes nothing is left out.
 */
export function improvementsOf(inputs: RiskInputs, undone: readonly string[]): Improvement[] {
  const now = riskOf(inputs).tempScore;
  const devices = effectiveTotals(inputs.devices);
  const { additionalServers, additionalWorkstations } = additionalOf(devices);
  const tried: [Improvement['change'], RiskInputs][] = [
    [
      { kind: 'server', count: additionalServers },
      { ...inputs, devices: { ...devices, monitoredServers: Math.max(devices.totalServers, devices.monitoredServers) } },
    ],
    [
      { kind: 'workstation', count: additionalWorkstations },
      {
        ...inputs,
        devices: { ...devices, monitoredWorkstations: Math.max(devices.totalWorkstations, devices.monitoredWorkstations) },
      },
    ],
    ...undone.map((id): [Improvement['change'], RiskInputs] => [
      { kind: 'practice', id },
      { ...inputs, checked: inputs.checked + 1 },
    ]),
    ...riskStatuses.map((status): [Improvement['change'], RiskInputs] => [
      { kind: 'cases', status },
      { ...inputs, cases: { ...inputs.cases, [status]: 0 } },
    ]),
  ];
  return tried
    .map(([change, changed]) => {
      const { tempScore } = riskOf(changed);
      return { change, tempScore, drop: now - tempScore };
    })
    .filter(({ drop }) => drop > 0)
    .sort((a, b) => b.drop - a.drop);
}
