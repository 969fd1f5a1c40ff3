/**
 * The probability that a query is meant, of each of those that a question can mean, and of none of them: a conditional logit model over marks of the
 * query, of its reading and of what is learnt of its parts (docs/decisions/0121-one-ranking.md). Its weights (`ranking.data.ts`) are fitted on
 * questions of writers whose phrasings were left out (`tools/ranking.ts`), those of the reading on questions of strangers
 * (`tools/ranking.strangers.ts`).
 */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { canonicalQuery } from './canonical.ts';
import { partsOfQuery, type QueryParts } from './conditions.ts';
import { wordsIn } from './elements.ts';
import { type Schemas, topOf } from './frames.ts';
import { isAlternative, isComposed, isOfShare, type LikelyQueries } from './learned.ts';
import { weightOf } from './likeness.ts';
import { hasContent } from './parts.ts';
import { rankingWeights } from './ranking.data.ts';
import type { Segment } from './segments.ts';

/** Origin of a candidate; the reading is that of every word, `bare` that without the words that are not understood. */
export const sources = ['reading', 'challenger', 'bare', 'near', 'learned', 'edit', 'word', 'phrase', 'element'] as const;
export type Source = (typeof sources)[number];

export interface Candidate {
  source: Source;
  queries: Query[];
  /** Of its source: a probability or a likeness, up to 1. */
  score: number;
}

/** Of the question, besides its candidates. */
export interface Question {
  words: number;
  /** Weight of the words that are not understood, and of those that count as filler, among all. */
  unread: number;
  filler: number;
  /** The words were put into others before they were read. */
  isRewritten: boolean;
  wants: Readonly<Record<Want, boolean>>;
  nouns: ReadonlySet<QueryEntity>;
}

/** Parts of a query that words of the grammar ask for. */
const relations = ['group', 'order', 'share', 'mean', 'denial', 'comparison', 'against'] as const;
type Want = (typeof relations)[number];

/** Of the grammar’s words in a question. */
function wantsOf(segments: readonly Segment[]): Pick<Question, 'wants' | 'nouns'> {
  const some = (fits: (items: Segment['items']) => unknown) => segments.some(({ items }) => Boolean(fits(items)));
  return {
    wants: {
      group: some(({ group, bucket, trend }) => group ?? bucket ?? trend),
      order: some(({ superlative, time, order }) => order ?? (time ? undefined : superlative)),
      share: some(({ measure }) => measure?.measure === 'share'),
      mean: some(({ measure }) => measure?.measure === 'mean' || measure?.measure === 'median'),
      denial: some(({ not, except, only }) => not ?? except ?? only),
      comparison: some(({ compare, between }) => compare ?? between),
      against: some(({ versus, average }) => versus ?? average),
    },
    nouns: new Set(segments.flatMap(({ items }) => (items.entity ? [items.entity.entity] : []))),
  };
}

/** Shares of the words of a question that are not understood, and that count as filler, by their weight. */
export function questionOf(segments: readonly Segment[], left: readonly string[], isRewritten: boolean): Question {
  const weigh = (each: Segment) => wordsIn(each.text).reduce((sum, word) => sum + weightOf(word), 0);
  const sum = (some: readonly Segment[]) => some.reduce((all, each) => all + weigh(each), 0);
  const all = sum(segments) || 1;
  return {
    words: segments.length,
    unread: sum(segments.filter(({ items, text }) => items.unknown ?? left.includes(text))) / all,
    filler: sum(segments.filter((each) => each.items.filler && !hasContent(each))) / all,
    isRewritten,
    ...wantsOf(segments),
  };
}

/** Wants that a query fulfils. */
const fulfilled = ({ measure, groupBy, orderBy, limit, where, against }: Query): Record<Want, boolean> => {
  const filters = JSON.stringify([where, measure]);
  return {
    group: groupBy !== undefined || (measure.kind === 'count' && measure.per !== undefined),
    order: orderBy !== undefined || limit !== undefined,
    share: measure.kind === 'share' || (measure.kind === 'count' && measure.isShare === true),
    mean: 'field' in measure,
    denial: /"not":|"is":false/.test(filters),
    comparison: filters.includes('"compare"'),
    against: against !== undefined,
  };
};

