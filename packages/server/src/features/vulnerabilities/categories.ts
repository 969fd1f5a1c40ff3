/**
 * The ten categories of spec §3 from what the portal holds; docs/vulnerabilities.md says the formulas in words. 100 is best. Where there is
 * nothing to measure a category has no score, and says what is missing. Pure.
 */
import type { scoreCategories } from '@parapet/contract/rules/values.ts';

export type Category = (typeof scoreCategories)[number];
export interface CategoryScore {
  name: Category;
  score: number | null;
  basis: string;
}

/** Alerts of the last 30 days of rules that look for one kind of thing. */
export interface RuleAlerts {
  /** Rules of that kind which something feeds now. */
  liveRules: number;
  alerts: { criticality: number; count: number }[];
}

export interface CategoryInputs {
  /** Servers and workstations. */
  endpoints: number;
  reporting: number;
  /** Per scanned device 100 less the priority of its worst open finding; undefined where none was scanned. */
  deviceScores: { devices: number; mean: number } | undefined;
  /** The same over devices with packages of programming languages and over findings in these. */
  languageScores: { devices: number; mean: number } | undefined;
  /** Findings that are open or were fixed in the last 90 days, and those of them within their time. */
  patching: { total: number; inTime: number };
  /** Devices whose agent tells what listens, and services there that should not be open. */
  listening: { devices: number; risky: number };
  /** Lists of threat intelligence. */
  lists: number;
  /** Listed addresses and listed files in cases of the last 90 days, and how many of them are malicious. */
  addresses: { malicious: number; suspicious: number };
  files: { malicious: number; suspicious: number };
  /** Devices that the portal knows. */
  devices: number;
  network: RuleAlerts;
  dns: RuleAlerts;
  phishing: RuleAlerts;
  leaks: RuleAlerts;
}

/** What one rule that fired costs, by criticality from informational to critical; ten times as many alerts cost once more. */
const costs = [0, 1, 2, 5, 12, 25];
const riskyServiceCost = 20;
const maliciousCost = 15;
const suspiciousCost = 5;
/** Of the others in the Cubit Score. */
export const categoryWeights: Record<Exclude<Category, 'Cubit Score'>, number> = {
  'Application Security': 15,
  'DNS Health': 5,
  'Endpoint Security': 20,
  'Hacker Chatter': 5,
  'IP Reputation': 10,
  'Leaked Information': 10,
  'Network Security': 15,
  'Patching Cadence': 15,
  'Social Engineering': 5,
};

