/**
 * Well-formed queries like a question that was not understood: every entity, crossed with its elements that are like the words of the question. Names,
 * times and known values are carried over, and so are a negation, a superlative, a share and a mean; where something cannot be carried, nothing is offered.
 */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { type Element, elementsOf, queryOf, wordsIn } from './elements.ts';
import { allOf, homonyms, type Schemas, topOf, withRelated } from './frames.ts';
import { sentenceOf } from './likeness.ts';
import { partsOf } from './parts.ts';
import { type Carried, carriedTo, type Requirements, requirementsOf } from './requirements.ts';
import type { Segment } from './segments.ts';
import { type KnownLikes, Similarity, sentenceWith } from './similarity.ts';

export interface Offer {
  /** Source; the best offers of each are shown. */
  kind: 'word' | 'phrase' | 'element' | 'learned' | 'edit';
  queries: Query[];
  /** Likeness to the question, up to 1. */
  score: number;
}

/** Elements of an entity that are combined with each other. */
const maxPaired = 5;
const offersOfEntity = 6;
const [minLike, negativeLike, rareLike] = [0.3, 0.5, 0.75];
/** Of oneself, or of one client alone: meant only where expressed. */
const rarelyMeant: ReadonlySet<string> = new Set(['isMine', 'isMe', 'isElsewhere']);
const continuedFavour = 0.2;
/** Minimum that a second element explains besides the first. */
const pairGain = 0.06;

const leavesOf = (filter: QueryFilter | undefined): number =>
  filter === undefined
    ? 0
    : 'and' in filter
      ? filter.and.reduce((sum, each) => sum + leavesOf(each), 0)
      : 'not' in filter
        ? leavesOf(filter.not)
        : 'some' in filter
          ? 2 + leavesOf(filter.where)
          : 1;

const usual: ReadonlySet<QueryEntity> = new Set([
  'alert',
  'case',
  'device',
  'client',
  'vulnerability',
  'user',
  'rule',
  'response',
  'collector',
]);
/** Prior in favour of simple queries and of frequent subjects. */
export const costOf = ({ entity, where, groupBy = [], orderBy }: Query): number =>
  0.06 * (leavesOf(where) + groupBy.length + (orderBy ? 1 : 0)) + (usual.has(entity) ? 0 : 0.06);

const isMinutes = ({ attributes }: EntitySchema, field: string): boolean =>
  (attributes[field] as { unit?: string } | undefined)?.unit === 'minutes';

interface Match {
  element: Element;
  phrase: readonly string[];
  /** Of the word of the question that it explains. */
  place: number;
  score: number;
}

/** True if the question requires elements of this kind. */
function isFit(
  { kind, field, isNegative, isMost }: Element,
  schema: EntitySchema,
  required: Requirements,
  carried: Carried,
): boolean {
  switch (kind) {
    case 'order':
      return required.hasOrder || (required.isMost === isMost && !required.isByTime);
    case 'mean':
      return required.isDuration ? isMinutes(schema, field) : required.isMean || required.isHow;
    case 'group':
      return required.isDivided || required.isAskedFor || required.isMost !== undefined;
    case 'name':
      return carried.filters.some(({ options }) => options.length > 1);
    case 'time':
      return carried.time !== undefined && field !== schema.time;
    case 'bound':
      return (
        required.bound !== undefined &&
        (field.startsWith('some ') ? !required.bound.isMinutes : required.bound.isMinutes === isMinutes(schema, field))
      );
    default:
      return !carried.isDenied || isNegative === true;
  }
}

/** An element by that of its phrases which is most like the question, in a word besides the nouns. */
function matchOf(
  element: Element,
  noun: readonly string[],
  like: Similarity,
  isDenied: boolean,
  others: readonly string[] = [],
): Match {
  let best: Match = { element, phrase: [], place: 0, score: 0 };
  // Nothing is denied in passing.
  const min = rarelyMeant.has(element.field) ? rareLike : element.isNegative && !isDenied ? negativeLike : minLike;
  for (const phrase of element.phrases) {
    const place = like.placeOf(others.length > 0 ? [...noun, ...others] : noun, phrase, min);
    // The counted records may be implicit: "rules that fired over 100 times".
    if (place === undefined && element.kind !== 'bound') continue;
    const score = like.of(sentenceWith(noun, phrase));
    if (score > best.score) best = { element, phrase, place: place ?? -1, score };
  }
  return best;
}

/** No element, each, and two that explain different words. */
function combinationsOf(matches: readonly Match[], noun: readonly string[], like: Similarity) {
  const top = matches.slice(0, maxPaired);
  const pairs = top.flatMap((one, index) =>
    top
      .slice(index + 1)
      .filter(({ element, place }) => element.field !== one.element.field && place !== one.place)
      .map((other) => ({
        elements: [one.element, other.element],
        min: Math.max(one.score, other.score) + pairGain,
        score: like.of(sentenceOf([...noun, ...one.phrase, ...other.phrase])),
      }))
      .filter(({ score, min }) => score > min),
  );
  return [
    { elements: [] as Element[], score: like.of(sentenceOf(noun)) },
    ...matches.slice(0, 2 * offersOfEntity).map(({ element, score }) => ({ elements: [element], score })),
    ...pairs,
  ];
}

