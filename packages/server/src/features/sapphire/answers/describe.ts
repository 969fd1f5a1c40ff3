/**
 * A query in words, from the query and the titles of its schema alone: every filter, exclusion, time, group and order occurs, so that a reader
 * sees what was understood. `questionOf` is the same as a question.
 */

import { durationText } from '@parapet/contract/rules/duration.ts';
import type { Query, QueryComparison, QueryEntity, QueryFilter, QueryTime, QueryValue } from '@parapet/contract/rules/query.ts';
import { weekdayChoices } from '../../../domain/query/attributes.ts';
import type { Attribute, EntitySchema } from '../../../domain/query/schema.ts';
import { schemaOf } from '../../../domain/query/schemas.ts';
import { inTime, listed, number, plain, quoted, sentence } from '../skills/facts.ts';

/** Before the noun ("open"), and after it ("at Birch"). */
interface Words {
  before: string[];
  after: string[];
}

/** Between the clauses of a sentence, until it is whole. */
const gap = '\u0001';

/** Of 1 (Monday) … 7. */
export const weekdayName = (day: number): string => sentence(Object.values(weekdayChoices)[day - 1]?.[0] ?? 'none');
const comparisons: Record<QueryComparison, string> = { '=': '', '<': 'under', '<=': 'at most', '>': 'over', '>=': 'at least' };
const opposite: Record<QueryComparison, QueryComparison | undefined> = {
  '=': undefined,
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};
/** Phrases that follow a noun without "that are". */
const isPhrase =
  /^(?:with|without|in|on|at|by|from|of|not|outside|over|under|above|below|never|due|last|no|full|who|that|has|have|do|don|does|did)\b/;

function requireSchema(entity: QueryEntity): EntitySchema {
  const schema = schemaOf(entity);
  if (!schema) throw new Error(`There is no schema of ${entity}.`);
  return schema;
}

/** "Open cases at Birch and Cedar, except severity low, oldest first". */
export function describe(query: Query): string {
  const { measure, against } = query;
  const things = thingsOf(query);
  const shown = query.show?.map((field) => titleOf(query, field)) ?? [];
  const parts = [
    measure.kind === 'share'
      ? `of ${things}, those ${joined(wordsOf(requireSchema(query.entity), measure.of))}`
      : 'field' in measure
        ? `${measureWords[measure.kind]} ${titleOf(query, measure.field)} of ${things}`
        : measure.kind === 'count' && measure.per
          ? `mean number of ${things} per ${measure.per}`
          : measure.kind === 'count' && measure.distinct !== undefined
            ? differentOf(query, measure.distinct, things)
            : things,
    ...orderWords(query),
    ...(shown.length > 0 ? [`with ${listed(shown)} shown`] : []),
    ...(against ? [`against ${againstWords(query, against)}`] : []),
  ];
  return sentence(parts.join(gap)).replaceAll(gap, ', ');
}

/** A plain question for the query, offered as a choice. */
export function questionOf(query: Query): string {
  const { measure } = query;
  const things = thingsOf(query);
  const start =
    measure.kind === 'count' && measure.per
      ? `average number of ${things} per ${measure.per}`
      : measure.kind === 'count'
        ? `how many ${measure.distinct === undefined ? things : differentOf(query, measure.distinct, things)}`
        : measure.kind === 'exists'
          ? `are there ${things}`
          : measure.kind === 'share'
            ? `what share of ${things} is ${joined(wordsOf(requireSchema(query.entity), measure.of))}`
            : 'field' in measure
              ? `${measureWords[measure.kind]} ${titleOf(query, measure.field)} of ${things}`
              : `list ${things}`;
  const against = query.against ? [`compared with ${againstWords(query, query.against)}`] : [];
  // A comma may begin another part of a question.
  return sentence([start, ...orderWords(query), ...against].join(gap)).replaceAll(gap, ' ');
}

/** One question for the parts of one. */
export const questionsOf = (queries: readonly Query[]): string => queries.map(questionOf).join('; ');

/** The records of a query with their filters, time and groups: "alerts at Alder last week, by rule". */
function thingsOf({ entity, where, time, groupBy = [], bucketTime, having, measure }: Query): string {
  const things = phrase(entity, where, time);
  if (groupBy.length === 0) return things;
  return [
    things,
    `by ${listed(groupBy.map((field) => titleOf({ entity }, field)))}${bucketTime ? ` (${titleOf({ entity }, bucketTime)})` : ''}`,
    ...(measure.kind === 'count' && measure.isShare ? ['in percent of all'] : []),
    ...(having ? [`those with ${comparisons[having.compare] || 'exactly'} ${number(having.value)}`] : []),
  ].join(gap);
}