const bounded = (score: number): number => Math.max(0, Math.min(100, Math.round(score)));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const many = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : several}`;

function ofAlerts({ alerts }: RuleAlerts): number {
  return bounded(100 - alerts.reduce((sum, { criticality, count }) => sum + costs[criticality]! * (1 + Math.log10(count)), 0));
}

function alertCategory(name: Category, what: string, of: RuleAlerts): CategoryScore {
  if (of.liveRules === 0) return { name, score: null, basis: `Not measured: no device sends what the rules for ${what} read.` };
  const total = of.alerts.reduce((sum, { count }) => sum + count, 0);
  return {
    name,
    score: ofAlerts(of),
    basis: `${many(total, 'alert')} of ${many(of.alerts.length, 'rule')} for ${what} in the last 30 days; ${many(of.liveRules, 'such rule')} can see ${of.liveRules === 1 ? 'its' : 'their'} events.`,
  };
}

function listed(name: Category, what: string, { lists, devices }: CategoryInputs, hits: CategoryInputs['files']): CategoryScore {
  if (lists === 0) return { name, score: null, basis: 'Not measured: no list of threat intelligence was imported.' };
  if (devices === 0) return { name, score: null, basis: 'Not measured: no device sends events.' };
  return {
    name,
    score: bounded(100 - maliciousCost * hits.malicious - suspiciousCost * hits.suspicious),
    basis: `${hits.malicious} malicious and ${hits.suspicious} suspicious ${what} in cases of the last 90 days, by ${many(lists, 'list')} of threat intelligence.`,
  };
}

function endpointSecurity({ endpoints, reporting, deviceScores }: CategoryInputs): CategoryScore {
  const name = 'Endpoint Security';
  if (endpoints === 0) return { name, score: null, basis: 'Not measured: no server or workstation is known.' };
  const coverage = (100 * Math.min(reporting, endpoints)) / endpoints;
  const reports = `${reporting} of ${many(endpoints, 'server and workstation', 'servers and workstations')} report now`;
  if (!deviceScores) return { name, score: bounded(coverage), basis: `${reports}; none was scanned, so findings do not count.` };
  return {
    name,
    score: bounded(mean([coverage, deviceScores.mean])),
    basis: `${reports}; ${many(deviceScores.devices, 'scanned device')} with ${Math.round(deviceScores.mean)} on average (100 less the priority of the worst finding).`,
  };
}

function networkSecurity({ listening, network }: CategoryInputs): CategoryScore {
  const name = 'Network Security';
  const parts: number[] = [];
  const texts: string[] = [];
  if (listening.devices > 0) {
    parts.push(bounded(100 - (riskyServiceCost * listening.risky) / listening.devices));
    texts.push(
      `${many(listening.risky, 'service')} that should not be open to the network on ${many(listening.devices, 'device')}`,
    );
  }
  if (network.liveRules > 0) {
    parts.push(ofAlerts(network));
    const total = network.alerts.reduce((sum, { count }) => sum + count, 0);
    texts.push(`${many(total, 'alert')} of ${many(network.alerts.length, 'network rule')} in the last 30 days`);
  }
  if (parts.length === 0)
    return { name, score: null, basis: 'Not measured: no agent tells what listens, and no device sends network events.' };
  return { name, score: bounded(mean(parts)), basis: `${texts.join('; ')}.` };
}

function applicationSecurity({ languageScores }: CategoryInputs): CategoryScore {
  const name = 'Application Security';
  if (!languageScores)
    return {
      name,
      score: null,
      basis: 'Not measured: no packages of programming languages are known; upload a result of Trivy or CycloneDX for a device.',
    };
  return {
    name,
    score: bounded(languageScores.mean),
    basis: `${many(languageScores.devices, 'device')} with packages of programming languages, ${Math.round(languageScores.mean)} on average (100 less the priority of the worst finding in these).`,
  };
}

function patchingCadence({ patching: { total, inTime } }: CategoryInputs): CategoryScore {
  const name = 'Patching Cadence';
  if (total === 0) return { name, score: null, basis: 'Not measured: no finding is open or was fixed in the last 90 days.' };
  return {
    name,
    score: bounded((100 * inTime) / total),
    basis: `${inTime} of ${many(total, 'finding')} fixed or still open within their time (known exploited 14 days, critical 15, high 30, medium 90, low 180).`,
  };
}

/** In the order of spec §3; the Cubit Score is the weighted mean of those that are measured. */
export function categoriesOf(inputs: CategoryInputs): { score: number; categories: CategoryScore[] } {
  const others: CategoryScore[] = [
    applicationSecurity(inputs),
    alertCategory('DNS Health', 'DNS', inputs.dns),
    endpointSecurity(inputs),
    listed('Hacker Chatter', 'files', inputs, inputs.files),
    listed('IP Reputation', 'addresses', inputs, inputs.addresses),
    alertCategory('Leaked Information', 'credentials and data leaving', inputs.leaks),
    networkSecurity(inputs),
    patchingCadence(inputs),
    alertCategory('Social Engineering', 'phishing', inputs.phishing),
  ];
  const measured = others.flatMap(({ name, score }) =>
    score === null ? [] : [{ score, weight: categoryWeights[name as keyof typeof categoryWeights] }],
  );
  const weight = measured.reduce((sum, each) => sum + each.weight, 0);
  const score = weight === 0 ? null : Math.round(measured.reduce((sum, each) => sum + each.weight * each.score, 0) / weight);
  const cubit: CategoryScore = {
    name: 'Cubit Score',
    score,
    basis:
      score === null
        ? 'Not measured: none of the other categories is.'
        : `The weighted mean of the ${many(measured.length, 'category', 'categories')} that ${measured.length === 1 ? 'is' : 'are'} measured.`,
  };
  return { score: score ?? -1, categories: [others[0]!, cubit, ...others.slice(1)] };
}
