/** Test helpers: rules from a detection, and their matches. */
import type { SigmaRule } from './ast.ts';
import { compileRules } from './matcher.ts';
import { type LoadOptions, loadRules } from './rules.ts';
import type { Document } from './source.ts';

/** A rule as YAML; JSON is YAML, so that tests can write objects. */
export const ruleText = (detection: unknown, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ title: 'A rule', id: 'rule', logsource: { product: 'windows' }, detection, ...rest });

/** @throws Error if the rule does not load */
export function ruleOf(detection: unknown, rest: Record<string, unknown> = {}, options: LoadOptions = {}): SigmaRule {
  const { rules, faults } = loadRules([{ file: 'rule.yml', text: ruleText(detection, rest) }], options);
  if (faults[0]) throw new Error(faults[0].reason);
  return rules[0]!;
}

export const faultOf = (detection: unknown, rest: Record<string, unknown> = {}): string | undefined =>
  loadRules([{ file: 'rule.yml', text: ruleText(detection, rest) }]).faults[0]?.reason;

/** True if one selection (with `condition: sel`) matches a document of unknown log source. */
export function matches(selection: unknown, document: Document, options: LoadOptions = {}): boolean {
  return matchesRule(ruleOf({ sel: selection, condition: 'sel' }, {}, options), document);
}

export const matchesRule = (rule: SigmaRule, document: Document): boolean => compileRules([rule]).match(document).length === 1;
