/**
 * Required literals of a rule: one clause per rule, a set of texts of which at least one occurs in every matching event. Rules without a
 * clause are tried on every event of their log source; none of SigmaHQ's common shapes is among them.
 */
import type { Atom, Item, SigmaRule } from './ast.ts';
import type { Condition } from './condition.ts';
import { type RequiredLiteral, within } from './literals.ts';
import { fold } from './pattern.ts';
import { groupsOf } from './predicates.ts';
import { compileRegex } from './regex.ts';

/** Approximate probability that a text occurs in an event; used to choose among clauses. */
export type Chance = (witness: RequiredLiteral) => number;

/** Least likely clause of the rule, or undefined if it can match without any text. */
export function clauseOf(rule: SigmaRule, chance: Chance): RequiredLiteral[] | undefined {
  if (rule.awaits.length > 0) return [];
  const selections = rule.selections.map(({ alternatives }) =>
    union(
      alternatives.map((items) =>
        best(
          items.map((item) => clauseOfItem(item, chance)),
          chance,
        ),
      ),
    ),
  );
  return clauseOfCondition(rule.condition, selections, chance);
}

function clauseOfCondition(
  condition: Condition,
  selections: (RequiredLiteral[] | undefined)[],
  chance: Chance,
): RequiredLiteral[] | undefined {
  if (condition.kind === 'selection') return selections[condition.index];
  if (condition.kind === 'not') return undefined;
  const parts = condition.parts.map((part) => clauseOfCondition(part, selections, chance));
  if (condition.kind === 'and') return best(parts, chance);
  if (condition.kind === 'or') return union(parts);
  // At least `count` of n hold, so that among any n - count + 1 of them one does: the cheapest of those that have a clause.
  const usable = parts.filter((part) => part !== undefined).sort((a, b) => cost(a, chance) - cost(b, chance));
  const needed = parts.length - condition.count + 1;
  return usable.length >= needed ? usable.slice(0, needed).flat() : undefined;
}

const MAX_CLAUSE = 3_000;

function union(clauses: (RequiredLiteral[] | undefined)[]): RequiredLiteral[] | undefined {
  const all: RequiredLiteral[] = [];
  for (const clause of clauses) {
    if (!clause) return undefined;
    all.push(...clause);
  }
  return all.length > MAX_CLAUSE ? undefined : all;
}

function best(clauses: (RequiredLiteral[] | undefined)[], chance: Chance): RequiredLiteral[] | undefined {
  let chosen: RequiredLiteral[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const clause of clauses) {
    const price = clause ? cost(clause, chance) : Number.POSITIVE_INFINITY;
    if (price < least) {
      least = price;
      chosen = clause;
    }
  }
  return chosen;
}

const cost = (clause: RequiredLiteral[], chance: Chance): number => clause.reduce((sum, witness) => sum + chance(witness), 0);

function clauseOfItem(item: Item, chance: Chance): RequiredLiteral[] | undefined {
  if (item.negated) return undefined;
  return best(
    groupsOf(item).map((atoms) => union(atoms.map((atom) => witnesses(item.field, atom)))),
    chance,
  );
}

function witnesses(field: string | null, atom: Atom): RequiredLiteral[] | undefined {
  if (atom.op === 'number') return [{ field, place: 'exact', text: String(atom.number).toLowerCase(), isNumber: true }];
  if (atom.op === 'regex') {
    const [first] = compileRegex(atom.source, atom.flags).required;
    return first && within(field, first);
  }
  if (atom.op !== 'pattern') return undefined;
  const { pieces } = atom;
  if (pieces.length === 0) return field === null ? undefined : [{ field, place: 'exact', text: '', isNumber: false }];
  let longest = -1;
  pieces.forEach((piece, index) => {
    if (typeof piece === 'string' && (longest < 0 || piece.length > (pieces[longest] as string).length)) longest = index;
  });
  if (longest < 0) return undefined;
  const text = fold(pieces[longest] as string);
  const isFirst = longest === 0;
  const isLast = longest === pieces.length - 1;
  return [
    { field, place: isFirst && isLast ? 'exact' : isFirst ? 'prefix' : isLast ? 'suffix' : 'within', text, isNumber: false },
  ];
}

/** Texts that occur in most logs. */
const COMMON = (
  '.exe .dll windows system32 \\windows\\ c:\\windows \\users\\ \\appdata\\ \\temp\\ program files \\microsoft\\ microsoft http https powershell ' +
  'cmd.exe svchost explorer.exe services.exe system rundll32 currentversion hklm hkcu software true false null admin .com .ps1 /c /k'
).split(' ');
const COMMON_SET = new Set(COMMON);

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
            for (const witness of witnesses(item.field, atom) ?? []) {
              const key = `${witness.field} ${witness.text}`;
              uses.set(key, (uses.get(key) ?? 0) + 1);
            }
  const total = Math.max(rules.length, 1);
  return (witness) => {
    const { field, text, place } = witness;
    if (field === 'Channel' || field === 'Provider_Name' || field === 'EventType') return 0.5;
    if (field === 'EventID') return 0.04;
    const used = (uses.get(`${field} ${text}`) ?? 1) / total;
    const byLength = 0.4 * 0.72 ** text.length;
    const common = COMMON_SET.has(text) ? 0.3 : 0;
    const anchored = place === 'within' ? 1 : place === 'exact' ? 0.3 : 0.6;
    return Math.min(1, (byLength + used * 0.5 + common + 0.0002) * anchored * (field === null ? 4 : 1));
  };
}
