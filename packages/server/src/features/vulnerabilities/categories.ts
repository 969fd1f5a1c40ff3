/**
 * The ten categories of spec §3; formulas in docs/vulnerabilities.md. 100 is best. Categories without data have no score and state what is
 * missing. Pure.
 */
import { counted } from '@parapet/contract/rules/numbers.ts';
import type { scoreCategories } from '@parapet/contract/rules/values.ts';

export type Category = (typeof scoreCategories)[number];
export interface CategoryScore {
  name: Category;
  score: number | null;
  basis: string;
}

/** Alerts of the last 30 days from rules of one kind. */
export interface RuleAlerts {
  /** Rules of that kind with a live source. */
  liveRules: number;
  alerts: { criticality: number; count: number }[];
}

export interface CategoryInputs {
  /** Servers and workstations. */
  endpoints: number;
  reporting: number;
  /** 100 less the priority of the worst open finding, per scanned device; undefined when none was scanned. */
  deviceScores: { devices: number; mean: number } | undefined;
  /** The same over devices with language packages and findings in these. */
  languageScores: { devices: number; mean: number } | undefined;
  /** Findings open or fixed in the last 90 days, and those within their time. */
  patching: { total: number; inTime: number };
  /** Devices whose agent reports listening services, and such services that should not be open. */
  listening: { devices: number; risky: number };
  /** Threat intelligence lists. */
  lists: number;
  /** Listed addresses and files in cases of the last 90 days, with the malicious ones among them. */
  addresses: { malicious: number; suspicious: number };
  files: { malicious: number; suspicious: number };
  /** Known devices. */
  devices: number;
  network: RuleAlerts;
  dns: RuleAlerts;
  phishing: RuleAlerts;
  leaks: RuleAlerts;
}

/** Points lost per rule that fired, by criticality from informational to critical; tenfold alerts cost the same again. */
const costs = [0, 1, 2, 5, 12, 25];
const riskyServiceCost = 20;
const maliciousCost = 15;
const suspiciousCost = 5;
/** Weights of the other categories in the Cubit Score. */
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

function ofAlerts({ alerts }: RuleAlerts): number {
  return bounded(100 - alerts.reduce((sum, { criticality, count }) => sum + costs[criticality]! * (1 + Math.log10(count)), 0));
}

function alertCategory(name: Category, what: string, of: RuleAlerts): CategoryScore {
  if (of.liveRules === 0)
    return { name, score: null, basis: `Not measured: no device sends the log sources of the rules for ${what}.` };
  const total = of.alerts.reduce((sum, { count }) => sum + count, 0);
  return {
    name,
    score: ofAlerts(of),
    basis: `${counted(total, 'alert')} of ${counted(of.alerts.length, 'rule')} for ${what} in the last 30 days; ${counted(of.liveRules, 'such rule')} ${of.liveRules === 1 ? 'has' : 'have'} a live log source.`,
  };
}

function listed(name: Category, what: string, { lists, devices }: CategoryInputs, hits: CategoryInputs['files']): CategoryScore {
  if (lists === 0) return { name, score: null, basis: 'Not measured: no threat intelligence list was imported.' };
  if (devices === 0) return { name, score: null, basis: 'Not measured: no device sends events.' };
  return {
    name,
    score: bounded(100 - maliciousCost * hits.malicious - suspiciousCost * hits.suspicious),
    basis: `${hits.malicious} malicious and ${hits.suspicious} suspicious ${what} in cases of the last 90 days, by ${counted(lists, 'threat intelligence list')}.`,
  };
}

function endpointSecurity({ endpoints, reporting, deviceScores }: CategoryInputs): CategoryScore {
  const name = 'Endpoint Security';
  if (endpoints === 0) return { name, score: null, basis: 'Not measured: no servers or workstations.' };
  const coverage = (100 * Math.min(reporting, endpoints)) / endpoints;
  const reports = `${reporting} of ${counted(endpoints, 'server and workstation', 'servers and workstations')} reporting now`;
  if (!deviceScores)
    return { name, score: bounded(coverage), basis: `${reports}; none was scanned, so findings are not counted.` };
  return {
    name,
    score: bounded(mean([coverage, deviceScores.mean])),
    basis: `${reports}; ${counted(deviceScores.devices, 'scanned device')} with ${Math.round(deviceScores.mean)} on average (100 less the priority of the worst finding).`,
  };
}

function networkSecurity({ listening, network }: CategoryInputs): CategoryScore {
  const name = 'Network Security';
  const parts: number[] = [];
  const texts: string[] = [];
  if (listening.devices > 0) {
    parts.push(bounded(100 - (riskyServiceCost * listening.risky) / listening.devices));
    texts.push(
      `${counted(listening.risky, 'service')} that should not be open to the network on ${counted(listening.devices, 'device')}`,
    );
  }
  if (network.liveRules > 0) {
    parts.push(ofAlerts(network));
    const total = network.alerts.reduce((sum, { count }) => sum + count, 0);
    texts.push(`${counted(total, 'alert')} of ${counted(network.alerts.length, 'network rule')} in the last 30 days`);
  }
  if (parts.length === 0)
    return { name, score: null, basis: 'Not measured: no agent reports listening services and no device sends network events.' };
  return { name, score: bounded(mean(parts)), basis: `${texts.join('; ')}.` };
}

function applicationSecurity({ languageScores }: CategoryInputs): CategoryScore {
  const name = 'Application Security';
  if (!languageScores)
    return {
      name,
      score: null,
      basis: 'Not measured: no language packages found; upload a Trivy or CycloneDX result for a device.',
    };
  return {
    name,
    score: bounded(languageScores.mean),
    basis: `${counted(languageScores.devices, 'device')} with language packages, ${Math.round(languageScores.mean)} on average (100 less the priority of the worst finding in these).`,
  };
}

function patchingCadence({ patching: { total, inTime } }: CategoryInputs): CategoryScore {
  const name = 'Patching Cadence';
  if (total === 0) return { name, score: null, basis: 'Not measured: no finding is open or was fixed in the last 90 days.' };
  return {
    name,
    score: bounded((100 * inTime) / total),
    basis: `${inTime} of ${counted(total, 'finding')} fixed or still open within their time (known exploited 14 days, critical 15, high 30, medium 90, low 180).`,
  };
}

/** Categories in the order of spec §3; the Cubit Score is the weighted mean of the measured ones. */
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
        ? 'Not measured: no other category is measured.'
        : `The weighted mean of the ${counted(measured.length, 'category', 'categories')} that ${measured.length === 1 ? 'is' : 'are'} measured.`,
  };
  return { score: score ?? -1, categories: [others[0]!, cubit, ...others.slice(1)] };
}