export const measureWords = { mean: 'mean', median: 'median', max: 'highest', min: 'lowest', sum: 'total' } as const;
const bucketTitles: Record<string, string> = {
  hour: 'hour of day',
  weekday: 'weekday',
  day: 'day',
  week: 'week',
  month: 'month',
};

export const titleOf = ({ entity }: Pick<Query, 'entity'>, field: string): string =>
  bucketTitles[field] ?? requireSchema(entity).attributes[field]?.title ?? (field === 'count' ? 'number' : field);

/** "Different users of alerts", "different people who closed cases". */
function differentOf(query: Query, field: string, things: string): string {
  const [, plural] = nounOfDistinct(query, field);
  const [, verb] = /^(.+) by$/.exec(titleOf(query, field)) ?? [];
  return `different ${plural} ${verb ? `who ${verb}` : 'of'} ${things}`;
}

/** "User", "users": of an attribute whose different values are counted. */
export function nounOfDistinct(query: Pick<Query, 'entity'>, field: string): readonly [string, string] {
  const title = titleOf(query, field);
  if (title.endsWith(' by')) return ['person', 'people'];
  return schemaOf(field as QueryEntity)?.title ?? [title, title.endsWith('y') ? `${title.slice(0, -1)}ies` : `${title}s`];
}

function againstWords(query: Query, { time, where, average }: NonNullable<Query['against']>): string {
  if (average) return 'the mean of the other clients';
  if (where) return phrase(query.entity, where, time ?? query.time);
  return time ? time.label : 'all';
}

function orderWords({ entity, groupBy = [], orderBy, limit, measure }: Query): string[] {
  const only = limit === undefined ? [] : [limit === 1 ? 'the first only' : `the first ${number(limit)}`];
  if (!orderBy) return only;
  const { field, isAscending } = orderBy;
  const attribute = requireSchema(entity).attributes[field];
  const isSize = field === 'count' || field === 'value';
  if (isSize && (groupBy.length > 0 || measure.kind === 'list')) return [isAscending ? 'fewest first' : 'most first', ...only];
  if (attribute?.type === 'time')
    return [
      `${field === requireSchema(entity).time ? '' : `by ${attribute.title}, `}${isAscending ? 'oldest' : 'newest'} first`,
      ...only,
    ];
  if (attribute && attribute.type !== 'number' && attribute.type !== 'choice' && !isSize)
    return [`by ${attribute.title}, ${isAscending ? 'A to Z' : 'Z to A'}`, ...only];
  return [`by ${titleOf({ entity }, field)}, ${isAscending ? 'lowest' : 'highest'} first`, ...only];
}

function phrase(entity: QueryEntity, where: QueryFilter | undefined, time: QueryTime | undefined): string {
  const schema = requireSchema(entity);
  const { before, after } = where ? wordsOf(schema, where) : { before: [], after: [] };
  const rest = [...after, ...(time ? [inTime(time.label)] : [])];
  return [...before, schema.title[1], ...(rest.length > 0 ? [rest.join(gap)] : [])].join(' ');
}

/** Words of a filter without a noun: "with severity low", "that are open". */
const joined = ({ before, after }: Words): string =>
  [...(before.length > 0 ? [`that are ${before.join(', ')}`] : []), ...after].join(gap);

function wordsOf(schema: EntitySchema, filter: QueryFilter): Words {
  if ('and' in filter) {
    const parts = filter.and.map((part) => wordsOf(schema, part));
    return {
      before: [...new Set(parts.flatMap(({ before }) => before))],
      after: [...new Set(parts.flatMap(({ after }) => after))],
    };
  }
  if ('or' in filter) return after(`either ${filter.or.map((part) => joined(wordsOf(schema, part))).join(' or ')}`);
  if ('not' in filter) return exclusion(schema, filter.not);
  if ('some' in filter) return after(related(filter));
  const attribute = schema.attributes[filter.field];
  if (!attribute) return after(filter.field);
  const { title } = attribute;
  if ('is' in filter) return presence(attribute, filter.is);
  if ('within' in filter) {
    const verb = attribute.type === 'time' ? attribute.verbs?.[0] : undefined;
    return after(`${verb ?? `with ${title}`} ${inTime(filter.within.label)}`);
  }
  if ('contains' in filter) return after(`with ${title} containing ${quoted(filter.contains)}`);
  if ('compare' in filter)
    return after(
      filter.isOfAverage
        ? `with ${title} ${comparisons[filter.compare] || 'exactly'} the average`
        : comparisonWords(attribute, filter.compare, filter.value),
    );
  return oneOf(attribute, filter.field, filter.in);
}

