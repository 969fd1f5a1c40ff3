/** Sentences of evidence from the facts of a case. Each quotes the value that it cites. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { tacticName, tacticPlace } from '../../domain/facts.ts';
import { type MatchedStep, matchSequence, sequences } from './decisioning.sequences.ts';
import { contexts, tellingTechniques } from './decisioning.telling.ts';
import { quote } from './decisioning.text.ts';
import type { CaseFacts, Citation, Finding, RuleFact } from './decisioning.types.ts';
import { enoughAlerts, type Feature, maxAmounts, maxOutcome, unusualShare } from './decisioning.weights.ts';

type Cited = RuleFact & { citation: Citation };
const levels = ['', 'Informational', 'Low', 'Medium', 'High', 'Critical'];
const levelFeatures: readonly Feature[] = [
  'rule.informational',
  'rule.informational',
  'rule.low',
  'rule.medium',
  'rule.high',
  'rule.critical',
];
const confidenceRank = { low: 0, medium: 1, high: 2 } as const;
const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
const times = (alerts: number): string => (alerts > 1 ? ` in ${alerts} alerts` : '');

/** Findings of a case in a fixed order, whatever the order of its rules. */
export function findingsOf({ rules: all, indicators, hour }: CaseFacts): Finding[] {
  const rules = all.filter((rule): rule is Cited => rule.citation !== undefined).sort(bySeverity);
  const inTime = [...rules].sort((a, b) => a.at - b.at || a.ruleId - b.ruleId);
  const [worst] = rules;
  if (!worst) return [];
  return [
    ...ofSeverity(worst, rules),
    ...ofTechniques(rules),
    ...ofSequences(inTime),
    ...ofTactics(inTime),
    ...ofContexts(rules, indicators),
    ...ofIndicators(indicators),
    ...ofOutcomes(rules),
    ...ofHistory(worst, hour),
    ...ofHour(hour),
  ];
}

function bySeverity(a: RuleFact, b: RuleFact): number {
  return (
    b.criticality - a.criticality ||
    confidenceRank[b.confidence] - confidenceRank[a.confidence] ||
    a.firedBefore - b.firedBefore ||
    a.at - b.at ||
    a.ruleId - b.ruleId
  );
}

/** Limits the amounts of a feature to its largest one. */
function budget() {
  const used = new Map<Feature, number>();
  return (feature: Feature, wanted = 1): number => {
    const before = used.get(feature) ?? 0;
    const amount = Math.max(0, Math.min(wanted, (maxAmounts[feature] ?? 1) - before));
    used.set(feature, before + amount);
    return amount;
  };
}

/** The worst rule, then every further severe or medium rule that shows another technique. */
function ofSeverity(worst: Cited, rules: readonly Cited[]): Finding[] {
  const take = budget();
  const found: Finding[] = [
    {
      feature: levelFeatures[worst.criticality] ?? 'rule.informational',
      amount: 1,
      text: `${levels[worst.criticality] ?? 'Informational'} rule ${quote(worst.title)} fired${times(worst.alerts)}: ${quote(worst.citation.value)}.`,
      citation: worst.citation,
    },
    ...ofCounted(worst),
  ];
  if (worst.confidence !== 'medium')
    found.push({
      feature: `confidence.${worst.confidence}`,
      amount: 1,
      text: `${quote(worst.title)} ${worst.confidence === 'high' ? 'rarely' : 'often'} fires on harmless activity: ${quote(worst.citation.value)}.`,
      citation: worst.citation,
    });
  const seen = new Set(worst.techniques);
  const events = new Set([worst.event]);
  const isAlone = rules.every(
    ({ criticality, techniques, event }) =>
      criticality < criticalityOf.low || isKnown(events, event) || techniques.every((id) => seen.has(id)),
  );
  if (isAlone)
    found.push({
      feature: 'alone',
      amount: 1,
      text: `No rule of another technique fired beside ${quote(worst.title)}: ${quote(worst.citation.value)}.`,
      citation: worst.citation,
    });
  for (const rule of rules.slice(1)) {
    const isNew = rule.techniques.some((technique) => !seen.has(technique));
    for (const technique of rule.techniques) seen.add(technique);
    if (isKnown(events, rule.event)) continue;
    events.add(rule.event);
    if (!isNew || rule.criticality < criticalityOf.medium) continue;
    const feature = rule.criticality >= criticalityOf.high ? 'further.severe' : 'further.medium';
    // A habit of the device is no further evidence.
    const amount = rule.firedBefore > 1 ? 0 : take(feature);
    if (amount === 0) continue;
    found.push({
      feature,
      amount: rule.confidence === 'low' ? amount / 2 : amount,
      text: `${levels[rule.criticality]} rule ${quote(rule.title)} fired as well${times(rule.alerts)}: ${quote(rule.citation.value)}.`,
      citation: rule.citation,
    });
    found.push(...ofCounted(rule));
  }
  return found;
}

