/** Queries of what a question is likely to ask (`learned.ts`), with the names, times and numbers that it has; of one that cannot have them, none. */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import { checkQuery } from '../../../domain/query/check.ts';
import { isDivided, type Offer } from './bank.ts';
import { withoutImplied } from './canonical.ts';
import { anyName, anyNumber, anyTime, conditionsOf, partsOfQuery, type QueryParts } from './conditions.ts';
import { compared } from './counting.ts';
import { elementsOf } from './elements.ts';
import { assembled } from './filled.ts';
import { optionOf, type Schemas } from './frames.ts';
import type { Option } from './items.ts';
import { fieldPart, isOfShare, type Likely, LikelyQueries } from './learned.ts';
import { denies, durationIn, isDeniedAt, mentionsIn, withDurationAsTime } from './mentions.ts';
import type { ParserInput } from './parsed.ts';
import { wordsOfNames } from './phrasing.ts';
import type { Segment } from './segments.ts';

const maxLikely = 200;
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
const essential: ReadonlySet<string> = new Set(
  ['weekday', 'hour', 'isWeekend', 'isWorkingHours'].map((field) => `field ${field}`),
);
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
  if ([...known].some((each) => own.has(opposite(each)) || (essential.has(fieldPart(each)) && !own.has(each)))) return false;
  const isDenied = segments.some(
    (segment, at) =>
      denies(segment) && !segments.slice(at + 1).find(({ items }) => !(items.preposition ?? items.filler))?.items.value?.isName,
  );
  // Unprocessed events are denied by their kind.
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
  const stated = segments.flatMap(({ items }) => (items.entity ? [items.entity.entity] : []));
  const entities = new Set(stated.length === 0 && before ? [before] : stated);
  const known = new Map<QueryEntity, ReadonlySet<string>>();
  const conditionsOf = (entity: QueryEntity) => {
    const own = known.get(entity) ?? knownConditions(segments, entity, schemas);
    known.set(entity, own);
    return own;
  };
  const own = mentionsIn(segments);
  const { times, names: named, numbers } = own;
  const isTimed = times.length > 0 || durationIn(own) !== undefined;
  const isPossible = (condition: string) =>
    (isTimed || !condition.includes(`"${anyTime}"`)) &&
    (named.length > 0 || !condition.includes(`"${anyName}"`)) &&
    (numbers.length > 0 || !condition.includes(`"${anyNumber}"`)) &&
    // Days and hours are read by the grammar: "last weekend" is a time.
    !/"field":"(?:weekday|hour|isWeekend)"/.test(condition);
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
  /** A query changed in one part for what is likely, with the names, times and numbers of the question. */
  editsOf: (query: Query) => Query[];
  segments: readonly Segment[];
}

/** Likely conditions, and likely values of a choice, that are tried in a query. */
const [maxAdded, maxChosen] = [6, 3];

/** Parts of a query with one condition more, less or another, or another measure, group or order. */
function editedParts(parts: QueryParts, likely: LikelyQueries): Likely[] {
  const entity = parts.entity as QueryEntity;
  const own = parts.conditions;
  const added = likely
    .likeliest(entity, 'condition', maxAdded + own.length)
    .filter((each) => !own.includes(each))
    .slice(0, maxAdded);
  const without = own.map((each) => own.filter((other) => other !== each));
  const sets = [...without, ...[own, ...without].flatMap((rest) => added.map((each) => [...rest, each]))];
  const base = { ...parts, entity, score: 0 };
  return [
    ...sets
      .filter((conditions) => conditions.some(isOfShare) === (parts.measure === 'share'))
      .map((conditions) => ({ ...base, conditions })),
    ...(['measure', 'group', 'order'] as const).flatMap((kind) =>
      likely
        .likeliest(entity, kind, maxChosen)
        .filter((name) => name !== parts[kind] && name !== 'share' && parts.measure !== 'share')
        .map((name) => ({ ...base, [kind]: name })),
    ),
  ];
}

/** Likely queries of a question, the likeliest first; the score is the probability among the possible ones. */
export function learnedOf(
  segments: readonly Segment[],
  { text, vocabulary, lexicon: { schemas }, previous, now }: ParserInput,
): Learned {
  const likely = likelyOf(text, segments, wordsOfNames(vocabulary), schemas, previous.at(-1)?.entity);
  const stated = mentionsIn(segments);
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
  const timed = withDurationAsTime(stated, now);
  const assemble = (parts: Likely) =>
    assembled(parts, stated, schemas, wanted) ?? (timed && assembled(parts, timed, schemas, wanted));
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
  const editsOf = (query: Query) =>
    editedParts(partsOfQuery(query, schemas), likely).flatMap((each) => {
      const edited = assemble(each);
      const isKept =
        edited &&
        checkQuery(edited) === undefined &&
        keepsDenials(each, edited, likely.known.conditionsOf(each.entity), segments, schemas);
      return isKept ? [edited] : [];
    });
  return { likely, editsOf, segments, offers: (offers[0]?.score ?? 0) < least ? [] : offers };
}

/** Share of one query above which several are not meant. */
const single = 0.5;

/** True if one query has all conditions of several, and the question neither counts again nor names other records. */
export function isOneQuestion(queries: readonly Query[], { offers: [best], segments }: Learned, schemas: Schemas): boolean {
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
