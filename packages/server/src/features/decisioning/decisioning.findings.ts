/** Sentences of evidence from the facts of a case. Each quotes the value that it cites. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { tacticName, tacticPlace } from '../../domain/facts.ts';
import { quote } from '../../domain/quote.ts';
import { budget, type Cited, habitOf, ofCircumstances, staysInside } from './decisioning.circumstances.ts';
import { type MatchedStep, matchSequence, sequences } from './decisioning.sequences.ts';
import { indicativeTechniques } from './decisioning.signals.ts';
import type { CaseFacts, Finding, RuleFact } from './decisioning.types.ts';
import { enoughAlerts, type Feature, maxOutcome, unusualShare } from './decisioning.weights.ts';

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
  const around = ofCircumstances(rules, indicators);
  const steps = inTime.filter((rule) => !staysInside(rule));
  // Requests without effect are attempts, no steps of an attack, unless something else than requests stands beside them.
  const isWithoutEffect =
    around.some(({ feature }) => feature === 'context.refused') &&
    rules.every(({ details }) => details.some(({ name }) => name === 'http.response.status_code'));
  return [
    ...ofSeverity(worst, rules),
    ...(isWithoutEffect ? [] : [...ofTechniques(rules), ...ofSequences(steps), ...ofTactics(steps)]),
    ...around,
    ...ofSpread(rules),
    ...ofIndicators(indicators),
    ...ofOutcomes(rules),
    ...ofHistory(worst, hour),
    ...ofFurtherHabits(rules),
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
    const amount = habitOf(rule) > 1 ? 0 : take(feature);
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

const maxTechniques = 3;
function ofTechniques(rules: readonly Cited[]): Finding[] {
  const take = budget();
  const seen = new Set<string>();
  return rules.flatMap((rule): Finding[] => {
    const id = rule.techniques.find((technique) => Object.hasOwn(indicativeTechniques, technique) && !seen.has(technique));
    // Of a rule with many techniques it is open which of them was found.
    if (
      id === undefined ||
      rule.techniques.length > maxTechniques ||
      rule.criticality < criticalityOf.medium ||
      rule.confidence === 'low' ||
      habitOf(rule) > 1
    )
      return [];
    seen.add(id);
    const amount = take('technique.telling');
    if (amount === 0) return [];
    const text = `Administration hardly ever needs this (${id}, ${indicativeTechniques[id]}): ${quote(rule.citation.value)}.`;
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
  // Two records of one technique are no two steps.
  if (!best || (best.steps.length === 2 && isOneTechnique(best.steps))) return [];
  const feature = `sequence.${Math.min(4, best.steps.length) as 2 | 3 | 4}` as const;
  const found = sentencesOf(feature, 1, best.sequence.name, best.steps);
  const mentioned = new Set(best.steps.map(({ rule }) => rule));
  for (const { sequence, steps } of others) {
    // Another reading of the same rules is no further evidence.
    if (steps.length < 3 || steps.filter(({ rule }) => !mentioned.has(rule)).length < 2) continue;
    const amount = take('sequence.further');
    if (amount === 0) break;
    for (const { rule } of steps) mentioned.add(rule);
    found.push(...sentencesOf('sequence.further', amount, sequence.name, steps));
  }
  return found;
}

const isOneTechnique = ([first, second]: readonly MatchedStep[]): boolean =>
  first!.rule.techniques.every((id) => second!.rule.techniques.includes(id)) ||
  second!.rule.techniques.every((id) => first!.rule.techniques.includes(id));

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
  const chain = tacticChain(inTime.filter((rule) => rule.criticality >= criticalityOf.low && habitOf(rule) <= 1));
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

/** Machines on which a technique of spreading is seen before it counts as spread. */
const spreadFrom = 3;
function ofSpread(rules: readonly Cited[]): Finding[] {
  const rule = rules.find(
    (each) =>
      each.devices.length >= spreadFrom &&
      each.tactics.includes('lateral-movement') &&
      each.criticality >= criticalityOf.medium &&
      habitOf(each) <= 1,
  );
  if (!rule) return [];
  const text = `${quote(rule.title)} fired on ${rule.devices.length} machines in this case: ${quote(rule.citation.value)}.`;
  return [{ feature: 'spread', amount: 1, text, citation: rule.citation }];
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

const cleared = ({ clearedBefore }: Cited): string =>
  clearedBefore === 0 ? '' : `; on ${clearedBefore} of them it was reviewed as benign`;

function ofHistory(worst: Cited, hour: CaseFacts['hour']): Finding[] {
  const take = budget();
  const found: Finding[] = [];
  if (habitOf(worst) > 1 && worst.on)
    found.push({
      feature: 'history',
      amount: take('history', Math.log2(habitOf(worst))),
      text: `${quote(worst.title)} fired on ${worst.firedBefore} of the 30 days before on ${quote(worst.on.value)}, without a malicious case${cleared(worst)}.`,
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

function ofFurtherHabits(rules: readonly Cited[]): Finding[] {
  const take = budget();
  return rules.slice(1).flatMap((rule): Finding[] => {
    if (rule.criticality < criticalityOf.medium || habitOf(rule) <= 1 || !rule.on) return [];
    const amount = take('history.further');
    const text = `${quote(rule.title)} had fired on ${rule.firedBefore} of the 30 days before on ${quote(rule.on.value)}${cleared(rule)}.`;
    return amount === 0 ? [] : [{ feature: 'history.further', amount, text, citation: rule.on }];
  });
}

function ofHour(hour: CaseFacts['hour']): Finding[] {
  if (!hour?.citation || hour.alerts < enoughAlerts || hour.share >= unusualShare) return [];
  const percent = Math.round(hour.share * 1000) / 10;
  const text = `It began at ${String(hour.utcHour).padStart(2, '0')} h UTC (${quote(hour.citation.value)}), an hour with ${percent}% of this client’s alerts.`;
  return [{ feature: 'hour', amount: 1, text, citation: hour.citation }];
}
