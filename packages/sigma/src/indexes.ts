/** Indexes of a rule set: of each log source, and where a field divides its rules, of each value of that field. Made at their first use. */
import type { SigmaRule } from './ast.ts';
import { type CandidateIndex, candidateIndex, type LiveProbe } from './candidates.ts';
import { canonical, type Dispatch, dispatchOf } from './dispatch.ts';
import type { Form } from './fields.ts';
import { type Gate, newGates } from './gates.ts';
import { type Layouts, newLayouts } from './layouts.ts';
import { type EventTest, ruleTest } from './predicates.ts';
import { type Clause, chances, clausesOf, type Known } from './prefilter.ts';
import { accepts, type Source } from './source.ts';
import { type Field, ONE, type Values } from './values.ts';

export interface CompiledTests {
  tests: EventTest[];
  gates: Gate[];
  gatesOfRule: Gate[][];
}

export function compiledTests(rules: readonly SigmaRule[], values: Values): CompiledTests {
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

/** Index of the events of a source that share a value. */
interface Branch {
  index: CandidateIndex;
  layouts: Record<Form, Layouts<LiveProbe>>;
}

export interface SourceIndex {
  /** Differs when its number was given to another source. */
  source: Source;
  group: Group;
  /** By value. */
  branches: Map<string | undefined, Branch>;
  /** Makes the index of most events; those of single values take milliseconds at their first event. */
  prepare(): void;
}

/** Rules of a source; sources with the same rules share one. */
interface Group {
  field: Field | undefined;
  dispatch: Dispatch | undefined;
  /** Index for a value; `any` for events that have several or none. */
  indexOf(text: string | undefined): CandidateIndex;
}

/** Stands for the events without a single value, and for those whose value the rules do not name. */
const any = undefined;
const other = '\0other';

/** Layouts of a branch, most of whose events have one event ID. */
const branchIds = 8;

/** Gates are numbered behind the rules. */
export function indexer(
  rules: readonly SigmaRule[],
  values: Values,
  { gates, gatesOfRule }: CompiledTests,
): (source: Source) => SourceIndex {
  const numbers = new Map(gates.map((gate, index) => [gate, rules.length + index]));
  const indexes: (SourceIndex | undefined)[] = [];
  const groups = new Map<string, Group>();

  const newGroup = (accepted: readonly number[]): Group => {
    const own = accepted.map((number) => rules[number]!);
    const chance = chances(own);
    const dispatch = dispatchOf(own);
    const known = new Map<string | undefined, CandidateIndex>();
    /** Of the rules without a value of their own. */
    const others = new Map<SigmaRule, Clause[]>();
    const clausesFor = (rule: SigmaRule, at: number, value: Known | undefined): Clause[] => {
      const wanted = dispatch?.wanted[at];
      if (value && wanted) return wanted.includes(value.text ?? other) ? clausesOf(rule, chance, value) : [[]];
      const clauses = others.get(rule) ?? clausesOf(rule, chance);
      others.set(rule, clauses);
      return clauses;
    };
    const make = (value: Known | undefined): CandidateIndex => {
      const possible = own.flatMap((rule, at) => {
        const clauses = clausesFor(rule, at, value);
        return clauses.some((clause) => clause.length === 0) ? [] : [{ number: accepted[at]!, clauses }];
      });
      const used = [...new Set(possible.flatMap(({ number }) => gatesOfRule[number]!))];
      return candidateIndex(
        [...possible.map(({ clauses }) => clauses), ...used.map(({ clause }) => [clause])],
        [...possible.map(({ number }) => number), ...used.map((gate) => numbers.get(gate)!)],
        values,
      );
    };
    return {
      field: dispatch && values.field(dispatch.field),
      dispatch,
      indexOf(text) {
        let index = known.get(text);
        if (!index) {
          index = make(dispatch && text !== any ? { field: dispatch.field, text: text === other ? undefined : text } : undefined);
          known.set(text, index);
        }
        return index;
      },
    };
  };

  return (source) => {
    const known = indexes[source.index];
    if (known?.source === source) return known;
    const accepted = rules.flatMap((rule, number) => (accepts(source, rule.logsource) ? [number] : []));
    const key = accepted.join();
    const group = groups.get(key) ?? newGroup(accepted);
    groups.set(key, group);
    const own: SourceIndex = {
      source,
      group,
      branches: new Map(),
      prepare() {
        group.indexOf(group.dispatch ? other : any);
      },
    };
    indexes[source.index] = own;
    return own;
  };
}

/** Branch of the current event. */
export function branchOf({ group, branches }: SourceIndex, values: Values): Branch {
  const text = dispatchedBy(group, values);
  let branch = branches.get(text);
  if (!branch) {
    const ids = text === any || text === other ? undefined : branchIds;
    branch = { index: group.indexOf(text), layouts: { written: newLayouts(ids), decoded: newLayouts(ids) } };
    branches.set(text, branch);
  }
  return branch;
}

function dispatchedBy({ field, dispatch }: Group, values: Values): string | undefined {
  if (!field || values.kind(field) !== ONE) return any;
  const low = values.low(field);
  if (dispatch!.values.has(low)) return canonical(low) ?? any;
  return canonical(low) === undefined ? any : other;
}
