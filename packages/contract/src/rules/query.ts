/**
 * The typed query of a question over the portal’s records: an entity, filters that combine, a measure, groups, an order and a time. Sapphire’s parser
 * (or a model) builds it, `domain/query` of the server runs it, and a list’s address carries it. No zod, because the web imports it.
 */

/** Entities of questions. Names of the screens: `collector` is an agent or shipper, `account` a portal user, `user` one that occurs in events. */
export const queryEntities = [
  'alert',
  'case',
  'device',
  'user',
  'rule',
  'technique',
  'tactic',
  'client',
  'vulnerability',
  'response',
  'review',
  'suppression',
  'collector',
  'account',
  'tag',
  'event',
  'rejected',
  'audit',
  'mail',
  'mailSubscription',
  'report',
  'risk',
] as const;
export type QueryEntity = (typeof queryEntities)[number];

/** Of filters: levels, those beside one another, values and characters of one; of a query: groups, columns beside the usual, rows. */
export const queryLimits = { depth: 6, filters: 50, values: 200, text: 200, groups: 3, columns: 20, rows: 10_000 } as const;

export type QueryValue = string | number | boolean;
export const queryComparisons = ['=', '<', '<=', '>', '>='] as const;
export type QueryComparison = (typeof queryComparisons)[number];

/** Start inclusive, end exclusive (ISO 8601), with its words: "last month". */
export interface QueryTime {
  start: string;
  end: string;
  label: string;
}

/**
 * `in`: one of the values (names and choices). `is`: a flag, or present (`true`) and absent (`false`) for other attributes. `compare`: a number, or an
 * ordered choice by its place; with `isOfAverage`, the value is times the mean over all records in scope. `within`: a time. `contains`: a text. `some`: related records, at least one of them without `count`.
 */
export type QueryFilter =
  | { and: QueryFilter[] }
  | { or: QueryFilter[] }
  | { not: QueryFilter }
  | { field: string; in: QueryValue[] }
  | { field: string; is: boolean }
  | { field: string; compare: QueryComparison; value: number | string; isOfAverage?: true }
  | { field: string; within: QueryTime }
  | { field: string; contains: string }
  | {
      some: QueryEntity;
      where?: QueryFilter;
      time?: QueryTime;
      count?: { compare: QueryComparison; value: number; isOfAverage?: true };
    };

/** Lengths that a number can be divided by. */
export const queryPers = ['hour', 'day', 'week'] as const;
export type QueryPer = (typeof queryPers)[number];
/** Records of which each other record has one at most; those without any count as 0. */
export const queryOwners = ['client', 'device'] as const;
export type QueryOwner = (typeof queryOwners)[number];

/** `share`: of the records, those that `of` matches as well. `mean` … `sum`: of a numeric attribute; `max` and `min` of a time as well. */
export type QueryMeasure =
  /**
   * `per`: the mean number in each hour, day or week of the time, or of each client or device. `isShare`: each group as a share of all records as well. `distinct`: the number of
   * different values of an attribute in place of that of the records.
   */
  | { kind: 'count'; per?: QueryPer | QueryOwner; isShare?: true; distinct?: string }
  | { kind: 'list' }
  | { kind: 'exists' }
  | { kind: 'share'; of: QueryFilter }
  | { kind: 'mean' | 'median' | 'max' | 'min' | 'sum'; field: string };

/** Buckets of an entity’s own time, in the viewer’s zone; weekday is 1 (Monday) … 7. */
export const queryBuckets = ['hour', 'weekday', 'day', 'week', 'month'] as const;
export type QueryBucket = (typeof queryBuckets)[number];

export interface Query {
  entity: QueryEntity;
  measure: QueryMeasure;
  where?: QueryFilter;
  /** Of the entity’s own time (`EntitySchema.time`). */
  time?: QueryTime;
  /** Attributes, or buckets of the own time. */
  groupBy?: string[];
  /** Time whose buckets divide, if not the own one: cases closed by week. */
  bucketTime?: string;
  /** Groups whose measure is so alone. */
  having?: { compare: QueryComparison; value: number };
  /** `count` is the size of a group, or with `some` the number of related records. */
  orderBy?: { field: string; isAscending: boolean };
  limit?: number;
  /** Attributes shown besides the entity’s usual columns. */
  show?: string[];
  /** Zone of hours, weekdays and buckets in a list’s address, so that it opens the rows of the answer; UTC without it. */
  timeZone?: string;
  /** The same measure of other records: another time, other conditions, or the mean over all other clients. */
  against?: { time?: QueryTime; where?: QueryFilter; average?: 'client' };
}
