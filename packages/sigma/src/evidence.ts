/**
 * Three-valued evaluation of a rule over the fields that events of one kind were seen with: false only where the rule cannot match whatever the
 * values of the fields that arrive. Strong Kleene logic: https://en.wikipedia.org/wiki/Three-valued_logic#Kleene_and_Priest_logics
 */
import type { Atom, Correlation, Item, SigmaRule } from './ast.ts';
import type { Condition } from './condition.ts';
import { places, readField } from './fields.ts';
import type { View } from './logsource.ts';
import { foldCase } from './pattern.ts';
import { atomTest, groupsOf } from './predicates.ts';
import { accepts, type Source } from './source.ts';

/** A kind of events: a log source and the value of its code field, such as an event ID. */
export interface EventKind {
  source: Pick<Source, 'shape' | 'products' | 'services' | 'categories'>;
  /** Undefined where the source has no code field, or the value is not known. */
  code: { field: string; value: string } | undefined;
}

/** Text of a source, for keys and tables; `?` stands for a part that is not known. */
export const sourceText = ({ shape, products, services, categories }: EventKind['source']): string =>
  [shape, ...[products, services, categories].map((part) => (part ? part.join() : '?'))].join('|');

/** The reverse of `sourceText`. */
export function parseSource(text: string): EventKind['source'] {
  const [shape, ...parts] = text.split('|');
  const [products, services, categories] = parts.map((part) => (part === '?' ? undefined : part.split(',').filter(Boolean)));
  return { shape: shape as Source['shape'], products, services, categories };
}

/** missing: enough events without it; unknown: too few to judge. */
export type FieldState = 'seen' | 'missing' | 'unknown';
export type StateOf = (field: string) => FieldState;

/** Undefined: it depends on values. */
type Truth = boolean | undefined;

const maxCode = 100;

/** Fields whose value names the kind of an event, so that other fields may depend on it. */
const codeFields = new Set([
  'EventID',
  'EventCode',
  'event.code',
  'eventName',
  'eventType',
  'eventtype',
  'event_type',
  'Operation',
  'operationName',
  'activityDisplayName',
  'event.action',
  'action',
  'auditd.message_type',
  'EventType',
  'type',
]);