export interface Ranked {
  queries: Query[];
  isReading: boolean;
  marks: Marks;
  /** Probability that it is meant. */
  share: number;
  /** The reading with conditions that no word expresses, or without what words express. */
  isVariant: boolean;
}
type Marks = Readonly<Record<string, number>>;

const inOrder = (values: readonly unknown[]): unknown[] =>
  values.length < 2
    ? [...values]
    : values
        .map((value) => ({ value, text: JSON.stringify(value) }))
        .sort((a, b) => (a.text < b.text ? -1 : 1))
        .map(({ value }) => value);
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? inOrder(value.map(sorted))
    : value !== null && typeof value === 'object'
      ? Object.entries(value)
          .filter(([key]) => key !== 'label' && key !== 'show')
          .map(([key, each]) => [key, sorted(each)])
          .sort()
      : value;
const isOfRows = ({ measure, groupBy }: Query): boolean =>
  measure.kind === 'exists' || (measure.kind === 'count' && !measure.per && !measure.isShare && !groupBy);
const once = (filter: QueryFilter | undefined): QueryFilter | undefined =>
  filter && 'and' in filter ? { and: [...new Map(filter.and.map((each) => [JSON.stringify(each), each])).values()] } : filter;

/** The same for queries with the same rows: a list begins with its number. */
export const keyOf = (queries: readonly Query[], schemas: Schemas): string =>
  JSON.stringify(
    queries
      .map((query) => canonicalQuery(query, schemas))
      .map((query) => {
        const { order } = schemas[query.entity];
        const isUsual = query.orderBy?.field === order.field && query.orderBy.isAscending === order.isAscending;
        const { orderBy, ...rest } = query;
        return sorted({
          ...(isUsual ? rest : query),
          where: once(query.where),
          measure: isOfRows(query) ? { kind: 'list' } : query.measure,
        });
      }),
  );

const kinds = ['entity', 'measure', 'group', 'order', 'against', 'present', 'lacking'] as const;
const floor = -12;
const clipped = (value: number): number => Math.max(floor, value);

interface Merged {
  queries: Query[];
  scores: Partial<Record<Source, number>>;
  parts: QueryParts[];
  logarithms: number[];
  /** Conditions that the lexicon reads and the query lacks, and those that it has besides. */
  missing: number;
  added: number;
}

/** Conditions one by one, those of related records as well. */
const atomsOf = (conditions: readonly string[]): string[] =>
  conditions.flatMap((condition) => {
    const whole = condition.replace(/^of /, '');
    const { some, where, ...rest } = JSON.parse(whole) as { some?: string; where?: QueryFilter };
    if (some === undefined) return [whole];
    return [JSON.stringify({ some, ...rest }), ...topOf(where).map((each) => `${some} ${JSON.stringify(each)}`)];
  });

/** Conditions alone differ, all in one direction; groups, an order and a comparison can be left out as well. */
function isVariantOf([reading, another]: readonly QueryParts[], [parts, further]: readonly QueryParts[]): boolean {
  if (!reading || another || !parts || further || parts.entity !== reading.entity || parts.measure !== reading.measure)
    return false;
  const kinds = ['group', 'order', 'against'] as const;
  const [own, read] = [new Set(atomsOf(parts.conditions)), new Set(atomsOf(reading.conditions))];
  const isEqual = kinds.every((kind) => parts[kind] === reading[kind]);
  const isFewer =
    [...own].every((each) => read.has(each)) && kinds.every((kind) => parts[kind] === '-' || parts[kind] === reading[kind]);
  const isMore = own.size > read.size && [...read].every((each) => own.has(each)) && isEqual;
  // Equal ones differ in what a share counts.
  return (isFewer && !(isEqual && own.size === read.size && reading.measure === 'share')) || isMore;
}

