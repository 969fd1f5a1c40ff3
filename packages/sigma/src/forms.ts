/**
 * Rules on the decoded form of an event. What a rule excludes (`not`) holds in either form: a filter for a known tool names its encoded command
 * as often as the decoded one, and an event that it excludes as written stays excluded.
 */
import type { SigmaRule } from './ast.ts';
import type { Condition } from './condition.ts';
import { type EventTest, selectionTests } from './predicates.ts';
import type { Values } from './values.ts';

/** Tests of a rule's selections in one form. */
type Results = readonly boolean[];

export function decodedFilter(values: Values): (rule: SigmaRule, begin: (form: 'written' | 'decoded') => void) => boolean {
  const known = new WeakMap<SigmaRule, EventTest[]>();
  return (rule, begin) => {
    const tests = known.get(rule) ?? selectionTests(rule, values);
    known.set(rule, tests);
    const inForm = (form: 'written' | 'decoded'): Results => {
      begin(form);
      return tests.map((test) => test());
    };
    const written = inForm('written');
    const decoded = inForm('decoded');
    const either = decoded.map((holds, index) => holds || written[index]!);
    return holds(rule.condition, decoded, either);
  };
}

/** @param inside results of the selections under the other sign, which a `not` swaps with `own` */
function holds(condition: Condition, own: Results, inside: Results): boolean {
  if (condition.kind === 'selection') return own[condition.index]!;
  if (condition.kind === 'not') return !holds(condition.part, inside, own);
  const found = condition.parts.filter((part) => holds(part, own, inside)).length;
  if (condition.kind === 'and') return found === condition.parts.length;
  return found >= (condition.kind === 'or' ? 1 : condition.count);
}
