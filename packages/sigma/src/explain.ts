/** Match explanation: each matching item with its value and the field name as found in the event. */
import type { Atom, Item, Piece, SigmaRule } from './ast.ts';
import { ANY_CHAR, STAR } from './ast.ts';
import type { Condition } from './condition.ts';
import { readPlace } from './fields.ts';
import { atomTest, conditionTest, itemTest, leavesOf } from './predicates.ts';
import type { Values } from './values.ts';

export interface ExplainedItem {
  /** The search identifier. */
  selection: string;
  /** As found in the event (`process.command_line`), as the rule has it if the event has none; null for keywords. */
  field: string | null;
  /** The modifiers as written; empty for equality. */
  modifier: string;
  pattern: string;
  /** The event's value, at most 4,000 characters; empty if the field is absent. */
  value: string;
}

export interface Explanation {
  /** The condition as written; several are joined by ` or `. */
  condition: string;
  items: ExplainedItem[];
}

const MAX_VALUE = 4_000;
const MAX_ITEMS = 200;

/** Explains the current event in `values`. */
export function explainRule(rule: SigmaRule, values: Values): Explanation {
  const condition = rule.conditions.length === 1 ? rule.conditions[0]! : rule.conditions.map((text) => `(${text})`).join(' or ');
  const items: ExplainedItem[] = [];
  const holding = rule.selections.map(({ alternatives }) =>
    alternatives.filter((each) => each.every((item) => itemTest(item, values)())),
  );
  const matches = conditionTest(
    rule.condition,
    holding.map((alternatives) => () => alternatives.length > 0),
  )();
  if (!matches) return { condition, items };
  const wanted = new Set<number>();
  collect(rule.condition, wanted);
  for (const index of wanted) {
    const { name } = rule.selections[index]!;
    for (const alternative of holding[index]!) for (const item of alternative) items.push(...explainItem(name, item, values));
  }
  return { condition, items: items.slice(0, MAX_ITEMS) };
}

/** Selections outside any `not`. */
function collect(condition: Condition, wanted: Set<number>): void {
  if (condition.kind === 'selection') wanted.add(condition.index);
  else if (condition.kind !== 'not') for (const part of condition.parts) collect(part, wanted);
}

function explainItem(selection: string, item: Item, values: Values): ExplainedItem[] {
  const { field: name, modifiers: modifier } = item;
  const found = name === null ? null : whereIs(name, values);
  const leaves = name === null ? values.all() : leavesOf(values.field(name), values);
  const result: ExplainedItem[] = [];
  for (const { atom, written } of item.values) {
    const test = atomTest(atom);
    const leaf = item.negated ? leaves[0] : leaves.find(({ raw, low }) => test(raw, low));
    if (!leaf && !isSpecial(atom) && !item.negated) continue;
    if (
      isSpecial(atom) &&
      !item.negated &&
      !itemTest({ ...item, values: [{ atom, written }], all: false, groups: undefined }, values)()
    )
      continue;
    const value = leaf ?? leaves[0];
    result.push({
      selection,
      field: found,
      modifier,
      pattern: written || shown(atom),
      value: value === undefined ? '' : String(value.raw).slice(0, MAX_VALUE),
    });
    if (!item.all) break;
  }
  return result;
}

const isSpecial = ({ op }: Atom): boolean => op === 'null' || op === 'exists' || op === 'fieldref';

function whereIs(field: string, values: Values): string {
  for (const place of values.places(values.field(field))) if (readPlace(place, values.view) !== undefined) return place.name;
  return field;
}

function shown(atom: Atom): string {
  if (atom.op === 'pattern') return atom.pieces.map(pieceText).join('');
  return atom.op === 'null' ? 'null' : '';
}

const pieceText = (piece: Piece): string =>
  typeof piece === 'string' ? piece : piece === STAR ? '*' : piece === ANY_CHAR ? '?' : '-';
