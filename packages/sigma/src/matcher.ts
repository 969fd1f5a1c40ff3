/**
 * Matcher: an event's shape gives its log source, the log source its rules, their index the few candidates, and each candidate's own test
 * decides, its regular expressions only behind their gates. Per-source data is computed at the first event of a source. An event with decoded
 * text is tried in both forms. Synchronous; not re-entrant.
 */
import type { SigmaRule } from './ast.ts';
import {
  type CandidateIndex,
  candidateIndex,
  clauseOf,
  clausesOf as clausesOfHit,
  type LiveProbe,
  ruleOf,
} from './candidates.ts';
import { type Explanation, explainRule } from './explain.ts';
import { type Form, isDecoded } from './fields.ts';
import { decodedFilter } from './forms.ts';
import { type Gate, newGates } from './gates.ts';
import { type Layouts, layoutOf, newLayouts } from './layouts.ts';
import { classify, usualSources } from './logsource.ts';
import { type EventTest, ruleTest } from './predicates.ts';
import { chances, clausesOf, MAX_CLAUSES } from './prefilter.ts';
import { accepts, type Document, type Source } from './source.ts';
import { newValues, type Values } from './values.ts';

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

interface CompiledTests {
  tests: EventTest[];
  gates: Gate[];
  gatesOfRule: Gate[][];
}

function compiledTests(rules: readonly SigmaRule[], values: Values): CompiledTests {
  const gates = newGates();
  const gatesOfRule: Gate[][] = [];
  const tests = rules.map((rule) => {
    const used: Gate[] = [];
    gatesOfRule.push(used);
    return ruleTest(rule, values, {
      of(field, sets) {
        const own = gates.of(field, sets);
        used.push(...own);
        return own;
      },
    });
  });
  return { tests, gates: gates.all, gatesOfRule };
}

interface SourceIndex {
  /** Differs when its number was given to another source. */
  source: Source;
  index: CandidateIndex;
  layouts: Record<Form, Layouts<LiveProbe>>;
}

/** Index of each log source, made at its first use; sources with the same rules share one. Gates are numbered behind the rules. */
function indexer(
  rules: readonly SigmaRule[],
  values: Values,
  { gates, gatesOfRule }: CompiledTests,
): (source: Source) => SourceIndex {
  const numbers = new Map(gates.map((gate, index) => [gate, rules.length + index]));
  const indexes: (SourceIndex | undefined)[] = [];
  const shared = new Map<string, CandidateIndex>();

  const newIndex = (accepted: readonly number[]): CandidateIndex => {
    const own = accepted.map((number) => rules[number]!);
    const chance = chances(own);
    const used = [...new Set(accepted.flatMap((number) => gatesOfRule[number]!))];
    return candidateIndex(
      [...own.map((rule) => clausesOf(rule, chance)), ...used.map(({ clause }) => [clause])],
      [...accepted, ...used.map((gate) => numbers.get(gate)!)],
      values,
    );
  };

  return (source) => {
    const known = indexes[source.index];
    if (known?.source === source) return known;
    const accepted = rules.flatMap((rule, number) => (accepts(source, rule.logsource) ? [number] : []));
    const key = accepted.join();
    const index = shared.get(key) ?? newIndex(accepted);
    shared.set(key, index);
    const own: SourceIndex = { source, index, layouts: { written: newLayouts(), decoded: newLayouts() } };
    indexes[source.index] = own;
    return own;
  };
}

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
      const all = clausesOfHit(hit);
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
    const { index, layouts } = indexFor(source);
    const layout = layoutOf(layouts[form], values.view);
    values.begin(source.shape, form, layout);
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
      for (const source of usualSources()) indexFor(source);
    },
    *preparing() {
      for (const source of usualSources()) {
        indexFor(source);
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
