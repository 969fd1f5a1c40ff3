/**
 * Required literals of a rule: a few clauses, sets of texts of each of which at least one occurs in every matching event. Rules without a
 * clause are tried on every event of their log source; none of SigmaHQ's common shapes is among them.
 */
import type { Atom, Item, SigmaRule } from './ast.ts';
import type { Condition } from './condition.ts';
import { exactOf } from './dispatch.ts';
import { everyday, type RequiredLiteral, within } from './literals.ts';
import { foldCase } from './pattern.ts';
import { groupsOf } from './predicates.ts';
import { compileRegex } from './regex.ts';

/** Approximate probability that a text occurs in an event; used to choose among clauses. */
export type Chance = (witness: RequiredLiteral) => number;

export type Clause = RequiredLiteral[];

/** Clauses of a rule that the index holds. */
export const MAX_CLAUSES = 3;
/** Further clauses are for excluding events; likelier ones cost more than they exclude. */
const likely = 0.5;
const MAX_CLAUSE = 3_000;

/** Field whose value is known: it equals the text; undefined for none that the rules name. */
export interface Known {
  field: string;
  text: string | undefined;
}

/** Least likely clauses of the rule; none if it can match without any text, an empty one if it cannot match. */
export function clausesOf(rule: SigmaRule, chance: Chance, known?: Known): Clause[] {
  if (rule.awaits.length > 0) return [[]];
  const price = pricing(chance);
  const selections = rule.selections.map(({ alternatives }) =>
    any(
      alternatives.map((items) => items.flatMap((item) => clausesOfItem(item, price, known))),
      price,
    ),
  );
  const [first, ...others] = cheapest(clausesOfCondition(rule.condition, selections, price), price);
  return first ? [first, ...others.filter((clause) => price(clause) < likely)] : [];
}

type Price = (clause: Clause) => number;

function pricing(chance: Chance): Price {
  const known = new Map<Clause, number>();
  return (clause) => {
    const price = known.get(clause) ?? clause.reduce((sum, witness) => sum + chance(witness), 0);
    known.set(clause, price);
    return price;
  };
}

/** The most selective first. */
const cheapest = (clauses: Clause[], price: Price): Clause[] =>
  [...new Set(clauses)].sort((a, b) => price(a) - price(b)).slice(0, MAX_CLAUSES);

/** Clauses of alternatives of which one holds: each joins a clause of every alternative. */
function any(alternatives: Clause[][], price: Price): Clause[] {
  if (alternatives.length === 1) return alternatives[0]!;
  if (alternatives.some((clauses) => clauses.length === 0)) return [];
  const sorted = alternatives.map((clauses) => cheapest(clauses, price));
  const most = Math.max(...sorted.map(({ length }) => length));
  return Array.from({ length: most }, (_, rank) =>
    sorted.flatMap((clauses) => clauses[Math.min(rank, clauses.length - 1)]!),
  ).filter(({ length }) => length <= MAX_CLAUSE);
}

function clausesOfCondition(condition: Condition, selections: Clause[][], price: Price): Clause[] {
  if (condition.kind === 'selection') return selections[condition.index]!;
  if (condition.kind === 'not') return [];
  const parts = condition.parts.map((part) => clausesOfCondition(part, selections, price));
  if (condition.kind === 'and') return parts.flat();
  if (condition.kind === 'or') return any(parts, price);
  // At least `count` of n hold, so that among any n - count + 1 of them one does: the cheapest of those that have a clause.
  const usable = parts.flatMap((clauses) => cheapest(clauses, price).slice(0, 1)).sort((a, b) => price(a) - price(b));
  const needed = parts.length - condition.count + 1;
  return usable.length >= needed ? [usable.slice(0, needed).flat()] : [];
}

function clausesOfItem(item: Item, price: Price, known: Known | undefined): Clause[] {
  if (item.negated) return [];
  return groupsOf(item).flatMap((atoms) =>
    any(
      atoms.map((atom) => {
        const text = known?.field === item.field ? exactOf(atom) : undefined;
        if (text === undefined) return witnesses(item.field, atom);
        return text === known!.text ? [] : [[]];
      }),
      price,
    ),
  );
}

/** Clauses of one atom. */
function witnesses(field: string | null, atom: Atom): Clause[] {
  if (atom.op === 'number') return [[{ field, place: 'exact', text: String(atom.number).toLowerCase(), isNumber: true }]];
  if (atom.op === 'regex') {
    const { required, isBeyondAscii } = compileRegex(atom.source, atom.flags);
    const clauses = required.map((texts) => within(field, texts));
    if (isBeyondAscii && field !== null) clauses.push([{ field, place: 'beyond', text: '', isNumber: false }]);
    return clauses;
  }
  if (atom.op !== 'pattern') return [];
  const { pieces } = atom;
  if (pieces.length === 0) return field === null ? [] : [[{ field, place: 'exact', text: '', isNumber: false }]];
  return pieces.flatMap((piece, index) => {
    if (typeof piece !== 'string') return [];
    const isFirst = index === 0;
    const isLast = index === pieces.length - 1;
    const place = isFirst && isLast ? 'exact' : isFirst ? 'prefix' : isLast ? 'suffix' : 'within';
    return [[{ field, place, text: foldCase(piece), isNumber: false }]];
  });
}

/**
 * Estimates probabilities from the shape of the text and its frequency in rules: common texts (`\powershell.exe`) are used by many rules, long
 * texts are rare.
 */
export function chances(rules: SigmaRule[]): Chance {
  const uses = new Map<string, number>();
  for (const rule of rules)
    for (const { alternatives } of rule.selections)
      for (const items of alternatives)
        for (const item of items)
          for (const { atom } of item.values)
            for (const witness of witnesses(item.field, atom).flat()) {
              const key = `${witness.field} ${witness.text}`;
              uses.set(key, (uses.get(key) ?? 0) + 1);
            }
  // A text that is missing counts once.
  for (const [key, times] of uses) if (times === 1) uses.delete(key);
  const total = Math.max(rules.length, 1);
  return (witness) => {
    const { field, text, place } = witness;
    if (field === 'Channel' || field === 'Provider_Name' || field === 'EventType') return 0.5;
    if (field === 'EventID') return 0.04;
    if (place === 'beyond') return 0.02;
    const used = (uses.get(`${field} ${text}`) ?? 1) / total;
    const byLength = Math.min(0.4, 8 * 0.18 ** text.length);
    const common = everyday.includes(text) ? 0.3 : 0;
    const anchored = place === 'within' ? 1 : place === 'exact' ? 0.3 : 0.6;
    return Math.min(1, (byLength + used * 0.5 + common + 0.0002) * anchored * (field === null ? 4 : 1));
  };
}
