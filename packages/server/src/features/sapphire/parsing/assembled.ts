/** Queries of what a question is likely to ask (`learned.ts`), with the names, times and numbers that it has; of one that cannot have them, none. */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import { isDivided, type Offer } from './bank.ts';
import { withoutImplied } from './canonical.ts';
import { anyName, anyNumber, anyTime, conditionsOf, partsOfQuery, type QueryParts } from './conditions.ts';
import { compared } from './counting.ts';
import { elementsOf } from './elements.ts';
import { assembled } from './filled.ts';
import { optionOf, type Schemas } from './frames.ts';
import type { Option } from './items.ts';
import { fieldPart, isAlternative, isComposed, isOfShare, type Likely, LikelyQueries } from './learned.ts';
import type { ParserInput } from './parsed.ts';
import { wordsOfNames } from './phrasing.ts';
import { denies, durationIn, isDeniedAt, saidIn, withDurationAsTime } from './said.ts';
import type { Segment } from './segments.ts';

const maxLikely = 120;
/** Shares from which on several parts are one question, and a word that is not understood is denied by the query. */
const [wholeLikely, deniedLikely] = [0.5, 0.4];

/** Conditions of an entity that the lexicon reads. */
function knownConditions(segments: readonly Segment[], entity: QueryEntity, schemas: Schemas): ReadonlySet<string> {
  const known = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    const { value, time, bucket } = segment.items;
    if (!value || value.isName || value.isGuess || time || bucket) continue;
    const option = optionOf(value.options, entity, []);
    const comparison = segments[at - 1]?.items.compare ?? segments[at + 1]?.items.compare;
    const filter =
      option && comparison && isOrdered(option, schemas) ? compared(option, comparison.comparison).filter : option?.filter;
    if (filter) for (const each of conditionsOf(filter, entity, schemas, isDeniedAt(segments, at))) known.add(each);
  }
  return known;
}

const isOrdered = ({ entity, field }: Option, schemas: Schemas): boolean => {
  const attribute = schemas[entity].attributes[field];
  return attribute?.type === 'choice' && attribute.isOrdered === true;
};

/** Attributes that are never left out. */
const kept: ReadonlySet<string> = new Set(['weekday', 'hour', 'isWeekend', 'isWorkingHours'].map((field) => `field ${field}`));
/** "Never hid anything": none is a denial too. */
const isDenial = /"not":|"is":false|"compare":"<=","field":"\w+","value":0/;
const opposite = (condition: string): string => {
  const filter = JSON.parse(condition) as { not?: unknown; is?: boolean };
  return JSON.stringify(filter.not ?? (filter.is === undefined ? { not: filter } : { ...filter, is: !filter.is }));
};

/** False if the question denies something and the query does not, or the other way round, or a weekday or an hour would be lost. */
function keepsDenials(
  { conditions }: Likely,
  query: Query,
  known: ReadonlySet<string>,
  segments: readonly Segment[],
  schemas: Schemas,
): boolean {
  const own = new Set(conditions.map((condition) => condition.replace(/^of /, '')));
  if ([...known].some((each) => own.has(opposite(each)) || (kept.has(fieldPart(each)) && !own.has(each)))) return false;
  const isDenied = segments.some(
    (segment, at) =>
      denies(segment) && !segments.slice(at + 1).find(({ items }) => !(items.preposition ?? items.filler))?.items.value?.isName,
  );
  // What is unprocessed is denied by its kind.
  if (!isDenied || query.entity === 'rejected') return true;
  const negative = new Set(
    elementsOf(query.entity, schemas).flatMap(({ filter, isNegative }) =>
      filter && isNegative ? conditionsOf(filter, query.entity, schemas) : [],
    ),
  );
  return [...own].some((each) => negative.has(each) || isDenial.test(each));
}

