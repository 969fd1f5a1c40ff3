/** Times of states: what was open at a past time was opened before its end and not closed before its begin; what was closed is divided by its closing. */
import { type Query, type QueryFilter, queryBuckets } from '@parapet/contract/rules/query.ts';
import type { Composed } from './composed.ts';
import { allOf, filterFields, type Schemas, topOf } from './frames.ts';
import { days } from './framing.ts';
import type { Segment } from './segments.ts';

const isOpen = (filter: QueryFilter): boolean => 'is' in filter && filter.field === 'isOpen' && filter.is;
const always = '1970-01-01T00:00:00.000Z';

/** "Were open", "had been unresolved": the words before the state. */
export const isPastBefore = (before: readonly Segment[]): boolean =>
  /\b(?:was|were|stood|had been|been)(?: (?:still|already|left|sitting|lying|then|also|currently|not))*$|\b(?:wasn'?t|weren'?t)$/i.test(
    before
      .slice(-4)
      .map(({ text }) => text)
      .join(' '),
  );

const buckets: ReadonlySet<string> = new Set(queryBuckets);

/** "Closed per week": the weeks of closing, where that time is given or measured. */
export function bucketTimeOf(
  { entity, where, groupBy = [], measure }: Query,
  { stateTime }: Composed,
  schemas: Schemas,
): string | undefined {
  const { time, attributes } = schemas[entity];
  if (!groupBy.some((field) => buckets.has(field))) return undefined;
  const within = topOf(where).find((filter) => 'within' in filter && filter.field !== time);
  const measured = 'field' in measure ? endings[measure.field] : undefined;
  const timeField = within && 'field' in within ? within.field : (measured ?? stateTime);
  return timeField !== undefined && timeField !== time && attributes[timeField]?.type === 'time' ? timeField : undefined;
}
/** Time at which a duration was over. */
const endings: Readonly<Record<string, string>> = { timeToClose: 'closedTime', timeToFix: 'fixedAt' };

/** The query of what was open in its time; undefined where the history of the state is not kept. */
export function wasOpen(query: Query): Query | undefined {
  const { time, where, ...rest } = query;
  if (query.entity !== 'case' || !time || !topOf(where).some(isOpen)) return undefined;
  const label = time.label.replace(/^on /, '');
  const opened: QueryFilter = {
    field: 'createdTime',
    within: { start: always, end: time.end, label: `until the end of ${label}` },
  };
  const closed: QueryFilter = {
    not: { field: 'closedTime', within: { start: always, end: time.start, label: `before ${label}` } },
  };
  return { ...rest, where: allOf([...topOf(where).filter((filter) => !isOpen(filter)), opened, closed])! };
}

/** "Last day and last week" are two questions. */
export const covers = (one: NonNullable<Query['time']>, other: NonNullable<Query['time']>): boolean =>
  one.start <= other.start && other.end <= one.end;

export function eitherTime(query: Query, times: readonly NonNullable<Query['time']>[], schemas: Schemas): Query {
  const field = schemas[query.entity].time!;
  const { time: _, ...rest } = query;
  const either: QueryFilter = { or: times.map((within) => ({ field, within })) };
  return { ...rest, where: allOf([...(query.where ? [query.where] : []), either])! };
}

/** Fields of the own time beside a time of another state: "closed on weekends" would be those opened then. */
export function mixedTimes({ entity, where }: Query, schemas: Schemas): string[] {
  const top = topOf(where);
  const isOther = top.some((filter) => 'within' in filter && filter.field !== schemas[entity].time);
  const isState = top.some((filter) => 'is' in filter && filter.field === 'isOpen' && !filter.is);
  return isOther || isState ? top.flatMap(filterFields).filter((field) => days.has(field)) : [];
}