interface Place {
  segments: readonly Segment[];
  schemas: Schemas;
  required: Requirements | undefined;
  knownOf: (words: readonly string[]) => KnownLikes;
}

const nounsOf = (segments: readonly Segment[]): string[] =>
  segments.flatMap(({ items, text }) => (items.entity ? wordsIn(text) : []));

/** Queries of one entity, the best first. */
function offersOf(entity: QueryEntity, { segments, schemas, required, knownOf }: Place): Offer[] {
  const schema = schemas[entity];
  const noun = wordsIn(schema.title[1]);
  const carried = required && carriedTo(entity, noun, segments);
  if (!carried) return [];
  const like = new Similarity(carried.words, carried.weight, knownOf(carried.words));
  const matches = elementsOf(entity, schemas)
    .filter((element) => isFit(element, schema, required, carried))
    .map((element) => matchOf(element, noun, like, carried.isDenied, carried.isDenied ? nounsOf(segments) : []))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const seen = new Set<string>();
  return combinationsOf(matches, noun, like)
    .flatMap(({ elements, score }): Offer[] => {
      const query = isWhole(elements, schema, required, carried, schemas)
        ? queryWith(schema, elements, carried, required)
        : undefined;
      return query ? [{ kind: 'element', queries: [query], score: score - costOf(query) }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .filter(({ queries }) => seen.size < seen.add(JSON.stringify(queries)).size)
    .slice(0, offersOfEntity);
}

const kindsOf = (elements: readonly Element[]): ReadonlySet<Element['kind']> => new Set(elements.map(({ kind }) => kind));

/** Of related records that have a time. */
const isTimed = (filter: QueryFilter, schemas: Schemas): boolean =>
  'not' in filter ? isTimed(filter.not, schemas) : 'some' in filter && schemas[filter.some].time !== undefined;

/** False if a part of the question would be lost. */
function isWhole(
  elements: readonly Element[],
  { time }: EntitySchema,
  required: Requirements,
  carried: Carried,
  schemas: Schemas,
): boolean {
  const kinds = kindsOf(elements);
  const negatives = elements.filter(({ isNegative }) => isNegative).length;
  const isOrdered = required.isMost === undefined || required.isByTime || kinds.has('order') || kinds.has('group');
  const isNarrowed = carried.filters.length + elements.length > 0 || carried.time !== undefined;
  return (
    isOrdered &&
    isNarrowed &&
    (!required.isMean || kinds.has('mean')) &&
    (!required.isDivided || kinds.has('group')) &&
    (!required.isShare || kinds.has('filter')) &&
    (!carried.isDenied || negatives === 1) &&
    kinds.has('bound') === (required.bound !== undefined) &&
    (!carried.time ||
      kinds.has('time') ||
      time !== undefined ||
      elements.some(({ filter }) => filter && isTimed(filter, schemas)))
  );
}

/** Carried filters; undefined if an element has another value of the same attribute. */
function ownFilters(elements: readonly Element[], carried: Carried): QueryFilter[] | undefined {
  const named = elements.find(({ kind }) => kind === 'name')?.field;
  // "Wrapped up by Priya yesterday": closed by her, if it is the time of closing.
  const actorField = elements.find(({ kind }) => kind === 'time')?.field.replace(/(?:Time|At)$/, 'By');
  const own = carried.filters.map(
    ({ filter, options }) => options.find(({ field }) => field === (named ?? actorField))?.filter ?? filter,
  );
  const fields = new Set(own.flatMap((filter) => ('field' in filter ? [filter.field] : [])));
  const isOpposed = elements.some(({ kind, field }) => kind !== 'name' && fields.has(field));
  return isOpposed || (named !== undefined && !fields.has(named)) ? undefined : own;
}

/** "More than 10 alerts": of a number, or of related records. */
const boundOf = ({ field, filter }: Element, { compare, value }: NonNullable<Requirements['bound']>): QueryFilter =>
  filter && 'some' in filter ? { ...filter, count: { compare, value } } : { field, compare, value };

/** The query of elements with everything that is carried. */
function queryWith(
  { entity, time }: EntitySchema,
  elements: readonly Element[],
  carried: Carried,
  required: Requirements,
): Query | undefined {
  const own = ownFilters(elements, carried);
  const { where: all, ...query } = queryOf(entity, elements, required.isMost);
  const orderBy = required.isByTime && time ? { field: time, isAscending: required.isMost === false } : query.orderBy;
  if (!own || (required.limit !== undefined && !orderBy)) return undefined;
  const of = required.isShare ? topOf(all) : [];
  const timed = elements.find(({ kind }) => kind === 'time');
  const bounded = elements.find(({ kind }) => kind === 'bound');
  // "Most alerts last week": of the related records, if the records have none.
  const timeOf = (filter: QueryFilter): QueryFilter =>
    !time && !timed && carried.time ? withRelated(filter, (related) => ({ ...related, time: carried.time! })) : filter;
  const where = allOf([
    ...topOf(all)
      .filter((filter) => !of.includes(filter))
      .map(timeOf),
    ...(bounded && required.bound ? [timeOf(boundOf(bounded, required.bound))] : []),
    ...own,
    ...(timed && carried.time ? [{ field: timed.field, within: carried.time }] : []),
  ]);
  const isCount = required.isCount && query.measure.kind === 'list' && required.limit === undefined;
  return {
    ...query,
    ...(where && { where }),
    ...(orderBy && { orderBy }),
    ...(required.limit !== undefined && { limit: required.limit }),
    ...(carried.time && !timed && time && { time: carried.time }),
    ...(required.isShare ? { measure: { kind: 'share', of: allOf(of)! } } : isCount && { measure: { kind: 'count' } }),
  };
}

/** The question before, narrowed, ordered or divided by an element. */
function continued(before: Query, query: Query): Query {
  const fields = new Set(topOf(query.where).flatMap((filter) => ('field' in filter ? [filter.field] : [])));
  const remaining = topOf(before.where).filter((filter) => !('field' in filter && fields.has(filter.field)));
  const where = allOf([...remaining, ...topOf(query.where)]);
  const { groupBy = before.groupBy, time = before.time, orderBy = before.orderBy, limit = before.limit } = query;
  const measure = query.measure.kind === 'list' && !query.groupBy ? before.measure : query.measure;
  return {
    entity: before.entity,
    measure,
    ...(where && { where }),
    ...(time && { time }),
    ...(groupBy && { groupBy }),
    ...(orderBy && { orderBy }),
    ...(limit !== undefined && { limit }),
  };
}

/** Of a part without records: "that usually means trouble". */
const isOfQuestion = ({ items }: Segment): boolean =>
  Boolean(
    items.entity ??
      items.value ??
      items.time ??
      items.measure ??
      items.superlative ??
      items.number ??
      items.compare ??
      items.not ??
      items.except ??
      items.only ??
      items.who ??
      items.which ??
      items.group,
  );

/** Several parts ask: one query would lose one of them. */
export function isDivided(segments: readonly Segment[]): boolean {
  const { parts } = partsOf(segments);
  return parts.length > 1 && parts.filter((part) => part.some(isOfQuestion)).length > 1;
}

const mentionedIn = (segments: readonly Segment[]): Set<QueryEntity> =>
  new Set(segments.flatMap(({ items }) => (items.entity ? [items.entity.entity, ...(homonyms[items.entity.entity] ?? [])] : [])));

/** Those that continue the question before come first, if the question names no records. */
export function withContinued(offers: readonly Offer[], before: Query | undefined, segments: readonly Segment[]): Offer[] {
  if (!before || before.against || mentionedIn(segments).size > 0) return [...offers];
  const further = offers.filter(({ queries: [query] }) => query!.entity === before.entity);
  return [
    ...further.map(({ kind, queries: [query], score }) => ({
      kind,
      queries: [continued(before, query!)],
      score: score + continuedFavour,
    })),
    ...offers,
  ];
}

/** The best of all entities; those that the question names rather than others. */
export function offersOfBank(all: readonly Segment[], schemas: Schemas): Offer[] {
  const { context, parts } = partsOf(all);
  const questioned = parts.filter((part) => part.some(isOfQuestion));
  const isWhole = isDivided(all);
  const segments = parts.length > 1 && questioned[0] && !isWhole ? [...context, ...questioned[0]] : all;
  const required = isWhole ? undefined : requirementsOf(segments);
  const stated = mentionedIn(segments);
  // A negation mostly concerns the named records.
  const isDenied = segments.some(({ items }) => items.not ?? items.except);
  const favour = (entity: QueryEntity) =>
    stated.has(entity) ? (usual.has(entity) ? 0 : 0.06) : stated.size === 0 ? 0 : isDenied ? -0.2 : -0.1;
  // Most entities are left the same words to be like.
  const known = new Map<string, KnownLikes>();
  const knownOf = (words: readonly string[]) => {
    const key = words.join(' ');
    const found: KnownLikes = known.get(key) ?? new Map();
    known.set(key, found);
    return found;
  };
  const entities = Object.keys(schemas) as QueryEntity[];
  const place: Place = { segments, schemas, required, knownOf };
  return entities.flatMap((entity) =>
    offersOf(entity, place).map((offer) => ({ ...offer, score: offer.score + favour(entity) })),
  );
}
