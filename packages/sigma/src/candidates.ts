/**
 * Candidate index of a rule set: one pass over each field with required literals yields the few rules that the current event could match.
 * The index never decides a match; the rule's own test does.
 */
import { type Report, type Search, searchAnywhere, searchPrefix, searchSuffix } from './automaton.ts';
import type { Place, RequiredLiteral } from './literals.ts';
import { parseNumber } from './modifiers.ts';
import { MANY, ONE, type Values } from './values.ts';

/** Maximum literal length; longer ones are truncated, which keeps the tables small and stays selective. */
const MAX_TEXT = 20;

export interface CandidateIndex {
  /** Rules to try on every event. */
  always: Int32Array;
  /** Fields that are read of every event. */
  fields: readonly string[];
  /** Reports rules whose required literals occur in the current event; a rule may be reported more than once. */
  collect(report: Report): void;
}

interface Probe {
  field: number;
  exact: Map<string, Int32Array> | undefined;
  isNumeric: boolean;
  searches: Search[];
}

/** @param clauses one for each rule, in the order of their numbers; undefined for rules to be tried always */
export function candidateIndex(clauses: (RequiredLiteral[] | undefined)[], numbers: number[], values: Values): CandidateIndex {
  const always: number[] = [];
  const byField = new Map<string | null, Witnesses>();
  clauses.forEach((clause, index) => {
    const rule = numbers[index]!;
    if (!clause) always.push(rule);
    for (const witness of clause ?? []) add(byField, witness, rule);
  });
  const probes: Probe[] = [];
  let keywords: Search[] = [];
  for (const [field, witnesses] of byField) {
    if (field === null) keywords = searchesOf(witnesses);
    else
      probes.push({
        field: values.fieldNumber(field),
        exact: witnesses.exact.size > 0 ? frozen(witnesses.exact) : undefined,
        isNumeric: witnesses.isNumeric,
        searches: searchesOf(witnesses),
      });
  }
  return {
    always: Int32Array.from(always),
    fields: [...byField.keys()].filter((field) => field !== null),
    collect(report) {
      for (let i = 0; i < probes.length; i++) {
        const probe = probes[i]!;
        const kind = values.kind(probe.field);
        if (kind === ONE) run(probe, values.low(probe.field), report);
        else if (kind === MANY) for (const leaf of values.leaves(probe.field)) run(probe, leaf.low, report);
      }
      if (keywords.length > 0) for (const leaf of values.all()) for (const search of keywords) search(leaf.low, report);
    },
  };
}

function run(probe: Probe, low: string, report: Report): void {
  const { exact, searches } = probe;
  if (exact !== undefined) {
    const hits = exact.get(low);
    if (hits !== undefined) report(hits);
    if (probe.isNumeric) {
      const number = parseNumber(low);
      if (!Number.isNaN(number)) {
        const text = String(number).toLowerCase();
        const others = text === low ? undefined : exact.get(text);
        if (others !== undefined) report(others);
      }
    }
  }
  for (let i = 0; i < searches.length; i++) searches[i]!(low, report);
}

interface Witnesses extends Record<Place, Map<string, Set<number>>> {
  isNumeric: boolean;
}

function add(byField: Map<string | null, Witnesses>, witness: RequiredLiteral, rule: number): void {
  let witnesses = byField.get(witness.field);
  if (!witnesses) {
    witnesses = { exact: new Map(), prefix: new Map(), suffix: new Map(), within: new Map(), isNumeric: false };
    byField.set(witness.field, witnesses);
  }
  // Keywords match anywhere in the event, so prefixes and suffixes do not apply.
  const place = witness.field === null ? 'within' : witness.place;
  const { text } = witness;
  const cut = place === 'exact' ? text : place === 'suffix' ? text.slice(-MAX_TEXT) : text.slice(0, MAX_TEXT);
  const rules = witnesses[place].get(cut) ?? new Set();
  rules.add(rule);
  witnesses[place].set(cut, rules);
  if (witness.isNumber) witnesses.isNumeric = true;
}

function frozen(texts: Map<string, Set<number>>): Map<string, Int32Array> {
  return new Map([...texts].map(([text, rules]) => [text, Int32Array.from(rules)]));
}

function searchesOf({ prefix, suffix, within }: Witnesses): Search[] {
  const literals = (texts: Map<string, Set<number>>) => [...texts].map(([literal, rules]) => ({ literal, hits: [...rules] }));
  const searches: Search[] = [];
  if (prefix.size > 0) searches.push(searchPrefix(literals(prefix)));
  if (suffix.size > 0) searches.push(searchSuffix(literals(suffix)));
  if (within.size > 0) searches.push(searchAnywhere(literals(within)));
  return searches;
}
