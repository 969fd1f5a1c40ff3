/**
 * Well-formed queries like a question that was not understood: every entity, crossed with its elements that are like the words of the question. Names,
 * times and known values are carried over, and so are a negation, a superlative, a share and a mean; where something cannot be carried, nothing is offered.
 */
import type { Query, QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { type Element, elementsOf, queryOf, wordsIn } from './elements.ts';
import { allOf, homonyms, optionOf, type Schemas, topOf } from './frames.ts';
import { dot, likeness, type Sentence, sentenceOf, weightOf } from './likeness.ts';
import type { Segment } from './segments.ts';

export interface Offer {
  queries: Query[];
  /** Likeness to the question, up to 1. */
  score: number;
}

/** Elements of an entity that are combined with each other. */
const maxPaired = 5;
const offersOfEntity = 6;
const leastLike = 0.3;
const continuedFavour = 0.2;
const empty = /^(?:not|no|never|without|none|with|average|highest|lowest|most|who)$/;
/** What a second element must explain besides the first. */
const pairGain = 0.06;

interface Wished {
  isMost?: boolean;
  isByTime: boolean;
  isDivided: boolean;
  isMean: boolean;
  isShare: boolean;
  isCount: boolean;
  hasOrder: boolean;
  limit?: number;
}

/** What the words of the grammar want; undefined if no query of the bank can hold it. */
function wishedBy(segments: readonly Segment[]): Wished | undefined {
  const wished: Wished = { isByTime: false, isDivided: false, isMean: false, isShare: false, isCount: false, hasOrder: false };
  for (const [index, { items, isPlural, text }] of segments.entries()) {
    const before = segments[index - 1]?.items;
    // "Two factor" counts nothing.
    const isCounted = !/^[a-z]+$/i.test(text) || segments[index + 1]?.items.entity !== undefined;
    if (items.number && !items.time && isCounted) {
      if (!before?.superlative) return undefined;
      wished.limit = items.number.value;
    }
    const isPlain = items.value ?? items.superlative ?? items.filler;
    if ((items.compare ?? items.versus ?? items.between ?? items.or ?? items.reference) && !isPlain) return undefined;
    if (items.superlative) {
      wished.isMost = items.superlative.isMost;
      wished.isByTime = items.superlative.isTime === true && !items.superlative.isGeneric;
    }
    if (items.unknown && /est$/i.test(text)) wished.hasOrder = true;
    if (items.group ?? items.bucket ?? items.trend) wished.isDivided = true;
    const measure = items.measure?.measure;
    if (measure === 'mean' || measure === 'median') wished.isMean = true;
    if (measure === 'share') wished.isShare = true;
    if (measure === 'count') wished.isCount = true;
    if (items.entity && (wished.isMost !== undefined || wished.hasOrder) && !isPlural) wished.limit ??= 1;
  }
  return wished;
}

interface Carried {
  filters: { filter: QueryFilter; options: readonly { field: string; filter: QueryFilter }[] }[];
  time?: QueryTime;
  words: string[];
  /** Of the words that hold as they stand. */
  weight: number;
  isDenied: boolean;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const total = (words: readonly string[]): number => sumOf(words.map(weightOf));

/** What of the question holds for an entity as it stands; undefined if something that must hold has no place there. */
function carriedTo(entity: QueryEntity, noun: readonly string[], segments: readonly Segment[]): Carried | undefined {
  const carried: Carried = { filters: [], words: [], weight: 0, isDenied: false };
  let isNegated = false;
  for (const { items, text } of segments) {
    const option = items.value && !items.value.isGuess ? optionOf(items.value.options, entity, []) : undefined;
    if (items.not ?? items.except) {
      if (isNegated) return undefined;
      isNegated = true;
      if (items.not) carried.words.push(...wordsIn(text));
    } else if (items.time) {
      if (carried.time || isNegated) return undefined;
      carried.time = items.time.time;
    } else if (option && (items.value!.isName || !items.entity)) {
      const options = items.value!.isName ? items.value!.options.filter((each) => each.entity === entity) : [option];
      carried.filters.push({ filter: isNegated ? { not: option.filter } : option.filter, options: isNegated ? [option] : options });
      carried.weight += total(wordsIn(text));
      isNegated = false;
    } else if (items.value?.isName && !items.value.isGuess) return undefined;
    else if (items.entity && !items.value && (items.entity.entity === entity || homonyms[items.entity.entity]?.includes(entity)))
      carried.words.push(...noun);
        else if (!items.comma && !items.break) carried.words.push(...wordsIn(text));
  }
  carried.isDenied = isNegated;
  return carried;
}

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
/** Simple queries, and those of what is asked about most, are meant rather than others. */
export const costOf = ({ entity, where, groupBy = [], orderBy }: Query): number =>
  0.06 * (leavesOf(where) + groupBy.length + (orderBy ? 1 : 0)) + (usual.has(entity) ? 0 : 0.06);

/** Likeness of a question to phrases: of their words both ways, and as a whole. */
class Likeness {
  private readonly own: Sentence;

  private readonly weight: number;

  private readonly carried: number;

  private readonly known: Map<string, { likes: readonly number[]; most: number }>;

  /** `known` is of the same words. */
  constructor(own: Sentence, carried: number, known: Likeness['known']) {
    this.own = own;
    this.carried = carried;
    this.known = known;
    this.weight = sumOf(own.weights) + carried || 1;
  }

  private likesOf(word: string): { likes: readonly number[]; most: number } {
    let found = this.known.get(word);
    if (!found) {
      const likes = this.own.words.map((each) => likeness(each, word));
      found = { likes, most: Math.max(0, ...likes) };
      this.known.set(word, found);
    }
    return found;
  }

  /** Place of the word of the question, besides the noun, that is most like one of the phrase; undefined without any. */
  placeOf(noun: readonly string[], phrase: readonly string[]): number | undefined {
    let place: number | undefined;
    let most = 0;
    for (const word of phrase)
      if (!empty.test(word))
        for (const [at, like] of this.likesOf(word).likes.entries()) {
          const own = this.own.words[at]!;
          const share = like * this.own.weights[at]!;
          if (like >= leastLike && share > most && !noun.includes(own) && !empty.test(own)) [place, most] = [at, share];
        }
    return place;
  }

  of({ words, weights, vector }: Sentence): number {
    const best = new Array<number>(this.own.words.length).fill(0);
    let [found, sum] = [0, 0];
    for (let index = 0; index < words.length; index++) {
      const { likes, most } = this.likesOf(words[index]!);
      for (let at = 0; at < likes.length; at++) if (likes[at]! > best[at]!) best[at] = likes[at]!;
      found += weights[index]! * most;
      sum += weights[index]!;
    }
    let forward = this.carried;
    for (let at = 0; at < best.length; at++) forward += this.own.weights[at]! * best[at]!;
    return 0.25 * (forward / this.weight + found / (sum || 1)) + 0.5 * Math.max(0, dot(vector, this.own.vector));
  }
}

const sentences = new WeakMap<readonly string[], Sentence>();
/** The sentence of a noun and a phrase of the bank, kept. */
function sentenceWith(noun: readonly string[], phrase: readonly string[]): Sentence {
  const known = sentences.get(phrase) ?? sentenceOf([...noun, ...phrase]);
  sentences.set(phrase, known);
  return known;
}

const isMinutes = ({ attributes }: EntitySchema, field: string): boolean =>
  (attributes[field] as { unit?: string } | undefined)?.unit === 'minutes';

interface Match {
  element: Element;
  phrase: readonly string[];
  /** Of the word of the question that it explains. */
  place: number;
  score: number;
}

/** Queries of one entity, the best first. */
function offersOf(
  entity: QueryEntity,
  segments: readonly Segment[],
  schemas: Schemas,
  wished: Wished,
  knownOf: (words: readonly string[]) => Likeness['known'],
): Offer[] {
  const schema = schemas[entity];
  const noun = wordsIn(schema.title[1]);
  const carried = carriedTo(entity, noun, segments);
  if (!carried) return [];
  const like = new Likeness(sentenceOf(carried.words), carried.weight, knownOf(carried.words));
  const isAskedFor = segments.some(({ items }) => items.who ?? items.which);
  const isDuration = segments.some(({ text }) => /\b(?:how long|how (?:quick|fast|slow)\w*|time)\b/i.test(text));
  const isHow = segments.some(({ text }) => /^how(?! (?:many|much|often))\b/i.test(text));
  const isFit = ({ kind, field, isNegative, isMost }: Element): boolean =>
    kind === 'order'
      ? wished.hasOrder || (wished.isMost !== undefined && !wished.isByTime && isMost === wished.isMost)
      : kind === 'mean'
        ? isDuration ? isMinutes(schema, field) : wished.isMean || isHow
        : kind === 'group'
          ? wished.isDivided || isAskedFor || wished.isMost !== undefined
          : kind === 'name'
            ? carried.filters.some(({ options }) => options.length > 1)
            : kind === 'time'
              ? carried.time !== undefined
              : !carried.isDenied || isNegative === true;
  const matches = elementsOf(entity, schemas)
    .filter(isFit)
    .map((element): Match => {
      let best: Match = { element, phrase: [], place: 0, score: 0 };
      for (const phrase of element.phrases) {
        const place = like.placeOf(noun, phrase);
        const score = place === undefined ? 0 : like.of(sentenceWith(noun, phrase));
        if (place !== undefined && score > best.score) best = { element, phrase, place, score };
      }
      return best;
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const top = matches.slice(0, maxPaired);
  const combined = [
    { elements: [] as Element[], score: like.of(sentenceOf(noun)) },
    ...matches.slice(0, 2 * offersOfEntity).map(({ element, score }) => ({ elements: [element], score })),
    ...top.flatMap((one, index) =>
      top
        .slice(index + 1)
        .filter(({ element, place }) => element.field !== one.element.field && place !== one.place)
        .map((other) => ({
          elements: [one.element, other.element],
          least: Math.max(one.score, other.score) + pairGain,
          score: like.of(sentenceOf([...noun, ...one.phrase, ...other.phrase])),
        }))
        .filter(({ score, least }) => score > least),
    ),
  ];
  const seen = new Set<string>();
  return combined
    .flatMap(({ elements, score }): Offer[] => {
      const query = queryWith(entity, elements, carried, wished, schemas);
      return query ? [{ queries: [query], score: score - costOf(query) }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .filter(({ queries }) => seen.size < seen.add(JSON.stringify(queries)).size)
    .slice(0, offersOfEntity);
}

/** The query of elements with everything that is carried; undefined if a part of the question would be lost. */
function queryWith(entity: QueryEntity, elements: readonly Element[], carried: Carried, wished: Wished, schemas: Schemas): Query | undefined {
  const schema = schemas[entity];
  const has = (kind: Element['kind']) => elements.some((element) => element.kind === kind);
  if ((wished.isMean && !has('mean')) || (carried.isDenied && elements.filter(({ isNegative }) => isNegative).length !== 1)) return undefined;
  if (wished.isMost !== undefined && !wished.isByTime && !has('order') && !has('group')) return undefined;
  if (wished.isDivided && !has('group')) return undefined;
  const of = elements.flatMap(({ filter, kind }) => (filter && kind === 'filter' ? [filter] : []));
  if (wished.isShare && of.length === 0) return undefined;
  if (carried.filters.length + elements.length === 0 && !carried.time) return undefined;
  const named = elements.find(({ kind }) => kind === 'name');
  const timed = elements.find(({ kind }) => kind === 'time');
  // "Wrapped up by Priya yesterday": closed by her, if it is the time of closing.
  const doer = timed?.field.replace(/(?:Time|At)$/, 'By');
  const own = carried.filters.map(
    ({ filter, options }) => options.find(({ field }) => field === (named?.field ?? doer))?.filter ?? filter,
  );
  if (named && !own.some((filter) => 'field' in filter && filter.field === named.field)) return undefined;
  const fields = new Set(own.flatMap((filter) => ('field' in filter ? [filter.field] : [])));
  if (elements.some(({ kind, field }) => kind !== 'name' && fields.has(field))) return undefined;
  if (carried.time && !timed && !schema.time) return undefined;
  const query = queryOf(entity, elements, wished.isMost);
  const isOfShare = (filter: QueryFilter) => wished.isShare && of.includes(filter);
  const where = allOf([
    ...topOf(query.where).filter((filter) => !isOfShare(filter)),
    ...own,
    ...(timed && carried.time ? [{ field: timed.field, within: carried.time }] : []),
  ]);
  const { where: _, ...rest } = query;
  const orderBy = wished.isByTime && schema.time ? { field: schema.time, isAscending: wished.isMost === false } : rest.orderBy;
  if (wished.limit !== undefined && !orderBy) return undefined;
  return {
    ...rest,
    ...(where && { where }),
    ...(orderBy && { orderBy }),
    ...(wished.limit !== undefined && { limit: wished.limit }),
    ...(carried.time && !timed && { time: carried.time }),
    ...(wished.isShare
      ? { measure: { kind: 'share', of: allOf(of)! } }
      : wished.isCount && rest.measure.kind === 'list' && wished.limit === undefined && { measure: { kind: 'count' } }),
  };
}

/** The question before, narrowed, ordered or divided by an element. */
function continued(before: Query, query: Query): Query {
  const fields = new Set(topOf(query.where).flatMap((filter) => ('field' in filter ? [filter.field] : [])));
  const kept = topOf(before.where).filter((filter) => !('field' in filter && fields.has(filter.field)));
  const where = allOf([...kept, ...topOf(query.where)]);
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

/** The best of all entities; those that the question names rather than others. Without a noun, it may continue the one before. */
export function offersOfBank(segments: readonly Segment[], schemas: Schemas, before: Query | undefined): Offer[] {
  const wished = wishedBy(segments);
  if (!wished) return [];
  const said = new Set(
    segments.flatMap(({ items }) => (items.entity ? [items.entity.entity, ...(homonyms[items.entity.entity] ?? [])] : [])),
  );
  const favour = (entity: QueryEntity) => (said.has(entity) ? (usual.has(entity) ? 0 : 0.06) : said.size > 0 ? -0.1 : 0);
  // Most entities are left the same words to be like.
  const known = new Map<string, Likeness['known']>();
  const knownOf = (words: readonly string[]) => {
    const key = words.join(' ');
    const found = known.get(key) ?? new Map();
    known.set(key, found);
    return found;
  };
  // What is denied is of the records that are named.
  const isDenied = segments.some(({ items }) => items.not ?? items.except);
  const entities = (Object.keys(schemas) as QueryEntity[]).filter((entity) => !isDenied || said.size === 0 || said.has(entity));
  const offers = entities.flatMap((entity) =>
    offersOf(entity, segments, schemas, wished, knownOf).map(({ queries, score }) => ({ queries, score: score + favour(entity) })),
  );
  if (!before || said.size > 0) return offers;
  const further = offers.filter(({ queries: [query] }) => query!.entity === before.entity);
  return [...further.map(({ queries: [query], score }) => ({ queries: [continued(before, query!)], score: score + continuedFavour })), ...offers];
}
