/** Links to the list with exactly the records of a query, and to single records. */
import { allClients, type Permission } from '@parapet/contract/access.ts';
import { decodeQuery, encodeQuery } from '@parapet/contract/query.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { addressOf } from '../../../domain/query/entities/columns.ts';
import { conditionsOf } from '../../../domain/query/filters.ts';
import { schemaOf } from '../../../domain/query/schemas.ts';

export interface LinkContext {
  /** The selected client; 0 for all in scope. */
  client: number;
  clients: readonly { id: number; name: string }[];
  timeZone: string;
  may: (permission: Permission) => boolean;
}

/** Lists that take a query: with the client in their path, or with these parameters. */
const lists: Partial<Record<QueryEntity, 'in path' | Readonly<Record<string, string>>>> = {
  alert: 'in path',
  case: 'in path',
  device: 'in path',
  vulnerability: { tab: 'findings' },
  response: {},
  review: {},
  suppression: {},
  collector: {},
  account: {},
  audit: {},
  event: {},
  mail: {},
  rejected: { tab: 'aside' },
  report: { tab: 'schedules' },
  client: {},
};
const pages: Partial<Record<QueryEntity, string>> = { client: 'clientdetails/general' };

export const hasList = (entity: QueryEntity): boolean => lists[entity] !== undefined;

/**
 * The records that a query counts: of different devices the devices, not the alerts in which they occur. undefined for values that are no records, and
 * for a query with conditions that the other entity's relation does not carry.
 */
export function countedRecords(query: Query): Query | undefined {
  const { entity, where, time, measure } = query;
  if (measure.kind !== 'count' || measure.distinct === undefined) return query;
  const other = measure.distinct as QueryEntity;
  const [own, theirs] = [schemaOf(entity), schemaOf(other)];
  if (other === entity || !own?.keys[other] || !theirs?.keys[other]) return undefined;
  return { entity: other, measure: { kind: 'list' }, where: { some: entity, ...(where && { where }), ...(time && { time }) } };
}

/** undefined where no list shows exactly these records, and for a query that an address cannot carry. */
export function listPath(query: Query, context: LinkContext): string | undefined {
  const { entity, where, time, groupBy, orderBy, limit } = query;
  const place = lists[entity];
  const owner = ownerOf(where, context);
  if (place === undefined || query.having || !isListed(query, owner, context)) return undefined;
  const isCut = limit !== undefined && groupBy === undefined && query.measure.kind === 'list';
  const text = encodeQuery({
    entity,
    measure: { kind: 'list' },
    ...(where && { where }),
    ...(time && { time }),
    ...(isCut && { limit, ...(orderBy && { orderBy }) }),
    timeZone: context.timeZone,
  });
  if (decodeQuery(text) === undefined) return undefined;
  const page = `/apps/${pages[entity] ?? schemaOf(entity)?.list?.page}`;
  if (place === 'in path') return `${page}/${owner}?query=${text}`;
  const range = entity === 'event' && time ? { from: time.start, until: time.end } : {};
  return addressOf(page, { client: owner, ...place, ...range, query: text });
}

/** False for a query that the entity’s list would refuse, or not show to this viewer. */
function isListed({ entity, time }: Query, owner: number, { client, may }: LinkContext): boolean {
  // The search covers a limited time.
  if (entity === 'event') return time !== undefined && Date.parse(time.end) - Date.parse(time.start) <= maxSearchDays * dayMs;
  // Schedules belong to one client, and the list of clients to those who choose among them.
  if (entity === 'report') return owner !== 0;
  return entity !== 'client' || (client === allClients && may('organisations:read'));
}

/** The client that all records belong to, selected or named; 0 otherwise. */
function ownerOf(where: QueryFilter | undefined, { client, clients }: LinkContext): number {
  const named = clientsOf(where);
  return client || (named?.length === 1 && clients.find(({ name }) => name.toLowerCase() === named[0])?.id) || 0;
}

/** Lower-case names of the clients that all records belong to; undefined if the filter names none. */
const clientsOf = (where: QueryFilter | undefined): string[] | undefined =>
  conditionsOf(where)
    .flatMap((filter) =>
      'some' in filter
        ? [clientsOf(filter.where)]
        : 'in' in filter && filter.field === 'client'
          ? [filter.in.map((name) => String(name).toLowerCase())]
          : [],
    )
    .find((names) => names !== undefined);