/** True for an event that was counted before. */
const isKnown = (events: ReadonlySet<string>, event: string): boolean => event !== '' && events.has(event);

const maxCounted = 5;
/** Counted values of a correlation, one sentence each. */
const ofCounted = ({ title, counted }: RuleFact): Finding[] =>
  counted.slice(0, maxCounted).map((citation) => ({
    feature: 'base',
    amount: 0,
    text: `${quote(citation.value)} is one of ${count(counted.length, 'value')} of ${citation.field} behind ${quote(title)}.`,
    citation,
  }));

function ofTechniques(rules: readonly Cited[]): Finding[] {
  const take = budget();
  const seen = new Set<string>();
  return rules.flatMap((rule): Finding[] => {
    const id = rule.techniques.find((technique) => Object.hasOwn(tellingTechniques, technique) && !seen.has(technique));
    if (id === undefined || rule.criticality < criticalityOf.medium || rule.confidence === 'low' || rule.firedBefore > 1)
      return [];
    seen.add(id);
    const amount = take('technique.telling');
    if (amount === 0) return [];
    const text = `Administration hardly ever needs this (${id}, ${tellingTechniques[id]}): ${quote(rule.citation.value)}.`;
    return [{ feature: 'technique.telling', amount, text, citation: rule.citation }];
  });
}

function ofSequences(inTime: readonly Cited[]): Finding[] {
  const take = budget();
  const matched = sequences
    .map((sequence) => ({ sequence, steps: matchSequence(sequence, inTime) }))
    .filter(({ steps }) => steps.length >= 2)
    .sort((a, b) => b.steps.length - a.steps.length || (a.sequence.id < b.sequence.id ? -1 : 1));
  const [best, ...others] = matched;
  if (!best) return [];
  const feature = `sequence.${Math.min(4, best.steps.length) as 2 | 3 | 4}` as const;
  const found = sentencesOf(feature, 1, best.sequence.name, best.steps);
  const told = new Set(best.steps.map(({ rule }) => rule));
  for (const { sequence, steps } of others) {
    // Another reading of the same rules is no further evidence.
    if (steps.length < 3 || steps.filter(({ rule }) => !told.has(rule)).length < 2) continue;
    const amount = take('sequence.further');
    if (amount === 0) break;
    for (const { rule } of steps) told.add(rule);
    found.push(...sentencesOf('sequence.further', amount, sequence.name, steps));
  }
  return found;
}

/** The last step carries the weight; the steps before it have a sentence each. */
const sentencesOf = (feature: Feature, amount: number, name: string, steps: readonly MatchedStep[]): Finding[] =>
  steps.map(({ name: step, citation }, index): Finding => {
    const isLast = index === steps.length - 1;
    return {
      feature: isLast ? feature : 'base',
      amount: isLast ? amount : 0,
      text: isLast
        ? `${name}, ${steps.length} steps in order: ${steps.map((each) => each.name).join(', ')}; the last by ${quote(citation.value)}.`
        : `Step ${index + 1} of ${steps.length}, ${step}: ${quote(citation.value)}.`,
      citation,
    };
  });

