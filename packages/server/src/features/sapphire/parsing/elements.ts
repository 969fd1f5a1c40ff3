/** Elements of the queries of an entity, each with the phrases of the lexicon: the bank from which questions are offered (docs/decisions/0056-offers-by-word-vectors.md). */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { Attribute } from '../../../domain/query/schema.ts';
import { areRelated, type Schemas } from './frames.ts';
import { buckets } from './lexicon.data.ts';
import { tokensOf } from './tokens.ts';
import { topics } from './topics.data.ts';

export interface Element {
  /** `name`: the attribute of a name that the question has, such as who closed. `bound`: what a comparison with a number is of. */
  kind: 'filter' | 'group' | 'order' | 'mean' | 'name' | 'time' | 'bound';
  field: string;
  /** Words of each phrase. */
  phrases: readonly (readonly string[])[];
  filter?: QueryFilter;
  /** Of an order. */
  isMost?: boolean;
  /** Something is denied. */
  isNegative?: boolean;
}

/** Letters only: what a vector can be of. */
export const wordsIn = (text: string): string[] =>
  tokensOf(text).flatMap(({ text: word }) => word.split(/[^a-z]+/).filter((part) => part.length > 1));

const maxPhrases = 24;
const phrasesOf = (phrases: readonly string[], before: readonly string[] = []): string[][] =>
  phrases
    .filter((phrase) => !/[._]/.test(phrase))
    .slice(0, maxPhrases)
    .map((phrase) => [...before, ...wordsIn(phrase)])
    .filter((words) => words.length > 0);

const denies =
  /^(?:no|not|never|without|non|un\w+|in(?:active|complete|correct|secure|sufficient|valid)\w*|none|nobody|missing|lacking)\b/i;

function ofAttribute(field: string, attribute: Attribute): Omit<Element, 'field'>[] {
  const own = phrasesOf(attribute.words);
  const { superlatives: extremes = {} } = attribute as { superlatives?: Record<string, readonly string[]> };
  const orders = (Object.keys(extremes).length > 0 ? Object.entries(extremes) : []).map(([which, words]) => ({
    kind: 'order' as const,
    isMost: which === 'most' || which === 'latest',
    phrases: phrasesOf(words),
  }));
  switch (attribute.type) {
    case 'flag':
      return [
        { kind: 'filter', phrases: phrasesOf(attribute.yes), filter: { field, is: true } },
        ...(attribute.no
          ? [{ kind: 'filter' as const, phrases: phrasesOf(attribute.no), filter: { field, is: false }, isNegative: true }]
          : []),
      ];
    case 'choice':
      return [
        ...Object.entries(attribute.choices).map(([value, words]) => ({
          kind: 'filter' as const,
          phrases: phrasesOf(words),
          filter: { field, in: [value] },
          isNegative: words.some((word) => denies.test(word)),
        })),
        { kind: 'group', phrases: own },
        ...orders,
        ...(attribute.isOrdered && orders.length === 0
          ? [true, false].map((isMost) => ({
              kind: 'order' as const,
              isMost,
              phrases: phrasesOf(attribute.words, [isMost ? 'highest' : 'lowest']),
            }))
          : []),
      ];
    case 'name':
    case 'names': {
      const isPerson = attribute.names === 'account' || attribute.names === 'user';
      return [
        { kind: 'group', phrases: isPerson ? [...own, ...own.map((words) => ['who', ...words])] : own },
        { kind: 'name', phrases: own },
      ];
    }
    case 'number':
      return [
        ...orders,
        { kind: 'order', isMost: true, phrases: phrasesOf(attribute.words, ['highest']) },
        { kind: 'order', isMost: false, phrases: phrasesOf(attribute.words, ['lowest']) },
        { kind: 'mean', phrases: phrasesOf(attribute.words, ['average']) },
        { kind: 'bound', phrases: own },
      ];
    case 'time':
      return [...orders, { kind: 'time', phrases: phrasesOf(attribute.verbs ?? []) }];
    default:
      return [];
  }
}

/** Parts of times and bands of ages: used as such, or not at all. */
const timed: ReadonlySet<string> = new Set([
  'weekday',
  'hour',
  'ageBand',
  'isWeekend',
  'isWorkingHours',
  'age',
  'number',
  'case',
]);

const made = new WeakMap<Schemas, Map<QueryEntity, readonly Element[]>>();

/** Every element of an entity. */
export function elementsOf(entity: QueryEntity, schemas: Schemas): readonly Element[] {
  const all = made.get(schemas) ?? new Map<QueryEntity, readonly Element[]>();
  made.set(schemas, all);
  const known = all.get(entity);
  if (known) return known;
  const { attributes, time } = schemas[entity];
  const related = (Object.keys(schemas) as QueryEntity[]).filter(
    (other) => other !== entity && areRelated(schemas, entity, other),
  );
  const elements: Element[] = [
    ...Object.entries(attributes)
      .filter(([field]) => !timed.has(field))
      .flatMap(([field, attribute]) => ofAttribute(field, attribute).map((each) => ({ ...each, field }))),
    ...topics
      .filter(({ entities, isGuess }) => entities.includes(entity) && !isGuess)
      .map(({ field, texts, words }) => ({
        kind: 'filter' as const,
        field,
        phrases: phrasesOf(words),
        filter: texts.length === 1 ? { field, contains: texts[0]! } : { or: texts.map((text) => ({ field, contains: text })) },
      })),
    ...related.flatMap((other): Element[] => {
      const [field, filter] = [`some ${other}`, { some: other }];
      const words = schemas[other].words.slice(0, 6);
      return [
        // Every record has a client.
        ...(other === 'client'
          ? []
          : [
              { kind: 'filter' as const, field, phrases: phrasesOf(words, ['with']), filter },
              { kind: 'bound' as const, field, phrases: phrasesOf(words), filter },
            ]),
        { kind: 'filter', field, phrases: phrasesOf(words, ['without']), filter: { not: filter }, isNegative: true },
        { kind: 'order', isMost: true, field, phrases: phrasesOf(words, ['most']), filter },
      ];
    }),
    ...(time
      ? Object.entries(buckets).map(([field, words]) => ({ kind: 'group' as const, field, phrases: phrasesOf(words) }))
      : []),
  ].filter(({ phrases }) => phrases.length > 0);
  all.set(entity, elements);
  return elements;
}

/** The plain query of an entity with elements; those of names and times are filled in by the question. */
export function queryOf(entity: QueryEntity, elements: readonly Element[], isMost: boolean | undefined): Query {
  const filters = elements.flatMap(({ filter, kind }) => (filter && (kind === 'filter' || kind === 'order') ? [filter] : []));
  const mean = elements.find(({ kind }) => kind === 'mean');
  const order = elements.find(({ kind }) => kind === 'order');
  const groups = elements.filter(({ kind }) => kind === 'group').map(({ field }) => field);
  const measure: Query['measure'] = mean ? { kind: 'mean', field: mean.field } : { kind: groups.length > 0 ? 'count' : 'list' };
  const field = order ? (order.filter ? 'count' : order.field) : groups.length > 0 && isMost !== undefined ? 'count' : undefined;
  const isAscending = order ? order.isMost === false : isMost === false;
  return {
    entity,
    measure,
    ...(filters.length > 0 && { where: filters.length === 1 ? filters[0]! : { and: filters } }),
    ...(groups.length > 0 && { groupBy: groups }),
    ...(field && { orderBy: { field, isAscending } }),
  };
}
