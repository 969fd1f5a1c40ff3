/**
 * Candidate index of a rule set: one pass over each field with required literals yields the few rules that the current event could match,
 * those of whose clauses each has a literal in it. The index never decides a match; the rule's own test does.
 */
import type { Place as Location } from './fields.ts';
import type { Layout } from './layouts.ts';
import type { Place, RequiredLiteral } from './literals.ts';
import { parseNumber } from './modifiers.ts';
import { type Clause, MAX_CLAUSES } from './prefilter.ts';
import { literalSearch, type Report, type Search } from './search.ts';
import { type Field, MANY, ONE, type Values } from './values.ts';

/** Longer literals are truncated, which bounds the cost of a comparison and stays selective. */
const MAX_TEXT = 40;

export interface CandidateIndex {
  /** Hits of every event. */
  always: Int32Array;
  /** Reports the clauses of which a literal occurs in the current event, which has the layout; one may be reported more than once. */
  collect(report: Report, layout: Layout<LiveProbe>): void;
}

interface Probe {
  field: Field;
  /** Numbers count in every spelling (`07`, `7.0`). */
  isNumeric: boolean;
  search: Search;
}

/** Probe with the locations of its field in the events of a layout. */
export interface LiveProbe extends Probe {
  places: readonly Location[];
}

/**
 * A clause as one number, so that a hit is counted without a look elsewhere: which rule, which of its clauses, and how many it has.
 */
const hitOf = (rule: number, clause: number, clauses: number): number =>
  (rule << (2 * MAX_CLAUSES)) | (1 << (clause + MAX_CLAUSES)) | ((1 << clauses) - 1);
const allClauses = (1 << MAX_CLAUSES) - 1;
export const ruleOf = (hit: number): number => hit >>> (2 * MAX_CLAUSES);
/** Bit of the clause. */
export const clauseOf = (hit: number): number => (hit >>> MAX_CLAUSES) & allClauses;
/** Bits of all clauses of its rule. */
export const clausesOf = (hit: number): number => hit & allClauses;

/** @param clauses of each rule, in the order of their numbers; none for rules to be tried always */
export function candidateIndex(clauses: Clause[][], numbers: number[], values: Values): CandidateIndex {
  const always: number[] = [];
  const byField = new Map<string | null, Witnesses>();
  clauses.forEach((own, index) => {
    const rule = numbers[index]!;
    if (own.length === 0) always.push(hitOf(rule, 0, 1));
    own.forEach((clause, at) => {
      for (const witness of clause) add(byField, witness, hitOf(rule, at, own.length));
    });
  });
  const probes: Probe[] = [];
  let keywords: Search | undefined;
  for (const [field, witnesses] of byField) {
    if (field === null) keywords = searchOf(witnesses);
    else
      probes.push({
        field: values.field(field),
        isNumeric: witnesses.isNumeric,
        search: searchOf(witnesses),
      });
  }
  const liveProbes = (): LiveProbe[] =>
    probes.map((probe) => ({ ...probe, places: values.places(probe.field) })).filter(({ places }) => places.length > 0);
  return {
    always: Int32Array.from(always),
    collect(report, layout) {
      layout.live ??= liveProbes();
      const { live } = layout;
      for (let i = 0; i < live.length; i++) {
        const probe = live[i]!;
        const { field } = probe;
        const kind = values.kindAt(field, probe.places);
        if (kind === ONE) run(probe, String(field.raw), report);
        else if (kind === MANY) for (const leaf of field.leaves) run(probe, leaf.low, report);
      }
      if (keywords) for (const leaf of values.all()) keywords(leaf.low, report);
    },
  };
}

function run({ search, isNumeric }: Probe, value: string, report: Report): void {
  search(value, report);
  if (!isNumeric) return;
  const number = parseNumber(value);
  if (Number.isNaN(number)) return;
  const text = String(number).toLowerCase();
  if (text !== value) search(text, report);
}

interface Witnesses extends Record<Place, Map<string, Set<number>>> {
  isNumeric: boolean;
}

function add(byField: Map<string | null, Witnesses>, witness: RequiredLiteral, hit: number): void {
  let witnesses = byField.get(witness.field);
  if (!witnesses) {
    witnesses = {
      exact: new Map(),
      prefix: new Map(),
      suffix: new Map(),
      within: new Map(),
      beyond: new Map(),
      isNumeric: false,
    };
    byField.set(witness.field, witnesses);
  }
  // Keywords match anywhere in the event, so prefixes and suffixes do not apply.
  const place = witness.field === null ? 'within' : witness.place;
  const { text } = witness;
  const cut = place === 'exact' ? text : place === 'suffix' ? text.slice(-MAX_TEXT) : text.slice(0, MAX_TEXT);
  const hits = witnesses[place].get(cut) ?? new Set();
  hits.add(hit);
  witnesses[place].set(cut, hits);
  if (witness.isNumber) witnesses.isNumeric = true;
}

function searchOf(witnesses: Witnesses): Search {
  return literalSearch(
    (['exact', 'prefix', 'suffix', 'within', 'beyond'] as const).flatMap((place) =>
      [...witnesses[place]].map(([literal, hits]) => ({ literal, place, hits: [...hits] })),
    ),
  );
}
