/**
 * Verdict model: a sum of log-odds over citable evidence. Deterministic: no randomness, clock or external service. docs/decisioning.md explains the
 * weights; change them there too.
 */

import type { Evidence } from '@parapet/contract/caseDetail.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { Verdict } from '@parapet/contract/rules/cases.ts';
import { tacticName, tacticsInOrder } from '../../domain/facts.ts';
import { quote } from './decisioning.text.ts';

export const modelName = 'additive-log-odds 1';

export const weights = {
  /** About 12 of 100 cases are malicious. */
  prior: -2,
  severity: { worst: { 1: -0.6, 2: -0.4, 3: 0, 4: 0.5, 5: 1.5 } as Record<number, number>, furtherSevere: 0.5, most: 2 },
  /** Prior of a rule without reviews: one malicious case of four. */
  outcome: { base: 0.25, pseudo: 4, most: 2 },
  history: { perDoubling: -0.35, least: -1.5 },
  sequence: { 2: 0.4, 3: 1.2, 4: 1.8, 5: 2.4 } as Record<number, number>,
  reputation: { malicious: 2, furtherMalicious: 0.4, suspicious: 0.6, benign: -0.5, most: 2.8 },
  time: { unusual: 0.4, shareBelow: 0.5 / 24, atLeastAlerts: 50 },
  response: 0.5,
} as const;

export const verdictAt = { malicious: 0.65, benign: 0.35 } as const;

/** Source of a fact: an alert, a field of its event and its value. */
export interface Citation {
  alertID: number;
  field: string;
  value: string;
}

export interface RuleFact {
  ruleId: number;
  title: string;
  criticality: number;
  tactics: readonly string[];
  /** First alert in the case, in milliseconds. */
  at: number;
  alerts: number;
  citation: Citation | undefined;
  /** Outcomes of the organisation's reviewed cases with this rule. */
  outcomes: { malicious: number; benign: number };
  /** Alerts on the same device or user in the 30 days before the case; 0 if one of them was in a malicious case. */
  firedBefore: number;
  /** Device or user of `firedBefore`. */
  on: string;
}

export interface CaseFacts {
  rules: readonly RuleFact[];
  indicators: readonly { reputation: 'Malicious' | 'Suspicious' | 'Benign'; value: string; list: string; citation: Citation }[];
  /** The organisation's alerts of 30 days: their number, and the share of the hour in which the case began. */
  hour: { utcHour: number; share: number; alerts: number } | undefined;
  responses: readonly { action: string; target: string }[];
  silent: readonly { device: string; lastEventAt: string }[];
}

