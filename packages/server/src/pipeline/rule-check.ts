/** Checks of a rule’s text before it is saved, and of its tests. Texts are by strangers: everything is bounded by the engine’s loader. */
import { randomUUID } from 'node:crypto';
import { covers, filterOf, narrowed } from '@parapet/sigma/filters.ts';
import { type Fix, fixOf } from '@parapet/sigma/fixes.ts';
import { lint } from '@parapet/sigma/lint.ts';
import { compileRules, ruleChecker } from '@parapet/sigma/matcher.ts';
import { type Correlation, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import { LoadError, readDocuments } from '@parapet/sigma/tree.ts';
import type { Document } from './event.ts';
import type { RuleSet } from './rule-set.ts';

export interface Fault {
  line: number;
  severity: 'error' | 'warning';
  text: string;
  fix: Fix | null;
}

export interface CheckedRule {
  faults: Fault[];
  /** Absent with an error. */
  rule?: SigmaRule | Correlation;
}

export const isCorrelation = (rule: SigmaRule | Correlation): rule is Correlation => 'timespanMs' in rule;

/** Loads one rule beside those in force. */
export function checkRule(text: string, set: Pick<RuleSet, 'rules' | 'correlations'>): CheckedRule {
  const beside = { rules: [...set.rules.values()], correlations: [...set.correlations.values()] };
  const loaded = loadRules([{ file: 'rule', text }], { beside });
  const errors = loaded.faults.map(({ line, reason }): Fault => ({ line, severity: 'error', text: sentence(reason), fix: null }));
  if (errors.length > 0) return { faults: errors };
  const found = [...loaded.rules.filter(({ id }) => !id.endsWith(':base')), ...loaded.correlations];
  const [rule] = found;
  const refused = (reason: string): CheckedRule => ({ faults: [{ line: 1, severity: 'error', text: reason, fix: null }] });
  // A filter beside the rule would change other rules.
  if (!rule || found.length > 1 || readDocuments(text).length > 1)
    return refused('Enter exactly one rule: a document with a detection or a correlation.');
  if (loaded.rules.length + loaded.correlations.length > 1)
    return refused(
      'A condition with an aggregation can’t be saved here. Save the rule without it, and a correlation that counts the rule.',
    );
  // A rule that loads can be saved; the findings are advice.
  return {
    faults: lint(loaded).map(({ line, code, text: advice, subject }) => {
      const fix = fixOf({ code, subject }, text, randomUUID) ?? null;
      return {
        line: fix?.line ?? line,
        severity: 'warning',
        text: advice.slice(0, 500),
        fix: fix && fix.insert.length <= 500 ? fix : null,
      };
    }),
    rule,
  };
}

const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`.slice(0, 500);

/** Test whether the rule matches an event, as in the intake. */
export function eventTest(rule: SigmaRule): (document: Document) => boolean {
  const matcher = compileRules([rule]);
  return (document) => matcher.match(document).length > 0;
}

/** Error of a filter’s text for a rule; undefined for one that can be added. */
export function filterFault(text: string, rule: SigmaRule): string | undefined {
  try {
    const filter = filterOf(text);
    const references = [rule.id, rule.writtenId, rule.name, rule.title];
    if (filter.rules && !filter.rules.some((name) => references.includes(name)))
      return `The filter names other rules. Add ${rule.id} below "rules", or use "any".`;
    if (!covers(filter.logsource, rule.logsource)) return 'The filter’s log source is not the rule’s, so it would never apply.';
    compileRules([narrowed(rule, filter)]);
    return undefined;
  } catch (error) {
    return error instanceof LoadError ? `Line ${error.line}: ${sentence(error.message)}` : sentence((error as Error).message);
  }
}

/** Test whether a filter excludes an event that the rule matches. */
export function filterHides(text: string, rule: SigmaRule): (document: Document) => boolean {
  const check = ruleChecker();
  const narrow = narrowed(rule, filterOf(text));
  return (document) => check(rule, document) && !check(narrow, document);
}
