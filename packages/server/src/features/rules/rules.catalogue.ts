/** Metadata of each rule in force, and of texts that are not. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { shouldYield, yieldToEventLoop } from '../../core/yielding.ts';
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

const maxTexts = 10_000;
/** Of single rules that are not loaded, by revision. */
const texts = new Map<string, Summary>();

export const isKnownText = (set: RuleSet, key: string, revision: string): boolean =>
  texts.get(revision)?.key === key || shadowOf(set).has(key);

const inShadow = new WeakMap<RuleSet, Map<string, Summary>>();
function shadowOf(set: RuleSet): ReadonlyMap<string, Summary> {
  let summaries = inShadow.get(set);
  if (!summaries) {
    summaries = new Map(set.stored.shadow.map((rule) => [rule.id, summaryOf(rule, set)]));
    inShadow.set(set, summaries);
  }
  return summaries;
}

/** Of versions that are not in force, by key; `read` holds the texts of those that are not known. Pauses for other work. */
export async function summariesOfTexts(
  set: RuleSet,
  versions: readonly { key: string; revision: string }[],
  read: readonly { key: string; revision: string; yaml: string }[],
): Promise<Map<string, Summary>> {
  const yamlOf = new Map(read.map(({ key, yaml }) => [key, yaml]));
  const found = new Map<string, Summary>();
  for (const { key, revision } of versions) {
    const known = shadowOf(set).get(key) ?? texts.get(revision);
    const summary = known?.key === key ? known : summaryOfText(key, yamlOf.get(key) ?? '', set);
    found.set(key, summary);
    if (summary === known) continue;
    if (texts.size >= maxTexts) texts.clear();
    if (!summary.isCorrelation && yamlOf.has(key)) texts.set(revision, summary);
    if (shouldYield()) await yieldToEventLoop();
  }
  return found;
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
