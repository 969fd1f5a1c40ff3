/** Links to the list with exactly the records of a query, and to single records. */
import { decodeQuery, encodeQuery } from '@parapet/contract/query.ts';
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { schemaOf } from '../../../domain/query/schemas.ts';

export interface LinkContext {
  /** The selected client; 0 for all in scope. */
  client: number;
  clients: readonly { id: number; name: string }[];
  timeZone: string;
}

/** Lists that take a query, and those with the client in their path. */
const listed: readonly QueryEntity[] = [
  'alert',
  'case',
  'device',
  'vulnerability',
  'response',
  'review',
  'suppression',
  'collector',
  'account',
  'audit',
  'event',
  'mail',
];
const withClientInPath: readonly QueryEntity[] = ['alert', 'case', 'device'];

/** undefined for records without a list, and for a query that an address cannot carry. */
export function listPath(query: Query, { client, clients, timeZone }: LinkContext): string | undefined {
  const { entity, where, time, groupBy, orderBy, limit } = query;
  const list = schemaOf(entity)?.list;
  if (!list) return undefined;
  const isCut = limit !== undefined && groupBy === undefined && query.measure.kind === 'list';
  const text = encodeQuery({
    entity,
    measure: { kind: 'list' },
    ...(where && { where }),
    ...(time && { time }),
    ...(isCut && { limit, ...(orderBy && { orderBy }) }),
    timeZone,
  });
  const named = clientsOf(where);
  const one = named?.length === 1 ? clients.find(({ name }) => name.toLowerCase() === named[0])?.id : undefined;
  if (decodeQuery(text) === undefined || !listed.includes(entity)) return undefined;
  const owner = client || one || 0;
  if (withClientInPath.includes(entity)) return `/apps/${list.page}/${owner}?query=${text}`;
  const more =
    entity === 'vulnerability' ? '&tab=findings' : entity === 'event' && time ? `&from=${time.start}&until=${time.end}` : '';
  return `/apps/${list.page}?client=${owner}${more}&query=${text}`;
}

/** Lower-case names of the clients that all records belong to; undefined if the filter names none. */
function clientsOf(where: QueryFilter | undefined): string[] | undefined {
  if (!where) return undefined;
  if ('and' in where) return where.and.map(clientsOf).find((names) => names !== undefined);
  return 'in' in where && where.field === 'client' ? where.in.map((name) => String(name).toLowerCase()) : undefined;
}
