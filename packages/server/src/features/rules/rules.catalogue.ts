/** Metadata of each rule in force, and of texts that are not. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { isCorrelation } from '../../pipeline/rule-check.ts';
import { correlationRow, productAuthor, type RuleRow, ruleRow } from '../../pipeline/rule-rows.ts';
import type { RuleSet } from '../../pipeline/rule-set.ts';

export interface Summary extends RuleRow {
  author: string;
  isCorrelation: boolean;
}

const known = new WeakMap<RuleSet, Map<string, Summary>>();

/** By key. */
export function summariesOf(set: RuleSet): ReadonlyMap<string, Summary> {
  let summaries = known.get(set);
  if (!summaries) {
    const all = [...set.rules.values(), ...set.correlations.values()];
    summaries = new Map(all.map((rule) => [rule.id, summaryOf(rule, set)]));
    known.set(set, summaries);
  }
  return summaries;
}

type Rule = Parameters<typeof isCorrelation>[0];

function summaryOf(rule: Rule, set: RuleSet): Summary {
  const origin = set.originOf(rule.id);
  const titleOf = (key: string): string => (set.rules.get(key) ?? set.correlations.get(key))?.title ?? key;
  const beneath = isCorrelation(rule) ? rule.rules.flatMap((key) => set.rulesBeneath(key)) : [];
  const row = isCorrelation(rule) ? correlationRow(rule, origin, beneath, rule.rules.map(titleOf)) : ruleRow(rule, origin);
  return {
    ...row,
    author: rule.author === productAuthor ? '' : (rule.author ?? '').slice(0, 2000),
    isCorrelation: isCorrelation(rule),
  };
}

/** Of a version that is not in force; a text that no longer loads has its key as its title. */
export function summaryOfText(key: string, yaml: string, set: RuleSet): Summary {
  const beside = { rules: [...set.rules.values()], correlations: [...set.correlations.values()] };
  const loaded = loadRules([{ file: key, text: yaml }], { beside });
  const rule = loaded.correlations[0] ?? loaded.rules[0];
  if (rule) return { ...summaryOf(rule, set), key };
  return {
    key,
    title: key,
    category: 'Other',
    criticality: criticalityOf[severities[2]],
    confidence: 2,
    detail: 0,
    revision: '',
    organisationId: null,
    facts: { description: '', falsePositives: [], references: [], logSource: '', condition: '', techniques: [], tactics: [] },
    author: '',
    isCorrelation: false,
  };
}
