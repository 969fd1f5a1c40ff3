/**
 * Matcher: an event's shape gives its log source, the log source its rules, their index the few candidates, and each candidate's own test
 * decides, its regular expressions only behind their gates. Per-source data is computed at the first event of a source. An event with decoded
 * text is tried in both forms. Synchronous; not re-entrant.
 */
import type { SigmaRule } from './ast.ts';
import { clauseOf, clausesOf, ruleOf } from './candidates.ts';
import { type Explanation, explainRule } from './explain.ts';
import { type Form, isDecoded } from './fields.ts';
import { decodedFilter } from './forms.ts';
import { branchOf, compiledTests, indexer } from './indexes.ts';
import { layoutOf } from './layouts.ts';
import { classify, usualSources } from './logsource.ts';
import { type EventTest, ruleTest } from './predicates.ts';
import { MAX_CLAUSES } from './prefilter.ts';
import type { Document, Source } from './source.ts';
import { newValues } from './values.ts';

export type { SigmaRule } from './ast.ts';
export type { Explanation } from './explain.ts';

export interface Matcher {
  rules: SigmaRule[];
  /** Precomputes the data of each usual log source (a few hundred milliseconds for 4,000 rules). */
  prepare(): void;
  /** The same in steps, for a caller with other work between them. */
  preparing(): Iterable<void>;
  /** Returns all matching rules in load order, including those used only by correlations (`standalone` false). */
  match(document: Document): SigmaRule[];
  /** Returns the matching items of a rule with field and value; empty if the rule does not match. */
  explain(rule: SigmaRule, document: Document): Explanation;
}

const NONE: SigmaRule[] = [];
/** Leaves the low bits of a stamp to the clauses of an event. */
const stampStep = 1 << MAX_CLAUSES;

/** Test of single rules against an event, in both forms and regardless of the log source; for rules that an index has found before. */
export function ruleChecker(): (rule: SigmaRule, document: Document) => boolean {
  const values = newValues();
  const isDecodedMatch = decodedFilter(values);
  const tests = new WeakMap<SigmaRule, EventTest>();
  return (rule, document) => {
    const test = tests.get(rule) ?? ruleTest(rule, values);
    tests.set(rule, test);
    const { shape } = classify(document, values.view);
    values.begin(shape);
    if (test()) return true;
    const begin = (form: Form) => values.begin(shape, form);
    return isDecoded(values.view) && rule.awaits.length === 0 && isDecodedMatch(rule, begin);
  };
}

/** Compiles loaded rules. Rules come from `loadRules`, which has rejected those that cannot be compiled. */
export function compileRules(rules: SigmaRule[]): Matcher {
  const values = newValues();
  const { tests, gates, gatesOfRule } = compiledTests(rules, values);
  const indexFor = indexer(rules, values, { tests, gates, gatesOfRule });
  const isDecodedMatch = decodedFilter(values);
  /** Stamp of the current event and the clauses that it has, of rules and, behind them, of gates. */
  const seen = new Int32Array(rules.length + gates.length);
  let stamp = 0;
  const candidates = new Int32Array(rules.length);
  let candidateCount = 0;
  const opened = new Int32Array(gates.length);
  let openedCount = 0;

  const report = (hits: Int32Array, from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const hit = hits[i]!;
      const number = ruleOf(hit);
      const all = clausesOf(hit);
      const before = seen[number]! < stamp ? stamp : seen[number]!;
      const now = before | clauseOf(hit);
      seen[number] = now;
      if (now === before || now !== (stamp | all)) continue;
      if (number < rules.length) candidates[candidateCount++] = number;
      else {
        gates[number - rules.length]!.isOpen = true;
        opened[openedCount++] = number - rules.length;
      }
    }
  };

  /** Numbers of the rules that match the event in one form; undefined for none. */
  const matchForm = (source: Source, form: Form): number[] | undefined => {
    const { shape } = source;
    values.begin(shape, form);
    const { index, layouts } = branchOf(indexFor(source), values);
    const layout = layoutOf(layouts[form], values.view);
    values.begin(shape, form, layout);
    stamp += stampStep;
    if (stamp > 0x7fffffff - stampStep) {
      seen.fill(0);
      stamp = stampStep;
    }
    for (let i = 0; i < openedCount; i++) gates[opened[i]!]!.isOpen = false;
    openedCount = 0;
    candidateCount = 0;
    report(index.always, 0, index.always.length);
    index.collect(report, layout);
    let found: number[] | undefined;
    for (let i = 0; i < candidateCount; i++) {
      const rule = candidates[i]!;
      if (!tests[rule]!()) continue;
      if (found) found.push(rule);
      else found = [rule];
    }
    return found;
  };

  return {
    rules,
    prepare() {
      for (const source of usualSources()) indexFor(source).prepare();
    },
    *preparing() {
      for (const source of usualSources()) {
        indexFor(source).prepare();
        yield;
      }
    },
    match(document) {
      const source = classify(document, values.view);
      let found = matchForm(source, 'written');
      if (isDecoded(values.view)) {
        const decoded = matchForm(source, 'decoded')?.filter((number) => !found?.includes(number)) ?? [];
        const begin = (form: Form) => values.begin(source.shape, form);
        found = [...(found ?? []), ...decoded.filter((number) => isDecodedMatch(rules[number]!, begin))];
      }
      if (!found) return NONE;
      if (found.length > 1) found.sort((a, b) => a - b);
      return found.map((number) => rules[number]!);
    },
    explain(rule, document) {
      const { shape } = classify(document, values.view);
      values.begin(shape);
      const written = explainRule(rule, values);
      if (written.items.length > 0 || !isDecoded(values.view)) return written;
      values.begin(shape, 'decoded');
      return explainRule(rule, values);
    },
  };
}
