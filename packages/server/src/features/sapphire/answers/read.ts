/** Runs a part of a question, with what its answer needs besides: rows of small counts, and where the data begins. */
import type { Query } from '@parapet/contract/rules/query.ts';
import type { Tx } from '../../../core/db/scope.ts';
import { conditionsOf } from '../../../domain/query/filters.ts';
import type { QueryResult } from '../../../domain/query/result.ts';
import { readRows, runQuery } from '../../../domain/query/run.ts';
import type { QueryContext } from '../../../domain/query/schema.ts';
import { schemaOf } from '../../../domain/query/schemas.ts';
import { hasList } from './links.ts';

export interface Part {
  query: Query;
  result: QueryResult;
  /** Time of the oldest record, if all are younger than the question’s time. */
  begins?: string | undefined;
}

/** Counts up to this name their records. */
const few = 5;
const most = 200;

export async function readPart(tx: Tx, query: Query, context: QueryContext): Promise<Part> {
  const isList = query.measure.kind === 'list' && query.groupBy === undefined;
  const result = await runQuery(tx, isList && query.limit === undefined ? { ...query, limit: most } : query, context);
  if (result.groups && query.limit === undefined)
    return { query, result: { ...result, groups: withNamed(query, result.groups) } };
  if (result.total === 0) return { query, result, begins: await beginOf(tx, query, context) };
  // The records are not what is counted.
  const { measure } = query;
  if (measure.kind !== 'count' || measure.distinct !== undefined || query.groupBy !== undefined || query.against)
    return { query, result };
  // Without a list, the answer itself shows the records.
  const limit = hasList(query.entity) ? few : most;
  if (limit === few && result.total > few) return { query, result };
  const rows = await readRows(tx, { ...query, limit }, context);
  return { query, result: { ...result, rows } };
}

/** Groups that the filter names and that have no record, with 0: "Harbor against Summit". */
function withNamed({ groupBy = [], measure, where }: Query, groups: NonNullable<QueryResult['groups']>) {
  const [field, second] = groupBy;
  const named = conditionsOf(where).find((filter) => 'in' in filter && filter.field === field);
  if (second !== undefined || !named || !('in' in named) || 'field' in measure || measure.kind === 'share') return groups;
  const there = new Set(groups.map(({ keys }) => String(keys[0]).toLowerCase()));
  return [
    ...groups,
    ...named.in.filter((name) => !there.has(String(name).toLowerCase())).map((name) => ({ keys: [name], value: 0 })),
  ];
}

async function beginOf(tx: Tx, { entity, time }: Query, context: QueryContext): Promise<string | undefined> {
  const field = schemaOf(entity)?.time;
  if (time === undefined || field === undefined) return undefined;
  const oldest: Query = { entity, measure: { kind: 'list' }, orderBy: { field, isAscending: true }, show: [field], limit: 1 };
  const [first] = await readRows(tx, oldest, context);
  const at = first?.cells[field];
  return typeof at === 'string' && Date.parse(time.end) <= Date.parse(at) ? at : undefined;
}
