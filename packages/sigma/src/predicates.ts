/** Items and conditions as functions over the values of an event. */
import type { Atom, Comparison, Item, SigmaRule, TimePart } from './ast.ts';
import type { Condition } from './condition.ts';
import type { Gate, Gates } from './gates.ts';
import { inNetwork, parseNetwork } from './ip.ts';
import { parseNumber } from './modifiers.ts';
import { foldCase, testOf } from './pattern.ts';
import { compileRegex } from './regex.ts';
import { ABSENT, type Field, type Leaf, MANY, NULL, ONE, type Scalar, type Values } from './values.ts';

/** Test of the current event. */
export type EventTest = () => boolean;
/** Test of one value, original and folded. */
export type LeafTest = (raw: Scalar, low: string) => boolean;

/** Test of a rule, regardless of its log source. With gates, its expressions run only while theirs are open. */
export function ruleTest(rule: SigmaRule, values: Values, gates?: Gates): EventTest {
  if (rule.awaits.length > 0) return () => false;
  return conditionTest(rule.condition, selectionTests(rule, values, gates));
}

/** Test of each selection, in their order. */
export const selectionTests = (rule: SigmaRule, values: Values, gates?: Gates): EventTest[] =>
  rule.selections.map(({ alternatives }) =>
    some(alternatives.map((items) => every(items.map((item) => itemTest(item, values, gates))))),
  );

export function conditionTest(condition: Condition, selections: EventTest[]): EventTest {
  if (condition.kind === 'selection') return selections[condition.index]!;
  if (condition.kind === 'not') {
    const part = conditionTest(condition.part, selections);
    return () => !part();
  }
  const parts = condition.parts.map((part) => conditionTest(part, selections));
  if (condition.kind === 'and') return every(parts);
  if (condition.kind === 'or') return some(parts);
  const { count } = condition;
  return () => {
    let found = 0;
    for (const part of parts) if (part() && ++found >= count) return true;
    return false;
  };
}

function every(tests: EventTest[]): EventTest {
  if (tests.length === 1) return tests[0]!;
  const [first, second] = tests;
  if (tests.length === 2) return () => first!() && second!();
  return () => {
    for (let i = 0; i < tests.length; i++) if (!tests[i]!()) return false;
    return true;
  };
}

function some(tests: EventTest[]): EventTest {
  if (tests.length === 1) return tests[0]!;
  return () => {
    for (let i = 0; i < tests.length; i++) if (tests[i]!()) return true;
    return false;
  };
}

/**
 * An absent field (or a null) matches only `null` and `exists: false`, also under `neq`: an absent value differs from nothing.
 * A list matches if any of its elements does; under `all` each value may be matched by another element.
 */
export function itemTest(item: Item, values: Values, gates?: Gates): EventTest {
  const positive = positiveTest(item, values, gates);
  if (!item.negated) return positive;
  if (item.field === null) return () => !positive();
  const field = values.field(item.field);
  return () => isThere(values.kind(field)) && !positive();
}

function positiveTest(item: Item, values: Values, gates: Gates | undefined): EventTest {
  const groups = groupsOf(item);
  const tests = groups.map((atoms) => groupTest(item.field, atoms, values, gates));
  return item.all ? every(tests) : some(tests);
}

/** Atoms of which any is enough; under `all` one group for each value as written, else all in one. */
export function groupsOf(item: Item): Atom[][] {
  const atoms = item.values.map(({ atom }) => atom);
  if (!item.all) return [atoms];
  if (!item.groups) return atoms.map((atom) => [atom]);
  let from = 0;
  return item.groups.map((size) => {
    const group = atoms.slice(from, from + size);
    from += size;
    return group;
  });
}

