/**
 * Dispatch of a log source's events by the field that the majority of its rules compare with fixed values: an event ID, an operation. Each value has an
 * index of its own, without the rules that ask for another one and without the fields of those.
 */
import type { Atom, Item, SigmaRule } from './ast.ts';
import type { Condition } from './condition.ts';
import { parseNumber } from './modifiers.ts';
import { foldCase } from './pattern.ts';
import { groupsOf } from './predicates.ts';

export interface Dispatch {
  field: string;
  /** Folded. */
  values: ReadonlySet<string>;
  /** Of each rule, those of which the field has one in every event that matches; undefined if other values match too. */
  wanted: (readonly string[] | undefined)[];
}

/** A part of the rules that is worth an index for each value, and the number of indexes that a source may have. */
const minShare = 0.25;
const minRules = 4;
const maxValues = 500;

/** Undefined if no field divides the rules well. */
export function dispatchOf(rules: readonly SigmaRule[]): Dispatch | undefined {
  const uses = new Map<string, number>();
  for (const rule of rules)
    for (const field of new Set(rule.selections.flatMap(fieldsOf))) uses.set(field, (uses.get(field) ?? 0) + 1);
  let best: Dispatch | undefined;
  let bestScore = Math.max(minRules, minShare * rules.length);
  for (const [field, count] of uses) {
    if (count <= bestScore) continue;
    const wanted = rules.map((rule) => wantedBy(rule, field));
    const known = wanted.filter((own) => own !== undefined);
    const values = new Set(known.flat());
    if (values.size > maxValues) continue;
    const score = known.reduce((sum, own) => sum + 1 - own.length / values.size, 0);
    if (score <= bestScore) continue;
    best = { field, values, wanted };
    bestScore = score;
  }
  return best;
}

/** Value as the rules write it; undefined if they may write it in another way (`07`). */
export function canonical(value: string): string | undefined {
  const number = parseNumber(value);
  return Number.isNaN(number) || String(number).toLowerCase() === value ? value : undefined;
}

/** The text that an atom equals, folded. */
export function exactOf(atom: Atom): string | undefined {
  if (atom.op === 'number') return String(atom.number).toLowerCase();
  if (atom.op !== 'pattern' || atom.pieces.length > 1) return undefined;
  const [piece = ''] = atom.pieces;
  return typeof piece === 'string' ? foldCase(piece) : undefined;
}

const fieldsOf = ({ alternatives }: SigmaRule['selections'][number]): string[] =>
  alternatives.flatMap((items) =>
    items.flatMap(({ field, negated, values }) =>
      field !== null && !negated && values.every(({ atom }) => exactOf(atom) !== undefined) ? [field] : [],
    ),
  );

/** Values of which the field has one in every event that matches. */
function wantedBy(rule: SigmaRule, field: string): Wanted {
  const selections = rule.selections.map(({ alternatives }) =>
    union(alternatives.map((items) => fewest(items.map((item) => wantedByItem(item, field))))),
  );
  return wantedByCondition(rule.condition, selections);
}

type Wanted = string[] | undefined;

function wantedByCondition(condition: Condition, selections: readonly Wanted[]): Wanted {
  if (condition.kind === 'selection') return selections[condition.index];
  if (condition.kind === 'not') return undefined;
  const parts = condition.parts.map((part) => wantedByCondition(part, selections));
  return condition.kind === 'and' ? fewest(parts) : union(parts);
}

function wantedByItem(item: Item, field: string): Wanted {
  if (item.field !== field || item.negated) return undefined;
  return fewest(groupsOf(item).map((atoms) => union(atoms.map((atom) => [exactOf(atom)].filter((text) => text !== undefined)))));
}

/** Of parts of which one holds. */
const union = (parts: readonly Wanted[]): Wanted =>
  parts.length > 0 && parts.every((part) => part !== undefined && part.length > 0)
    ? [...new Set(parts.flat() as string[])]
    : undefined;

/** All of the parts hold. */
const fewest = (parts: readonly Wanted[]): Wanted =>
  parts.reduce((best, part) => (part && (!best || part.length < best.length) ? part : best), undefined);