/** The code field that most of these rules test, the first of several. */
export function codeFieldOf(rules: readonly SigmaRule[]): string | undefined {
  const counts = new Map<string, number>();
  for (const rule of rules)
    for (const field of fieldsOf(rule)) if (codeFields.has(field)) counts.set(field, (counts.get(field) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Fields that the rule reads, in the order of its text. */
export function fieldsOf(rule: Pick<SigmaRule, 'selections'>): Set<string> {
  const found = new Set<string>();
  for (const { alternatives } of rule.selections)
    for (const { field, values } of alternatives.flat()) {
      if (field === null) continue;
      found.add(field);
      for (const { atom } of values) if (atom.op === 'fieldref') found.add(atom.field);
    }
  return found;
}

/** True for a value other than null and the empty text, as a rule reads the field of the event in the view. */
export function isPresent(shape: Source['shape'], field: string, view: View): boolean {
  const value = readField(places(shape, field), view);
  return Array.isArray(value) ? value.some(isFilled) : isFilled(value);
}

const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** False for an empty text too. */
export const isPrintable = (text: string, maxLength: number): boolean =>
  text.length > 0 && text.length <= maxLength && !/\p{C}/u.test(text);

/** Value of a code field; undefined for none, a list, or a text that is long or not printable. */
export function codeOf(shape: Source['shape'], field: string, view: View): string | undefined {
  const value = readField(places(shape, field), view);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return isPrintable(text, maxCode) ? text : undefined;
}

/** True if the events are known to be of the rule’s log source, each part that it names included. */
export const isIdentified = ({ source }: EventKind, { logsource: { product, service, category } }: SigmaRule): boolean =>
  includes(product, source.products) && includes(service, source.services) && includes(category, source.categories);

const includes = (wanted: string | undefined, named: readonly string[] | undefined): boolean =>
  wanted === undefined || named?.includes(wanted) === true;

/** other: not of the rule’s log source, or with another code; blocked: no event of the kind can match, because fields are missing. */
export type Verdict = 'other' | 'possible' | 'blocked';

/** @param needed fields that the event must have beside the rule’s condition, such as those by which a correlation groups */
export function judge(rule: SigmaRule, kind: EventKind, stateOf: StateOf, needed: readonly string[] = []): Verdict {
  if (!accepts(kind.source, rule.logsource) || truthOf(rule, kind, () => 'seen') === false) return 'other';
  return canMatch(rule, kind, stateOf, needed) ? 'possible' : 'blocked';
}

/** As `judge`, for a rule that is known to be of the kind. */
export const canMatch = (rule: SigmaRule, kind: EventKind, stateOf: StateOf, needed: readonly string[]): boolean =>
  needed.every((field) => stateOf(field) !== 'missing') && truthOf(rule, kind, stateOf) !== false;

/** A smallest set of missing fields with which a blocked rule could match. */
export function missingFields(rule: SigmaRule, kind: EventKind, stateOf: StateOf, needed: readonly string[] = []): string[] {
  const all = [...new Set([...fieldsOf(rule), ...needed])].filter((field) => stateOf(field) === 'missing');
  const arriving = new Set(all);
  const withArriving: StateOf = (field) => (arriving.has(field) ? 'seen' : stateOf(field));
  for (const field of all.toReversed()) {
    arriving.delete(field);
    if (!canMatch(rule, kind, withArriving, needed)) arriving.add(field);
  }
  return all.filter((field) => arriving.has(field));
}

/** Fields by which a correlation groups and that it counts, as one of its rules names them: without them a match is left out. */
export const correlatedFields = ({ groupBy, valueFields, type, aliases }: Correlation, ruleId: string): string[] =>
  [...groupBy, ...(type === 'value_count' ? valueFields : [])].map((name) => aliases.get(name)?.get(ruleId) ?? name);

/** Number of different rules that must match before the correlation can. */
export function neededRules({ type, rules, conditions }: Correlation): number {
  const all = new Set(rules).size;
  if (type === 'temporal_ordered') return all;
  if (type !== 'temporal') return 1;
  const least = Math.max(
    1,
    ...conditions.map(({ operator, number }) =>
      operator === 'gte' || operator === 'eq' ? number : operator === 'gt' ? number + 1 : 1,
    ),
  );
  return Math.min(least, all);
}

function truthOf(rule: SigmaRule, kind: EventKind, stateOf: StateOf): Truth {
  // A placeholder without a value matches nothing.
  if (rule.awaits.length > 0) return false;
  const selections = rule.selections.map(({ alternatives }) =>
    some(alternatives.map((items) => every(items.map((item) => itemTruth(item, kind, stateOf))))),
  );
  return conditionTruth(rule.condition, selections);
}

function conditionTruth(condition: Condition, selections: readonly Truth[]): Truth {
  if (condition.kind === 'selection') return selections[condition.index];
  if (condition.kind === 'not') return not(conditionTruth(condition.part, selections));
  const parts = condition.parts.map((part) => conditionTruth(part, selections));
  if (condition.kind === 'and') return every(parts);
  if (condition.kind === 'or') return some(parts);
  const certain = parts.filter((part) => part === true).length;
  const open = parts.filter((part) => part === undefined).length;
  return certain >= condition.count ? true : certain + open < condition.count ? false : undefined;
}

const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);
const every = (truths: readonly Truth[]): Truth =>
  truths.includes(false) ? false : truths.includes(undefined) ? undefined : true;
const some = (truths: readonly Truth[]): Truth => (truths.includes(true) ? true : truths.includes(undefined) ? undefined : false);

function itemTruth(item: Item, { code }: EventKind, stateOf: StateOf): Truth {
  const { field } = item;
  if (field === null) return undefined;
  if (code?.field === field) return valueTruth(item, code.value);
  if (stateOf(field) !== 'missing') return undefined;
  // A missing field is absent or empty: certain is only what holds for both.
  const absent = valueTruth(item, undefined);
  return absent === valueTruth(item, '') ? absent : undefined;
}

/** Of the field’s value; undefined for an absent field. */
function valueTruth(item: Item, value: string | undefined): Truth {
  const groups = groupsOf(item).map((atoms) => some(atoms.map((atom) => atomTruth(atom, value))));
  const truth = item.all ? every(groups) : some(groups);
  if (!item.negated) return truth;
  return value === undefined ? false : not(truth);
}

function atomTruth(atom: Atom, value: string | undefined): Truth {
  if (atom.op === 'fieldref') return undefined;
  if (atom.op === 'null') return value === undefined;
  if (atom.op === 'exists') return (value !== undefined) === atom.expected;
  return value !== undefined && atomTest(atom)(value, foldCase(value));
}
