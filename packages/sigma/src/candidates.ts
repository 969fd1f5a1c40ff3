/**
 * Candidate index of a rule set: one pass over each field with required literals yields the few rules that the current event could match,
 * those of whose clauses each has a literal in it. The index never decides a match; the rule's own test does.
 */
import { hasHead } from './fields.ts';
import type { Place, RequiredLiteral } from './literals.ts';
import { parseNumber } from './modifiers.ts';
import { type Clause, MAX_CLAUSES } from './prefilter.ts';
import { literalSearch, type Report, type Search } from './search.ts';
import { MANY, ONE, type Values } from './values.ts';

/** Longer literals are truncated, which bounds the cost of a comparison and stays selective. */
const MAX_TEXT = 40;

export interface CandidateIndex {
  /** Hits of every event. */
  always: Int32Array;
  /** Fields that are read of every event. */
  fields: readonly string[];
  /** Reports the clauses of which a literal occurs in the current event; one may be reported more than once. */
  /** @param heads of `fields` in the event's shape */
  collect(report: Report, heads: Int32Array): void;
}

interface Probe {
  field: number;
  /** Numbers count in every spelling (`07`, `7.0`). */
  isNumeric: boolean;
  search: Search;
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
        field: values.fieldNumber(field),
        isNumeric: witnesses.isNumeric,
        search: searchOf(witnesses),
      });
  }
  return {
    always: Int32Array.from(always),
    fields: [...byField.keys()].filter((field) => field !== null),
    collect(report, heads) {
      let from = 0;
      for (let i = 0; i < probes.length; i++) {
        const to = from + 1 + heads[from]!;
        const isPossible = hasHead(heads, from + 1, to);
        from = to;
        if (!isPossible) continue;
        const probe = probes[i]!;
        const kind = values.kind(probe.field);
        if (kind === ONE) run(probe, values.low(probe.field), report);
        else if (kind === MANY) for (const leaf of values.leaves(probe.field)) run(probe, leaf.low, report);
      }
      if (keywords) for (const leaf of values.all()) keywords(leaf.low, report);
    },
  };
}

function run({ search, isNumeric }: Probe, low: string, report: Report): void {
  search(low, report);
  if (!isNumeric) return;
  const number = parseNumber(low);
  if (Number.isNaN(number)) return;
  const text = String(number).toLowerCase();
  if (text !== low) search(text, report);
}

interface Witnesses extends Record<Place, Map<string, Set<number>>> {
  isNumeric: boolean;
}

function add(byField: Map<string | null, Witnesses>, witness: RequiredLiteral, hit: number): void {
  let witnesses = byField.get(witness.field);
  if (!witnesses) {
    witnesses = { exact: new Map(), prefix: new Map(), suffix: new Map(), within: new Map(), isNumeric: false };
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
    (['exact', 'prefix', 'suffix', 'within'] as const).flatMap((place) =>
      [...witnesses[place]].map(([literal, hits]) => ({ literal, place, hits: [...hits] })),
    ),
  );
}