function groupTest(name: string | null, atoms: Atom[], values: Values, gates: Gates | undefined): EventTest {
  if (name === null) {
    const leaf = leafTest(atoms);
    return () => anyLeaf(values.all(), leaf);
  }
  const field = values.field(name);
  const plainTest = (some: Atom[]): EventTest => {
    const leaf = leafTest(some);
    return () => {
      const kind = values.kind(field);
      if (kind === ONE) return leaf(field.raw, values.low(field));
      return kind === MANY && anyLeaf(field.leaves, leaf);
    };
  };
  const gated = atoms.flatMap((atom) => {
    const own = gatesOf(name, atom, gates);
    return own.length > 0 ? [{ atom, own }] : [];
  });
  const plain = atoms.filter((atom) => !isSpecial(atom) && !gated.some((each) => each.atom === atom));
  return some([
    ...specialTest(atoms, field, values),
    ...(plain.length > 0 ? [plainTest(plain)] : []),
    ...gated.map(({ atom, own }) => behind(own, plainTest([atom]))),
  ]);
}

function gatesOf(field: string, atom: Atom, gates: Gates | undefined): Gate[] {
  return gates && atom.op === 'regex' ? gates.of(field, compileRegex(atom.source, atom.flags).required) : [];
}

function behind(gates: Gate[], test: EventTest): EventTest {
  return () => {
    for (let i = 0; i < gates.length; i++) if (!gates[i]!.isOpen) return false;
    return test();
  };
}

/** A null counts as absent, as for Elasticsearch's `exists`: an empty element of an EVTX record becomes null. */
const isThere = (kind: number): boolean => kind !== ABSENT && kind !== NULL;

function anyLeaf(leaves: Leaf[], test: LeafTest): boolean {
  for (let i = 0; i < leaves.length; i++) if (test(leaves[i]!.raw, leaves[i]!.low)) return true;
  return false;
}

/** Atoms about more than one value: existence, or comparison with another field. */
function specialTest(atoms: Atom[], field: Field, values: Values): EventTest[] {
  const tests: EventTest[] = [];
  for (const atom of atoms) {
    if (atom.op === 'null') tests.push(() => values.kind(field) === ABSENT || values.kind(field) === NULL);
    else if (atom.op === 'exists') tests.push(() => isThere(values.kind(field)) === atom.expected);
    else if (atom.op === 'fieldref') tests.push(referenceTest(atom, field, values));
  }
  return tests;
}

function referenceTest(atom: Extract<Atom, { op: 'fieldref' }>, field: Field, values: Values): EventTest {
  const other = values.field(atom.field);
  const { position, cased } = atom;
  const holds = (left: string, right: string): boolean => {
    if (position === 'contains') return left.includes(right);
    if (position === 'startswith') return left.startsWith(right);
    return position === 'endswith' ? left.endsWith(right) : left === right;
  };
  return () => {
    const rights = leavesOf(other, values);
    return leavesOf(field, values).some((left) =>
      rights.some((right) => (cased ? holds(String(left.raw), String(right.raw)) : holds(left.low, right.low))),
    );
  };
}

export function leavesOf(field: Field, values: Values): Leaf[] {
  const kind = values.kind(field);
  if (kind === ONE) return [{ raw: field.raw, low: values.low(field) }];
  return kind === MANY ? field.leaves : [];
}

const isSpecial = ({ op }: Atom): boolean => op === 'null' || op === 'exists' || op === 'fieldref';

/** True if any of the atoms matches the value. Plain texts of one kind are tested in one loop. */
function leafTest(atoms: Atom[]): LeafTest {
  const exact = new Set<string>();
  const ends: string[] = [];
  const starts: string[] = [];
  const within: string[] = [];
  const tests: LeafTest[] = [];
  for (const atom of atoms.filter((each) => !isSpecial(each))) {
    if (atom.op !== 'pattern' || atom.cased) {
      tests.push(atomTest(atom));
      continue;
    }
    const [first, second, third] = atom.pieces;
    const size = atom.pieces.length;
    if (size === 0) exact.add('');
    else if (size === 1 && typeof first === 'string') exact.add(foldCase(first));
    else if (size === 2 && typeof first === 'string' && second === 1) starts.push(foldCase(first));
    else if (size === 2 && first === 1 && typeof second === 'string') ends.push(foldCase(second));
    else if (size === 3 && first === 1 && typeof second === 'string' && third === 1) within.push(foldCase(second));
    else tests.push(atomTest(atom));
  }
  if (exact.size === 1) {
    const [only] = exact;
    tests.unshift((_raw, low) => low === only);
  } else if (exact.size > 1) tests.unshift((_raw, low) => exact.has(low));
  if (ends.length > 0) tests.unshift(anyOf(ends, (low, text) => low.endsWith(text)));
  if (starts.length > 0) tests.unshift(anyOf(starts, (low, text) => low.startsWith(text)));
  if (within.length > 0) tests.push(anyOf(within, (low, text) => low.includes(text)));
  if (tests.length === 1) return tests[0]!;
  return (raw, low) => {
    for (let i = 0; i < tests.length; i++) if (tests[i]!(raw, low)) return true;
    return false;
  };
}

