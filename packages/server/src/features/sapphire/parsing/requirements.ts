/** Requirements of a question for every query offered in its place, and its conditions for one entity. */
import type { QueryComparison, QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { wordsIn } from './elements.ts';
import { homonyms, optionOf } from './frames.ts';
import type { Option } from './items.ts';
import { weightOf } from './likeness.ts';
import type { Segment } from './segments.ts';

export interface Requirements {
  /** Of a superlative; undefined without one. */
  isMost?: boolean;
  isByTime: boolean;
  isDivided: boolean;
  isMean: boolean;
  isShare: boolean;
  isCount: boolean;
  /** A word is a superlative by its ending alone: "weakest". */
  hasOrder: boolean;
  /** "How long": a mean of minutes. */
  isDuration: boolean;
  /** "How sure": a mean may be meant. */
  isHow: boolean;
  /** "Who", "which": a group may be meant. */
  isAskedFor: boolean;
  limit?: number;
  /** "More than 10": of a number or of related records. */
  bound?: { compare: QueryComparison; value: number; isMinutes: boolean };
}

/** A negation or an exception earlier in the clause, "didn’t have more than 5", but no excepted name: "except Birch". */
function isDeniedAt(segments: readonly Segment[], at: number): boolean {
  const before = segments.slice(0, at).map(({ items }) => items);
  const clause = before.slice(before.findLastIndex((items) => items.comma ?? items.break) + 1);
  return clause.some((items, index) => items.not ?? (items.except && !clause[index + 1]?.value?.isName));
}

/** "More than" before a number, which a bound of the bank holds. */
function boundAt(segments: readonly Segment[], at: number): Requirements['bound'] {
  if (!segments[at]) return undefined;
  const [own, next] = [segments[at].items, segments[at + 1]?.items];
  if (!own.compare || own.compare.isAfter || own.compare.isAge || !next?.number || next.time) return undefined;
  if (next.number.unit === 'percent' || isDeniedAt(segments, at)) return undefined;
  return { compare: own.compare.comparison, value: next.number.value, isMinutes: next.number.unit === 'minutes' };
}

/**
 * A number, a comparison or a reference narrows, and no query of the bank can hold it; "two factor" counts nothing, and "them" can be the records that
 * the question names itself.
 */
function isBeyond(segments: readonly Segment[], at: number): boolean {
  const { items, text } = segments[at]!;
  const [before, next] = [segments[at - 1]?.items, segments[at + 1]?.items];
  const isCounted = items.number && !items.time && (!/^[a-z]+$/i.test(text) || next?.entity !== undefined);
  if (isCounted && !before?.superlative) return true;
  const isOwn =
    items.reference && /^(?:them|they|their|it|its)$/i.test(text) && segments.slice(0, at).some(({ items: own }) => own.entity);
  const isPlain = items.value ?? items.superlative ?? items.filler ?? isOwn;
  return !isPlain && Boolean(items.compare ?? items.between ?? items.or ?? items.reference);
}

/** Undefined if no query of the bank can hold it. */
export function requirementsOf(segments: readonly Segment[]): Requirements | undefined {
  const some = (fits: (segment: Segment) => unknown) => segments.some((segment) => Boolean(fits(segment)));
  const measures = new Set(segments.map(({ items }) => items.measure?.measure));
  const required: Requirements = {
    isByTime: false,
    // Two that are compared stand side by side in groups.
    isDivided: some(({ items }) => items.group ?? items.bucket ?? items.trend ?? (items.value ? undefined : items.versus)),
    isMean: measures.has('mean') || measures.has('median'),
    isShare: measures.has('share'),
    isCount: measures.has('count'),
    hasOrder: some(({ items, text }) => items.unknown && /est$/i.test(text)),
    isDuration: some(({ text }) => /\b(?:how long|how (?:quick|fast|slow)\w*|time)\b/i.test(text)),
    isHow: some(({ text }) => /^how(?! (?:many|much|often))\b/i.test(text)),
    isAskedFor: some(({ items }) => items.who ?? items.which),
  };
  for (const [index, segment] of segments.entries()) {
    const { superlative, number, entity } = segment.items;
    const before = segments[index - 1]?.items;
    const bound = boundAt(segments, index);
    if (bound && required.bound) return undefined;
    if (bound) required.bound = bound;
    if (bound ?? boundAt(segments, index - 1)) continue;
    if (isBeyond(segments, index)) return undefined;
    // "Highest first"
    if (superlative && !(before?.superlative && superlative.isTime)) {
      required.isMost = superlative.isMost;
      required.isByTime = superlative.isTime === true && !superlative.isGeneric;
    }
    if (number && before?.superlative) required.limit = number.value;
    if (entity && (required.isMost !== undefined || required.hasOrder) && !segment.isPlural) required.limit ??= 1;
  }
  return required;
}

export interface Carried {
  /** Of known values and names; a name can be of several attributes. */
  filters: { filter: QueryFilter; options: readonly Option[] }[];
  time?: QueryTime;
  /** Words that an offer has to explain. */
  words: string[];
  /** Of the words that hold as they stand. */
  weight: number;
  /** A negation that no value follows. */
  isDenied: boolean;
  /** Another clause has begun since: the negation is of none of its values. */
  isPast: boolean;
}

const denied = (option: Option): QueryFilter => ({ not: option.filter });

/** A value or a name of the entity; false if it is none. */
function carryValue(carried: Carried, { items, text }: Segment, entity: QueryEntity): boolean {
  const { value } = items;
  if (!value || value.isGuess || (items.entity && !value.isName)) return false;
  const option = optionOf(value.options, entity, []);
  if (!option) return false;
  const options = value.isName ? value.options.filter((each) => each.entity === entity) : [option];
  const isDenied = carried.isDenied && !carried.isPast;
  carried.filters.push(isDenied ? { filter: denied(option), options: [] } : { filter: option.filter, options });
  carried.weight += wordsIn(text).reduce((sum, word) => sum + weightOf(word), 0);
  if (isDenied) carried.isDenied = false;
  return true;
}

/** Undefined if a name, a second time or a second negation has no place there. */
export function carriedTo(entity: QueryEntity, noun: readonly string[], segments: readonly Segment[]): Carried | undefined {
  const carried: Carried = { filters: [], words: [], weight: 0, isDenied: false, isPast: false };
  const isWhole = segments.every(
    (segment, at) => (boundAt(segments, at) ?? boundAt(segments, at - 1)) !== undefined || carry(carried, segment, entity, noun),
  );
  return isWhole ? carried : undefined;
}

/** Negation, an exception, or a pronoun: "that no one is abusing". */
const denies = ({ items, text }: Segment): boolean =>
  Boolean(items.not ?? items.except) || /^(?:nobody|no one|noone)$/i.test(text);

function carry(carried: Carried, segment: Segment, entity: QueryEntity, noun: readonly string[]): boolean {
  const { items, text } = segment;
  const isNegation = denies(segment);
  if ((isNegation || items.time) && (carried.isDenied || (items.time && carried.time))) return false;
  if (carried.isDenied && (items.comma ?? items.break ?? items.and ?? items.measure)) carried.isPast = true;
  if (isNegation) carried.isDenied = true;
  else if (items.time) carried.time = items.time.time;
  else if (carryValue(carried, segment, entity)) return true;
  else if (items.value?.isName && !items.value.isGuess) return false;
  if (items.time ?? items.except ?? items.comma ?? items.break) return true;
  const named = items.value ? undefined : items.entity?.entity;
  const isNoun = named !== undefined && (named === entity || homonyms[named]?.includes(entity) === true);
  carried.words.push(...(isNoun ? noun : wordsIn(text)));
  return true;
}