/** The likely queries of a question; one without a noun is of the records of the question before. */
function likelyOf(
  text: string,
  segments: readonly Segment[],
  names: ReadonlySet<string>,
  schemas: Schemas,
  before: QueryEntity | undefined,
): LikelyQueries {
  const said = segments.flatMap(({ items }) => (items.entity ? [items.entity.entity] : []));
  const entities = new Set(said.length === 0 && before ? [before] : said);
  const known = new Map<QueryEntity, ReadonlySet<string>>();
  const conditionsOf = (entity: QueryEntity) => {
    const own = known.get(entity) ?? knownConditions(segments, entity, schemas);
    known.set(entity, own);
    return own;
  };
  const own = saidIn(segments);
  const { times, names: named, numbers } = own;
  const isTimed = times.length > 0 || durationIn(own) !== undefined;
  const isPossible = (condition: string) =>
    (isTimed || !condition.includes(`"${anyTime}"`)) &&
    (named.length > 0 || !condition.includes(`"${anyName}"`)) &&
    (numbers.length > 0 || !condition.includes(`"${anyNumber}"`));
  return new LikelyQueries(text, names, { entities, conditionsOf, isPossible });
}

/** A negation of a word that is not understood. */
const deniesUnknown = (segments: readonly Segment[]): boolean =>
  segments.some(
    (segment, at) =>
      denies(segment) && segments.slice(at + 1).find(({ items }) => !(items.preposition ?? items.filler))?.items.unknown,
  );

export interface Learned {
  likely: LikelyQueries;
  offers: readonly Offer[];
  /** A query of these parts, with what the question has. */
  assemble: (parts: Likely) => Query | undefined;
  segments: readonly Segment[];
}

/** Likely queries of a question, the likeliest first; the score is the probability among those that can be asked. */
export function learnedOf(
  segments: readonly Segment[],
  { text, vocabulary, lexicon: { schemas }, previous, now }: ParserInput,
): Learned {
  const likely = likelyOf(text, segments, wordsOfNames(vocabulary), schemas, previous.at(-1)?.entity);
  const said = saidIn(segments);
  const isCount = segments.some(({ items }) => items.measure?.measure === 'count');
  const isMost = segments.some(({ items }) => items.superlative && !items.time);
  const isOne = segments.some(
    ({ items, isPlural }, at) =>
      items.entity &&
      !isPlural &&
      !segments[at - 1]?.items.group &&
      segments.slice(0, at).some(({ items: before, text: word }) => before.superlative ?? (before.unknown && /est$/i.test(word))),
  );
  const wanted = { isCount, isMost, ...(isOne && { limit: 1 }) };
  const timed = withDurationAsTime(said, now);
  const assemble = (parts: Likely) =>
    assembled(parts, said, schemas, wanted) ?? (timed && assembled(parts, timed, schemas, wanted));
  const all = likely.best(maxLikely).flatMap((best) => {
    const each = { ...best, conditions: withoutImplied(best.conditions, best.entity) };
    const query = assemble(each);
    return query ? [{ each, query }] : [];
  });
  const total = all.reduce((sum, { each }) => sum + Math.exp(each.score), 0);
  const offers = all
    .filter(({ each, query }) => keepsDenials(each, query, likely.known.conditionsOf(each.entity), segments, schemas))
    .map(({ each, query }): Offer => ({ kind: 'learned', queries: [query], score: Math.exp(each.score) / total }));
  // One query would lose a part of several questions, unless all of them are surely one.
  const least = isDivided(segments) ? wholeLikely : deniesUnknown(segments) ? deniedLikely : 0;
  return { likely, assemble, segments, offers: (offers[0]?.score ?? 0) < least ? [] : offers };
}

/** Of groups and of lists the usual order is the same as none. */
const keyOf = (query: Query, schemas: Schemas): string => {
  const { order, ...parts } = partsOfQuery(query, schemas);
  const { field, isAscending } = schemas[query.entity].order;
  return JSON.stringify([parts, order === `${field} ${isAscending ? 'asc' : 'desc'}` ? '-' : order]);
};

/**
 * Share of a reading below which people who ask with these words mean another query, and of one query above which several or alternatives, or one that
 * lacks something of the question, are not meant.
 */
const [doubtful, single, sure] = [0.02, 0.5, 0.9];

