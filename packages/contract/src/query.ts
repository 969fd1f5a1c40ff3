/** Typed queries in addresses: JSON as base64url, validated as strictly as any other input. */
import { z } from 'zod';
import { instant, startBeforeEnd, timeZone } from './primitives.ts';
import {
  type Query,
  type QueryEntity,
  type QueryFilter,
  queryBuckets,
  queryComparisons,
  queryEntities,
  queryLimits,
  queryOwners,
  queryPers,
} from './rules/query.ts';

/** Of an encoded query; longer ones open no list. */
export const maxQueryLength = 1800;
/** Refusal of a link whose query is damaged or of another list. */
export const invalidQueryText = 'The query of this link is not valid. Open the list without it.';

const field = z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,39}$/);
const label = z.string().max(queryLimits.text);
const number = z.number().min(-1e12).max(1e12);
const value = z.union([label, number, z.boolean()]);
const time = startBeforeEnd(z.strictObject({ start: instant, end: instant, label }));
/** Zone of a viewer whose page sends its offset alone. */
const offset = z.string().regex(/^[+-](?:0\d|1[0-4]):[0-5]\d$/);
const comparison = z.enum(queryComparisons);

const filter: z.ZodType<QueryFilter> = z.lazy(() =>
  z.union([
    z.strictObject({ and: z.array(filter).min(1).max(queryLimits.filters) }),
    z.strictObject({ or: z.array(filter).min(1).max(queryLimits.filters) }),
    z.strictObject({ not: filter }),
    z.strictObject({ field, in: z.array(value).min(1).max(queryLimits.values) }),
    z.strictObject({ field, is: z.boolean() }),
    z.strictObject({ field, compare: comparison, value: z.union([number, label]), isOfAverage: z.literal(true).exactOptional() }),
    z.strictObject({ field, within: time }),
    z.strictObject({ field, contains: label.min(1) }),
    z.strictObject({
      some: z.enum(queryEntities),
      where: filter.exactOptional(),
      time: time.exactOptional(),
      count: z.strictObject({ compare: comparison, value: number, isOfAverage: z.literal(true).exactOptional() }).exactOptional(),
    }),
  ]),
);

const measure = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('count'),
    per: z.enum([...queryPers, ...queryOwners]).exactOptional(),
    isShare: z.literal(true).exactOptional(),
    distinct: field.exactOptional(),
  }),
  z.strictObject({ kind: z.enum(['list', 'exists']) }),
  z.strictObject({ kind: z.literal('share'), of: filter }),
  z.strictObject({ kind: z.enum(['mean', 'median', 'max', 'min', 'sum']), field }),
]);

/** Number of filters within one another. Reads untrusted JSON before its shape is checked. */
function depthOf(filter: unknown): number {
  const { and = [], or = [], not, where } = Object(filter) as Record<string, unknown>;
  const inner = [and, or, not, where].flat().filter((each) => each !== undefined);
  return 1 + Math.max(0, ...inner.map(depthOf));
}

function hasDepth(query: unknown): boolean {
  const { where, measure, against } = Object(query) as Record<string, unknown>;
  const filters = [where, Object(measure).of, Object(against).where];
  return filters.every((each) => each === undefined || depthOf(each) <= queryLimits.depth);
}

const shape = z.strictObject({
  entity: z.enum(queryEntities),
  measure,
  where: filter.exactOptional(),
  time: time.exactOptional(),
  groupBy: z
    .array(z.union([field, z.enum(queryBuckets)]))
    .max(queryLimits.groups)
    .exactOptional(),
  bucketTime: field.exactOptional(),
  having: z.strictObject({ compare: comparison, value: number }).exactOptional(),
  orderBy: z.strictObject({ field, isAscending: z.boolean() }).exactOptional(),
  limit: z.number().int().min(1).max(queryLimits.rows).exactOptional(),
  show: z.array(field).max(queryLimits.columns).exactOptional(),
  against: z
    .strictObject({ time: time.exactOptional(), where: filter.exactOptional(), average: z.literal('client').exactOptional() })
    .exactOptional(),
  timeZone: z.union([timeZone, offset]).exactOptional(),
});

/** A query from outside: a link, or a model. Whether its fields exist is checked where it runs. */
export const querySchema: z.ZodType<Query> = z
  .unknown()
  .refine(hasDepth, { message: `Filters are nested at most ${queryLimits.depth} deep.`, abort: true })
  .pipe(shape);

/** base64url of the JSON, for the parameter `query` of a list. Texts beyond `maxQueryLength` are refused there. */
export const encodeQuery = (query: Query): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(query))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** undefined for everything that `encodeQuery` does not return for a valid query. */
export function decodeQuery(text: string): Query | undefined {
  if (text.length > maxQueryLength || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    return querySchema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).data;
  } catch {
    return undefined;
  }
}

/** Parameter of a list’s endpoint: narrows it to the rows of a query of its own entity. */
export const queryParam = (entity: QueryEntity) =>
  z
    .string()
    .max(2000)
    .transform((text, context): Query => {
      const query = decodeQuery(text);
      if (query?.entity === entity) return query;
      context.addIssue({ code: 'custom', message: invalidQueryText });
      return z.NEVER;
    })
    .optional()
    .describe('Encoded query (base64url of JSON): only rows that match it, whatever the timeframe.');