export interface Decision {
  verdict: Verdict;
  /** Probability of the verdict in percent; null for Insufficient Information. */
  confidence: number | null;
  /** Probability of malicious, 0 to 1. */
  probability: number;
  evidence: Evidence[];
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
const logit = (p: number): number => Math.log(p / (1 - p));

/** Adds a sentence of evidence. Sentences without a citation are dropped, except for silence. */
type AddEvidence = (factor: Evidence['factor'], weight: number, text: string, citation: Citation | undefined) => void;

/** Rules with a citation, the worst first. */
type RankedRules = readonly RuleFact[];

export function decide(facts: CaseFacts): Decision {
  const evidence: Evidence[] = [];
  let sum: number = weights.prior;
  const add: AddEvidence = (factor, weight, text, citation) => {
    if (citation === undefined && factor !== 'silence') return;
    sum += weight;
    evidence.push({
      text: text.slice(0, 2000),
      weight: Math.round(clamp(weight * 10, -100, 100) * 10) / 10,
      factor,
      alertID: citation?.alertID ?? null,
      field: citation?.field ?? null,
      value: citation?.value ?? null,
    });
  };
  // Rules without a citation do not count.
  const rules = [...facts.rules]
    .filter((rule) => rule.citation !== undefined)
    .sort((a, b) => b.criticality - a.criticality || a.at - b.at || a.ruleId - b.ruleId);

  addSeverity(rules, add);
  addOutcomes(rules, add);
  addHistory(rules, add);
  addSequence(rules, add);
  addReputation(facts.indicators, add);
  addHour(rules[0], facts.hour, add);
  addResponses(rules[0], facts.responses, add);
  addSilence(facts.silent, add);

  const probability = 1 / (1 + Math.exp(-sum));
  return { ...judged(probability, facts.silent.length > 0 || rules.length === 0), probability, evidence: evidence.slice(0, 100) };
}

function addSeverity(rules: RankedRules, add: AddEvidence): void {
  const [worst] = rules;
  if (!worst) return;
  add(
    'severity',
    weights.severity.worst[worst.criticality] ?? 0,
    `${levelName(worst.criticality)} rule ${quote(worst.title)} fired${times(worst.alerts)}.`,
    worst.citation,
  );
  const { furtherSevere, most } = weights.severity;
  rules
    .slice(1)
    .filter((rule) => rule.criticality >= criticalityOf.high)
    .forEach((rule, index) => {
      const weight = Math.min(furtherSevere, Math.max(0, most - index * furtherSevere));
      if (weight > 0)
        add(
          'severity',
          weight,
          `So did ${levelName(rule.criticality)} rule ${quote(rule.title)}${times(rule.alerts)}.`,
          rule.citation,
        );
    });
}

function addOutcomes(rules: RankedRules, add: AddEvidence): void {
  let outcomeLeft: number = weights.outcome.most;
  for (const rule of rules) {
    const { malicious, benign } = rule.outcomes;
    if (malicious + benign === 0) continue;
    const { base, pseudo } = weights.outcome;
    const p = (malicious + pseudo * base) / (malicious + benign + pseudo);
    const weight = clamp(logit(p) - logit(base), -outcomeLeft, outcomeLeft);
    if (weight === 0) continue;
    outcomeLeft -= Math.abs(weight);
    add(
      'outcome',
      weight,
      `Of ${malicious + benign} reviewed cases with ${quote(rule.title)} at this client, ${malicious} ${malicious === 1 ? 'was' : 'were'} malicious.`,
      rule.citation,
    );
  }
}

function addHistory(rules: RankedRules, add: AddEvidence): void {
  let historyLeft: number = weights.history.least;
  for (const rule of rules) {
    if (rule.firedBefore === 0) continue;
    const weight = Math.max(weights.history.perDoubling * Math.log2(1 + rule.firedBefore), historyLeft);
    if (weight >= 0) continue;
    historyLeft -= weight;
    add(
      'history',
      weight,
      `${quote(rule.title)} fired ${count(rule.firedBefore, 'time')} on ${quote(rule.on)} in the 30 days before, without a malicious case.`,
      rule.citation,
    );
  }
}

function addSequence(rules: RankedRules, add: AddEvidence): void {
  const chain = Math.min(5, tacticsInOrder(rules));
  const last = [...rules].sort((a, b) => b.at - a.at || a.ruleId - b.ruleId)[0];
  if (chain >= 2 && last) {
    const named = [...new Set([...rules].sort((a, b) => a.at - b.at).flatMap((rule) => rule.tactics.map(tacticName)))].slice(
      0,
      14,
    );
    add(
      'sequence',
      weights.sequence[chain] ?? 0,
      `${chain === 5 ? 'Five or more' : chain} tactics follow each other in the order of an attack: ${named.join(', ')}.`,
      last.citation,
    );
  }
}

function addReputation(indicators: CaseFacts['indicators'], add: AddEvidence): void {
  let reputationLeft: number = weights.reputation.most;
  let isFirstMalicious = true;
  for (const { reputation, value, list, citation } of indicators) {
    const { malicious, furtherMalicious, suspicious, benign } = weights.reputation;
    const wanted =
      reputation === 'Malicious'
        ? isFirstMalicious
          ? malicious
          : furtherMalicious
        : reputation === 'Suspicious'
          ? suspicious
          : benign;
    if (reputation === 'Malicious') isFirstMalicious = false;
    const weight = Math.min(wanted, reputationLeft);
    if (weight === 0) continue;
    if (weight > 0) reputationLeft -= weight;
    add('reputation', weight, `${quote(value)} is listed as ${reputation.toLowerCase()} by ${quote(list)}.`, citation);
  }
}

function addHour(worst: RuleFact | undefined, hour: CaseFacts['hour'], add: AddEvidence): void {
  if (worst && hour && hour.alerts >= weights.time.atLeastAlerts && hour.share < weights.time.shareBelow) {
    const percent = Math.round(hour.share * 1000) / 10;
    add(
      'time',
      weights.time.unusual,
      `It began at ${String(hour.utcHour).padStart(2, '0')} h UTC, an hour with ${percent}% of this client’s alerts.`,
      worst.citation,
    );
  }
}

function addResponses(worst: RuleFact | undefined, responses: CaseFacts['responses'], add: AddEvidence): void {
  if (worst && responses.length > 0) {
    const [first] = responses;
    add(
      'response',
      weights.response,
      `Response already requested: ${first!.action} ${quote(first!.target)}${responses.length > 1 ? ` and ${responses.length - 1} more` : ''}.`,
      worst.citation,
    );
  }
}

function addSilence(silent: CaseFacts['silent'], add: AddEvidence): void {
  for (const { device, lastEventAt } of silent.slice(0, 5))
    add('silence', 0, `${quote(device)} has sent nothing since ${lastEventAt}: later activity is not visible.`, undefined);
}

function judged(probability: number, isBlind: boolean): Pick<Decision, 'verdict' | 'confidence'> {
  if (isBlind) return { verdict: 'Insufficient Information', confidence: null };
  if (probability >= verdictAt.malicious) return { verdict: 'Malicious', confidence: Math.round(100 * probability) };
  if (probability <= verdictAt.benign) return { verdict: 'Benign', confidence: Math.round(100 * (1 - probability)) };
  return { verdict: 'Insufficient Information', confidence: null };
}

const levels = ['', 'Informational', 'Low', 'Medium', 'High', 'Critical'];
const levelName = (criticality: number): string => levels[criticality] ?? 'Informational';
const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
const times = (alerts: number): string => (alerts > 1 ? `, in ${alerts} alerts` : '');
