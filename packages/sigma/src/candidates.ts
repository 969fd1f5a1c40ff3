/**
 * Candidate index of a rule set: one pass over each field with required literals yields the few rules that the current event could match,
 * those of whose clauses each has a literal in it. The index never decides a match; the rule's own test does.
 */
import { type Place as Location, present, slots } from './fields.ts';
import type { Layout } from './layouts.ts';
import type { Place, RequiredLiteral } from './literals.ts';
import type { View } from './logsource.ts';
import { parseNumber } from './modifiers.ts';
import { type Clause, MAX_CLAUSES } from './prefilter.ts';
import { type LiteralHits, packedSearches, type Report, type Searches } from './search.ts';
import type { Document } from './source.ts';
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
  /** Of its search. */
  place: number;
}

/** Probe with the locations of its field in the events of a layout. */
export interface LiveProbe extends Probe {
  places: readonly Location[];
  /** Slot of the first location, if that is a first or a second key; else -1. */
  slot: number;
  base: Location['base'];
  key: string;
  /** The second key, if the first location has one. */
  inner: string | undefined;
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
  const { always, fields, places, run } = packedClauses(clauses, numbers);
  const probes = fields.flatMap(({ name, isNumeric }, at): Probe[] =>
    name === null ? [] : [{ field: values.field(name), isNumeric, place: places[at]! }],
  );
  const keywords = places[fields.findIndex(({ name }) => name === null)];
  const search = ({ isNumeric, place }: Probe, value: string, report: Report): void => {
    run(place, value, report);
    if (!isNumeric) return;
    const text = otherSpelling(value);
    if (text !== undefined) run(place, text, report);
  };
  return {
    always,
    collect(report, layout) {
      layout.live ??= probes.flatMap((probe) => liveProbe(probe, values.places(probe.field)));
      const { live } = layout;
      for (let i = 0; i < live.length; i++) {
        const probe = live[i]!;
        const text = textAt(probe, values.view);
        if (text !== undefined) {
          search(probe, text, report);
          continue;
        }
        const { field } = probe;
        const kind = values.kindAt(field, probe.places);
        if (kind === ONE) search(probe, String(field.raw), report);
        else if (kind === MANY) for (const leaf of field.leaves) search(probe, leaf.low, report);
      }
      if (keywords !== undefined) for (const leaf of values.all()) run(keywords, leaf.low, report);
    },
  };
}

interface PackedClauses extends Searches {
  always: Int32Array;
  /** In the order of the searches; null for keywords. */
  fields: { name: string | null; isNumeric: boolean }[];
}

/** Apart from the index, which would otherwise keep the texts beside the tables. */
function packedClauses(clauses: Clause[][], numbers: number[]): PackedClauses {
  const always: number[] = [];
  const byField = new Map<string | null, Witnesses>();
  clauses.forEach((own, index) => {
    const rule = numbers[index]!;
    if (own.length === 0) always.push(hitOf(rule, 0, 1));
    own.forEach((clause, at) => {
      for (const witness of clause) add(byField, witness, hitOf(rule, at, own.length));
    });
  });
  return {
    ...packedSearches([...byField.values()].map(literalsOf)),
    always: Int32Array.from(always),
    fields: [...byField].map(([name, { isNumeric }]) => ({ name, isNumeric })),
  };
}

/** None if no event of the layout has the field. */
function liveProbe(probe: Probe, places: readonly Location[]): LiveProbe[] {
  const [first] = places;
  if (!first) return [];
  const { base, keys, slot } = first;
  const [key = '', inner, ...more] = keys;
  // A name as an array's elements have it would be read from one.
  const isPlain = more.length === 0 && (inner === undefined || /^[a-z_]/i.test(inner)) && inner !== 'length';
  return [{ ...probe, places, slot: isPlain ? slot : -1, base, key, inner }];
}

/** Value of a first location that holds a text, as most do: read without the field, which tests may never need. */
function textAt({ slot, base, key, inner }: LiveProbe, view: View): string | undefined {
  if (slot === -1) return undefined;
  let value = slot === present ? view[base]![key] : slots[slot];
  if (inner !== undefined) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Document)[inner];
  }
  return typeof value === 'string' ? value : undefined;
}

/** Shortest text of a number that is written in another way. */
function otherSpelling(value: string): string | undefined {
  const number = parseNumber(value);
  if (Number.isNaN(number)) return undefined;
  const text = String(number).toLowerCase();
  return text === value ? undefined : text;
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

const literalsOf = (witnesses: Witnesses): LiteralHits[] =>
  (['exact', 'prefix', 'suffix', 'within', 'beyond'] as const).flatMap((place) =>
    [...witnesses[place]].map(([literal, hits]) => ({ literal, place, hits: [...hits] })),
  );
