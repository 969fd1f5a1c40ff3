/**
 * Risk score (spec §9), shared by server, web and reports. Each of the three components is limited to 0…1000, so that the score
 * is between 100 and 1000; higher is worse.
 */

/** Weight of a server relative to a workstation (spec §9). */
const serverWeight = 10;
const partWeight = 0.3;
const highest = 1_000;
/** Best and worst possible score. */
export const minScore = 100;
export const maxScore = 1_000;

/** Average of industries with fewer organisations than `minOrganisationsPerIndustry`: the midpoint of the score range. */
export const defaultIndustryAverage = 550;
export const minOrganisationsPerIndustry = 5;

export interface Totals {
  totalServers: number;
  totalWorkstations: number;
}
export interface Monitored {
  monitoredServers: number;
  monitoredWorkstations: number;
}
export type DeviceCounts = Totals & Monitored;

/** Weighted case statuses (spec §3), and the weight of one point of case score in each. */
export const riskStatuses = ['open', 'assigned', 'investigating', 'malicious'] as const;
export type RiskStatus = (typeof riskStatuses)[number];
const statusWeights: Record<RiskStatus, number> = { open: 0.1, assigned: 0.25, investigating: 1, malicious: 1_000 };
export type CaseSums = Record<RiskStatus, number>;

export interface RiskInputs {
  devices: DeviceCounts;
  /** Best practices implemented, and in total. Sums for several clients. */
  checked: number;
  practices: number;
  cases: CaseSums;
}

export interface RiskComponents {
  deviceScore: number;
  practiceScore: number;
  caseScore: number;
}

const clamped = (score: number): number => Math.min(highest, Math.max(0, Number.isFinite(score) ? score : highest));

/** Assumes one workstation where both totals are 0 (spec §5): avoids a division by 0, and an unknown inventory does not count as safe. */
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

/** Computes the score from unrounded components. */
const totalOf = ({ deviceScore, practiceScore, caseScore }: RiskComponents): number =>
  Math.round(partWeight * deviceScore + partWeight * practiceScore + partWeight * caseScore) + minScore;

/** Returns the score and its rounded components; the score is not computed from the rounded ones. */
export function riskOf({ devices, checked, practices, cases }: RiskInputs): RiskComponents & { tempScore: number } {
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

/** Sums the inputs of several clients for one common score. */
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

/** Maximum number of devices of one kind. */
export const maxDevices = 10_000_000;

/** Parses a typed count: commas are stripped, an empty text is 0 (spec §5); undefined if invalid. */
export function countIn(text: string): number | undefined {
  const digits = text.replace(/[,\s]/g, '');
  if (digits === '') return 0;
  if (!/^\d{1,9}$/.test(digits)) return undefined;
  const count = Number(digits);
  return count <= maxDevices ? count : undefined;
}

/** Validation messages by field: totals below the reporting devices are refused (spec §5). */
export function totalsErrors(totals: Totals, monitored: Monitored): Partial<Record<keyof Totals, string>> {
  const text = (kind: string, count: number) => `${count} ${kind} already report; the total cannot be lower.`;
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

/** Single change and the resulting score. */
export interface Improvement {
  change:
    | { kind: 'server' | 'workstation'; count: number }
    | { kind: 'practice'; id: string }
    | { kind: 'cases'; status: RiskStatus };
  tempScore: number;
  /** Decrease of the score, above 0. */
  drop: number;
}

/**
 * Ranks single changes by their decrease of the score: all missing servers or workstations report; one practice is implemented; the cases of one
 * status are closed. Changes without an effect are omitted.
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