const after = (text: string): Words => ({ before: [], after: [text] });

function oneOf(attribute: Attribute, field: string, values: readonly QueryValue[]): Words {
  const names = values.map((value) => valueWords(attribute, value));
  if (field === 'client') return after(`at ${listed(names)}`);
  if (field === 'partner') return after(`at the clients of ${listed(names)}`);
  if (field === 'severity') return { before: [listed(names, 'or')], after: [] };
  if (field === 'weekday') return after(`on ${listed(values.map((value) => `${weekdayName(Number(value))}s`))}`);
  return after(`with ${attribute.title} ${listed(names, 'or')}`);
}

export function valueWords(attribute: Attribute | undefined, value: QueryValue): string {
  if (attribute?.type === 'choice') {
    const word = attribute.choices[String(value)]?.[0] ?? plain(String(value));
    return word.startsWith(`${attribute.title} `) ? word.slice(attribute.title.length + 1) : word;
  }
  if (attribute?.type === 'number' && typeof value === 'number') return amount(attribute, value);
  return plain(String(value));
}

export function amount(attribute: Attribute | undefined, value: number): string {
  if (attribute?.type === 'number' && attribute.unit === 'minutes') return durationText(value);
  const rounded = number(Math.round(value * 10) / 10);
  return attribute?.type === 'number' && attribute.unit === 'percent' ? `${rounded}%` : rounded;
}

function presence(attribute: Attribute, is: boolean): Words {
  if (attribute.type !== 'flag') return after(`${is ? 'with' : 'without'} ${attribute.title}`);
  const word = is ? attribute.yes[0] : attribute.no?.[0];
  if (word === undefined) return after(`not ${attribute.yes[0] ?? attribute.title}`);
  if (isPhrase.test(word)) return after(word);
  return /^[\w-]+$/.test(word) && word !== 'mine' ? { before: [word], after: [] } : after(`that are ${word}`);
}

function comparisonWords(attribute: Attribute, compare: QueryComparison, value: number | string): string {
  const words = valueWords(attribute, value);
  if (attribute.type !== 'choice') return `with ${attribute.title} ${comparisons[compare]} ${words}`.replace('  ', ' ');
  const order = {
    '=': words,
    '<': `below ${words}`,
    '<=': `${words} or lower`,
    '>': `above ${words}`,
    '>=': `${words} or higher`,
  };
  return `with ${attribute.title} ${order[compare]}`;
}

function exclusion(schema: EntitySchema, filter: QueryFilter): Words {
  if ('not' in filter) return wordsOf(schema, filter.not);
  if ('some' in filter && !filter.count) return after(`without ${phrase(filter.some, filter.where, filter.time)}`);
  const attribute = 'field' in filter ? schema.attributes[filter.field] : undefined;
  if (attribute && 'is' in filter) return presence(attribute, !filter.is);
  if (attribute && 'compare' in filter && !filter.isOfAverage && opposite[filter.compare])
    return after(comparisonWords(attribute, opposite[filter.compare]!, filter.value));
  if (attribute && 'in' in filter && filter.field === 'severity')
    return after(
      `without ${listed(
        filter.in.map((value) => valueWords(attribute, value)),
        'or',
      )} ones`,
    );
  const words = joined(wordsOf(schema, filter));
  if (attribute && 'within' in filter && !/^with/.test(words)) return after(`not ${words}`);
  return after('and' in filter ? `except those ${words.replaceAll(gap, ' and ')}` : `except ${words.replace(/^with /, '')}`);
}

function related({ some, where, time, count }: Extract<QueryFilter, { some: QueryEntity }>): string {
  const things = phrase(some, where, time);
  if (!count) return `with ${things}`;
  if (count.isOfAverage) return `with ${comparisons[count.compare] || 'exactly'} the average number of ${things}`;
  if (count.compare === '=' && count.value === 0) return `without ${things}`;
  // None included: only an order by their number.
  if (count.compare === '>=' && count.value === 0) return `by number of ${things}`;
  return `with ${comparisons[count.compare] || 'exactly'} ${number(count.value)} ${things}`;
}