/** True if one query has all conditions of several, and the question neither counts again nor names other records. */
function isOneQuestion(queries: readonly Query[], { offers: [best], segments }: Learned, schemas: Schemas): boolean {
  if (!best || best.score < single) return false;
  const [query] = best.queries;
  const conditionsIn = (each: Query) => partsOfQuery(each, schemas).conditions.map((condition) => condition.replace(/^of /, ''));
  const own = new Set(conditionsIn(query!));
  const counts = segments.filter(({ items }, at) => at > 0 && items.measure?.measure === 'count');
  const nouns = new Set(segments.flatMap(({ items }) => (items.entity ? [items.entity.entity] : [])));
  const times = new Set(queries.map(({ time }) => JSON.stringify(time)));
  return (
    counts.length === 0 &&
    nouns.size < 2 &&
    times.size === 1 &&
    queries.flatMap(conditionsIn).every((condition) => own.has(condition))
  );
}

/** "All but low ones", "is it true that there was no …": the grammar reads the opposite of a word. */
const isDeniedByGrammar = (condition: string, known: ReadonlySet<string>): boolean =>
  known.has(opposite(condition.replace(/^of /, '')));

/** False where nothing is known of a part, and where the grammar reads a word in another sense than the lexicon. */
function isKnown({ measure }: Query, parts: QueryParts, likely: LikelyQueries): boolean {
  const known = likely.known.conditionsOf(parts.entity as QueryEntity);
  return (
    likely.knows(parts) &&
    !parts.conditions.some(
      (each) =>
        kept.has(fieldPart(each)) || ((measure.kind === 'exists' || isDenial.test(each)) && isDeniedByGrammar(each, known)),
    )
  );
}

/**
 * True for conditions that likely queries lack or have rarely: compositions, weekdays, hours, denials, shares; for alternatives unless one
 * query has more than half.
 */
function isOfGrammar({ entity, conditions }: QueryParts, { likely, offers: [best] }: Learned): boolean {
  const known = likely.known.conditionsOf(entity as QueryEntity);
  const isUnlikelyOr = (condition: string) => isAlternative(condition) && best!.score > single;
  return conditions.some(
    (each) =>
      (isComposed.test(each) && !isUnlikelyOr(each)) ||
      each.startsWith('{"not":') ||
      isOfShare(each) ||
      kept.has(fieldPart(each)) ||
      isDeniedByGrammar(each, known),
  );
}

const isTimed = (query: Query): boolean => /"(?:time|within)":/.test(JSON.stringify(query));
const sumOf = (offers: readonly Offer[]): number => offers.reduce((sum, { score }) => sum + score, 0);

/** True if a reading is unlikely, or not there, among all that can be asked with these words. */
export function isUnlikely(queries: readonly Query[], learned: Learned, schemas: Schemas): boolean {
  const [query, another] = queries;
  // What is compared is read as it stands.
  if (!query || learned.segments.some(({ items, text }) => items.versus ?? /^compared?$/i.test(text))) return false;
  if (another) return isOneQuestion(queries, learned, schemas);
  const parts = partsOfQuery(query, schemas);
  if (parts.measure === 'share' && !parts.conditions.some(isOfShare)) return false;
  const { likely, offers } = learned;
  const key = keyOf(query, schemas);
  const own = learned.assemble({ ...parts, entity: parts.entity as QueryEntity, score: 0 });
  const known = isKnown(query, parts, likely);
  // It lacks a name, a time or a number of the question.
  if (!own || keyOf(own, schemas) !== key) return known && sumOf(offers.slice(0, 1)) > sure;
  const same = offers.filter(({ queries: [each] }) => keyOf(each!, schemas) === key);
  if (offers.length > 0 && same.length === 0 && !isOfGrammar(parts, learned)) return true;
  // A length of time is a bound or a time as the grammar reads it.
  const like = sumOf(offers.filter(({ queries: [each] }) => isTimed(each!) === isTimed(query)));
  const sameTimed = sumOf(same.filter(({ queries: [each] }) => isTimed(each!) === isTimed(query)));
  return known && like > doubtful && sameTimed < doubtful * like;
}