/** Longest chain of distinct tactics in ATT&CK’s order, one rule each. */
function tacticChain(inTime: readonly Cited[]): { tactic: string; rule: Cited }[] {
  const longest = new Map<number, { tactic: string; rule: Cited }[]>();
  for (const rule of inTime) {
    const before = [...longest];
    for (const tactic of rule.tactics) {
      const place = tacticPlace(tactic);
      if (place === undefined) continue;
      const chain = before.reduce<{ tactic: string; rule: Cited }[]>(
        (most, [at, each]) =>
          at < place &&
          each.length > most.length &&
          each.every((link) => link.rule.event === '' || link.rule.event !== rule.event)
            ? each
            : most,
        [],
      );
      if (chain.length + 1 > (longest.get(place)?.length ?? 0)) longest.set(place, [...chain, { tactic, rule }]);
    }
  }
  return [...longest.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
}

function ofTactics(inTime: readonly Cited[]): Finding[] {
  const chain = tacticChain(
    inTime.filter(({ criticality, firedBefore }) => criticality >= criticalityOf.low && firedBefore <= 1),
  );
  if (chain.length < 3) return [];
  const { citation } = chain.at(-1)!.rule;
  const names = chain.map(({ tactic }) => tacticName(tactic));
  return [
    {
      feature: `tactics.${Math.min(5, chain.length) as 3 | 4 | 5}`,
      amount: 1,
      text: `${chain.length} tactics follow each other in ATT&CK’s order: ${names.join(', ')}; the last by ${quote(citation.value)}.`,
      citation,
    },
  ];
}

/** Alerts to which a declared circumstance applies; each circumstance counts once. */
function ofContexts(rules: readonly Cited[], indicators: CaseFacts['indicators']): Finding[] {
  const take = budget();
  // An address of the client's own list is no foreign one.
  const known = new Set(indicators.filter(({ reputation }) => reputation === 'Benign').map(({ value }) => value));
  return contexts.flatMap(({ feature, fields, pattern, tactics, techniques, text }): Finding[] => {
    for (const rule of rules) {
      if (tactics && !rule.tactics.some((tactic) => tactics.includes(tactic))) continue;
      if (techniques && !rule.techniques.some((technique) => techniques.includes(technique))) continue;
      // Circumstances of mild rules beside severe ones count for little.
      if (rule.criticality < Math.min(criticalityOf.medium, rules[0]!.criticality)) continue;
      const detail = rule.details.find(
        (each) => fields.includes(each.name) && pattern.test(each.value) && !known.has(each.value.toLowerCase()),
      );
      const amount = detail ? take(feature) : 0;
      if (!detail || amount === 0) continue;
      const citation = { alertID: rule.citation.alertID, field: detail.field, value: detail.value };
      return [{ feature, amount, text: `${text}: ${quote(detail.value)}.`, citation }];
    }
    return [];
  });
}

function ofIndicators(indicators: CaseFacts['indicators']): Finding[] {
  const take = budget();
  return indicators.flatMap(({ reputation, value, list, citation }): Finding[] => {
    const isFirst = reputation === 'Malicious' && take('reputation.malicious') > 0;
    const feature: Feature = isFirst
      ? 'reputation.malicious'
      : reputation === 'Malicious'
        ? 'reputation.further'
        : reputation === 'Suspicious'
          ? 'reputation.suspicious'
          : 'reputation.benign';
    const amount = isFirst ? 1 : take(feature);
    const text = `${quote(value)} is listed as ${reputation.toLowerCase()} by ${quote(list)}.`;
    return amount === 0 ? [] : [{ feature, amount, text, citation }];
  });
}

/** Reviews of each rule move the odds by their own, together by no more than the bound. */
function ofOutcomes(rules: readonly Cited[]): Finding[] {
  const moves = rules
    .filter(({ outcomes }) => outcomes.malicious + outcomes.benign > 0)
    .map((rule) => ({ rule, move: Math.log((rule.outcomes.malicious + 1) / (rule.outcomes.benign + 1)) }))
    .filter(({ move }) => move !== 0);
  const sum = Math.abs(moves.reduce((total, { move }) => total + move, 0));
  const share = sum > maxOutcome ? maxOutcome / sum : 1;
  return moves.map(({ rule, move }) => {
    const { malicious, benign } = rule.outcomes;
    const text = `Of ${malicious + benign} reviewed ${malicious + benign === 1 ? 'case' : 'cases'} with ${quote(rule.title)} at this client, ${malicious} ${malicious === 1 ? 'was' : 'were'} malicious; here ${quote(rule.citation.value)}.`;
    return { feature: 'outcome', amount: move * share, text, citation: rule.citation };
  });
}

function ofHistory(worst: Cited, hour: CaseFacts['hour']): Finding[] {
  const take = budget();
  const found: Finding[] = [];
  if (worst.firedBefore > 1 && worst.on)
    found.push({
      feature: 'history',
      amount: take('history', Math.log2(worst.firedBefore)),
      text: `${quote(worst.title)} fired on ${worst.firedBefore} of the 30 days before on ${quote(worst.on.value)}, without a malicious case.`,
      citation: worst.on,
    });
  if (worst.otherDevices > 1)
    found.push({
      feature: 'prevalence',
      amount: take('prevalence', Math.log2(worst.otherDevices)),
      text: `${quote(worst.title)} fired on ${worst.otherDevices} other devices of this client in the 30 days before; here ${quote(worst.citation.value)}.`,
      citation: worst.citation,
    });
  if (worst.firedAtClient === 0 && (hour?.alerts ?? 0) >= enoughAlerts && worst.criticality >= criticalityOf.medium)
    found.push({
      feature: 'rare',
      amount: 1,
      text: `${quote(worst.title)} had not fired at this client for 30 days: ${quote(worst.citation.value)}.`,
      citation: worst.citation,
    });
  return found.filter(({ amount }) => amount !== 0);
}

function ofHour(hour: CaseFacts['hour']): Finding[] {
  if (!hour?.citation || hour.alerts < enoughAlerts || hour.share >= unusualShare) return [];
  const percent = Math.round(hour.share * 1000) / 10;
  const text = `It began at ${String(hour.utcHour).padStart(2, '0')} h UTC (${quote(hour.citation.value)}), an hour with ${percent}% of this client’s alerts.`;
  return [{ feature: 'hour', amount: 1, text, citation: hour.citation }];
}