/** Alternatives in one, denials, shares and comparisons: composed by the grammar, and rare among what is learnt. */
const isOfGrammar = ({ conditions, against, measure }: QueryParts): boolean =>
  against !== '-' ||
  measure === 'share' ||
  conditions.some((each) => isComposed.test(each) || isOfShare(each) || isAlternative(each));

/** Compositions of the grammar that are rare in the questions of training. */
const composed: readonly (readonly [string, RegExp])[] = [
  ['alternative', /"or":\[/],
  ['denied', /"not":\{"(?:and|or)"/],
  ['past', /"field":"createdTime"/],
  ['hours', /"field":"(?:weekday|hour|isWeekend|isWorkingHours)"/],
  ['counted', /"count":\{/],
  ['against', /"against":/],
  ['share', /"kind":"share"/],
];

/** Of what the words ask for: it is there, it is not, or it is there unasked. */
function marksOfWants(queries: readonly Query[], { wants, nouns }: Question): Marks {
  const own = queries.map(fulfilled);
  return {
    ...Object.fromEntries(
      relations.flatMap((want): [string, number][] => {
        const has = own.some((each) => each[want]);
        return [
          [`${want} wanted`, Number(wants[want] && has)],
          [`${want} unasked`, Number(!wants[want] && has)],
        ];
      }),
    ),
    named: Number(queries.some(({ entity }) => nouns.has(entity))),
    unnamed: Number(nouns.size > 0 && !queries.some(({ entity }) => nouns.has(entity))),
  };
}

/** Few words, each with a meaning and of the lexicon. */
const isShort = ({ words, filler, isRewritten }: Question): boolean => words <= maxShort && filler === 0 && !isRewritten;
const maxShort = 4;

/** Related records without conditions. */
const loose = /\{"some":"\w+"\}/g;

/** "The analyst of case 12": a column of one record. */
const isOfNumber = (where: QueryFilter | undefined): boolean =>
  topOf(where).some((filter) => 'compare' in filter && filter.field === 'number' && filter.compare === '=');

interface OfReading {
  queries: readonly Query[];
  /** The queries as JSON. */
  text: string;
  texts: number;
  total: number;
  learned: number;
  conditions: number;
  grammar: number;
}

/** Of a reading alone, by its question. */
const readingMarks = ({ queries, text, texts, total, learned, conditions, grammar }: OfReading, question: Question): Marks => ({
  'reading likeliest': Number(total > -0.05),
  'reading shown': queries.reduce(
    (sum, { show = [], where }) => sum + (isOfNumber(where) ? 0 : show.filter((field) => field !== 'client').length),
    0,
  ),
  'reading loose': text.match(loose)?.length ?? 0,
  'reading total': total,
  'reading learnedShare': learned,
  'reading conditions': conditions,
  'reading words': Math.min(3, question.words / 10),
  'reading short': Number(isShort(question)),
  'reading filler': question.filler,
  'reading rewritten': Number(question.isRewritten),
  'reading texts': texts,
  'reading grammar': grammar,
  'reading grammar learnedShare': grammar * learned,
  ...Object.fromEntries(composed.map(([name, pattern]) => [`reading ${name}`, Number(pattern.test(text))])),
});

/** Marks of a candidate: what differs between those of one question. */
function marksOf({ queries, scores, parts, logarithms, missing, added }: Merged, most: number, question: Question): Marks {
  const total = clipped(logarithms.reduce((sum, each) => sum + each, 0) - most);
  const conditions = parts.reduce((sum, each) => sum + each.conditions.length, 0) / parts.length;
  const isPlain = queries.every(({ where, time, groupBy, orderBy }) => !(where ?? time ?? groupBy ?? orderBy));
  const learned = scores.learned === undefined ? floor / 2 : Math.max(floor / 2, Math.log(scores.learned));
  const text = JSON.stringify(queries);
  // A number of a vulnerability names it.
  const texts = text.match(/"contains":"(?!CVE-\d)/gi)?.length ?? 0;
  const grammar = Number(parts.some(isOfGrammar));
  const of = (source: Source) => (scores[source] === undefined ? 0 : 1);
  return {
    ...Object.fromEntries(sources.map((source) => [source, of(source)])),
    ...Object.fromEntries(kinds.map((kind, at) => [kind, clipped(logarithms[at]!)])),
    ...marksOfWants(queries, question),
    missing,
    added,
    total,
    learnedShare: learned,
    wordScore: scores.word ?? 0,
    phraseScore: scores.phrase ?? 0,
    elementScore: scores.element ?? 0,
    conditions,
    isPlain: Number(isPlain),
    texts,
    grammar,
    agreeing: Object.keys(scores).length,
    ...(of('reading') && readingMarks({ queries, text, texts, total, learned, conditions, grammar }, question)),
    ...(of('bare') && { 'bare unread': question.unread, 'bare total': total, 'bare conditions': conditions }),
  };
}

/** That none of the candidates is meant. */
const marksOfNone = (question: Question, best: number): Marks => ({
  none: 1,
  'none words': Math.min(3, question.words / 10),
  'none unread': question.unread,
  'none filler': question.filler,
  'none best': best,
});

const scoreOf = (marks: Marks): number =>
  Object.entries(marks).reduce((sum, [name, value]) => sum + (rankingWeights[name] ?? 0) * value, 0);

/** The likeliest first; those with the same rows are one. */
export function rank(
  candidates: readonly Candidate[],
  likely: LikelyQueries,
  schemas: Schemas,
  question: Question,
): { ranked: Ranked[]; none: Marks } {
  const merged = new Map<string, Merged>();
  for (const { source, queries, score } of candidates) {
    const key = keyOf(queries, schemas);
    const known = merged.get(key);
    if (known) known.scores[source] = Math.max(known.scores[source] ?? 0, score);
    else {
      const parts = queries.map((query) => partsOfQuery(query, schemas));
      const each = parts.map((part) => likely.logarithmsOf(part));
      const logarithms = kinds.map((_, at) => each.reduce((sum, own) => sum + own[at]!, 0) / each.length);
      const read = parts.map(({ entity }) => likely.known.conditionsOf(entity as QueryEntity));
      const count = (fits: (own: ReadonlySet<string>, known: ReadonlySet<string>) => number) =>
        parts.reduce(
          (sum, { conditions }, at) => sum + fits(new Set(conditions.map((name) => name.replace(/^of /, ''))), read[at]!),
          0,
        ) / parts.length;
      const missing = count((own, known) => [...known].filter((name) => !own.has(name)).length);
      const added = count((own, known) => [...own].filter((name) => !known.has(name)).length);
      merged.set(key, { queries, scores: { [source]: score }, parts, logarithms, missing, added });
    }
  }
  const all = [...merged.values()];
  const most = Math.max(...all.map(({ logarithms }) => logarithms.reduce((sum, each) => sum + each, 0)));
  const best = all.reduce((least, { scores }) => Math.max(least, scores.learned ?? 0), 0);
  const none = marksOfNone(question, best);
  const marked = all.map((each) => ({ each, marks: marksOf(each, most, question) }));
  const scored = marked.map(({ each, marks }) => ({ each, marks, score: Math.exp(scoreOf(marks)) }));
  const read = all.find(({ scores }) => scores.reading !== undefined)?.parts ?? [];
  const sum = scored.reduce((total, { score }) => total + score, Math.exp(scoreOf(none)));
  const ranked = scored
    .map(
      ({ each, marks, score }): Ranked => ({
        queries: each.queries,
        isReading: each.scores.reading !== undefined,
        marks,
        share: score / sum,
        isVariant: each.parts !== read && isVariantOf(read, each.parts),
      }),
    )
    .sort((a, b) => b.share - a.share);
  return { ranked, none };
}
