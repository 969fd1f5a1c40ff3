/** Test helpers: rules from a detection, and their matches. */
import type { SigmaRule } from './ast.ts';
import { compileRules } from './matcher.ts';
import { type LoadOptions, loadRules } from './rules.ts';
import { type Document, markSteady } from './source.ts';

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

const isObject = (value: unknown): value is Document => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Steady documents, one for all events with the same names, which holds the values of the last one. */
export function steadyDocuments(): (event: Document) => Document {
  const known = new Map<string, Document>();
  const fill = (document: Document, event: Document): void => {
    for (const [key, value] of Object.entries(event)) {
      if (!isObject(value)) document[key] = value;
      else {
        document[key] ??= {};
        fill(document[key] as Document, value);
      }
    }
  };
  return (event) => {
    const names = JSON.stringify(event, (_, value: unknown) => (isObject(value) ? value : 0));
    let document = known.get(names);
    if (!document) {
      document = {};
      markSteady(document);
      known.set(names, document);
    }
    fill(document, event);
    return document;
  };
}