function anyOf(texts: string[], holds: (low: string, text: string) => boolean): LeafTest {
  return (_raw, low) => {
    for (let i = 0; i < texts.length; i++) if (holds(low, texts[i]!)) return true;
    return false;
  };
}

/** The test of one atom against one value; `null`, `exists` and `fieldref` match no value of their own. */
export function atomTest(atom: Atom): LeafTest {
  if (atom.op === 'pattern') {
    if (atom.cased) {
      const test = testOf(atom.pieces);
      return (raw) => test(String(raw));
    }
    const test = testOf(atom.pieces.map((piece) => (typeof piece === 'string' ? foldCase(piece) : piece)));
    return (_raw, low) => test(low);
  }
  if (atom.op === 'number') {
    const { number } = atom;
    const text = String(number).toLowerCase();
    return (raw, low) =>
      low === text || (typeof raw === 'number' ? raw === number : typeof raw === 'string' && parseNumber(low) === number);
  }
  if (atom.op === 'regex') {
    const regex = compileRegex(atom.source, atom.flags);
    return (raw) => regex.test(String(raw));
  }
  if (atom.op === 'cidr') {
    const network = parseNetwork(atom.network);
    return (raw) => typeof raw === 'string' && inNetwork(network, raw);
  }
  if (atom.op === 'compare')
    return (raw, low) => compare(typeof raw === 'number' ? raw : parseNumber(low), atom.comparison, atom.number);
  if (atom.op === 'time') return (raw) => compare(timePart(raw, atom.part), atom.comparison, atom.number);
  return () => false;
}

/** False for NaN. */
function compare(value: number, comparison: Comparison | 'eq', limit: number): boolean {
  if (comparison === 'lt') return value < limit;
  if (comparison === 'lte') return value <= limit;
  if (comparison === 'gt') return value > limit;
  return comparison === 'gte' ? value >= limit : value === limit;
}

/** A part of an ISO 8601 time or of Unix seconds or milliseconds, in UTC; the week is that of ISO 8601. NaN if it is no time. */
function timePart(raw: Scalar, part: TimePart): number {
  const date = new Date(timeOf(raw));
  if (Number.isNaN(date.getTime())) return Number.NaN;
  if (part === 'minute') return date.getUTCMinutes();
  if (part === 'hour') return date.getUTCHours();
  if (part === 'day') return date.getUTCDate();
  if (part === 'month') return date.getUTCMonth() + 1;
  if (part === 'year') return date.getUTCFullYear();
  const thursday = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  return Math.ceil(((thursday - Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)) / 86_400_000 + 1) / 7);
}

/** Milliseconds since 1970; a time without a zone is taken as UTC. */
export function timeOf(raw: unknown): number {
  if (typeof raw === 'number') return raw > 100_000_000_000 ? raw : raw * 1000;
  if (typeof raw !== 'string' || raw.length > 64) return Number.NaN;
  const text = raw.trim();
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text);
  if (!found) return /^\d{9,13}$/.test(text) ? timeOf(Number(text)) : Date.parse(text);
  const [, day, time = '00:00', zone = 'Z'] = found;
  return Date.parse(
    `${day}T${time.replace(/(\.\d{3})\d+/, '$1')}${/^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`,
  );
}
