/** The records that a mean number is of: all clients or devices that a query's records can belong to, those without any included. */
import { type Query, type QueryFilter, type QueryOwner, queryOwners } from '@parapet/contract/rules/query.ts';
import { conditionsOf, narrowed } from './filters.ts';

/** Attributes of the owners, by those of their records. */
const owned: Readonly<Record<QueryOwner, Readonly<Record<string, string>>>> = {
  client: { client: 'name', partner: 'partner' },
  device: { client: 'client', partner: 'partner', device: 'name', deviceType: 'type' },
};

const isOwner = (per: string | undefined): per is QueryOwner => (queryOwners as readonly (string | undefined)[]).includes(per);

/** undefined for a measure without owners. */
export function ownersOf({ measure, where }: Query): Query | undefined {
  const per = measure.kind === 'count' ? measure.per : undefined;
  if (!isOwner(per)) return undefined;
  return narrowed(
    { entity: per, measure: { kind: 'count' } },
    ...conditionsOf(where).map((filter) => carried(filter, owned[per])),
  );
}

/** The same condition of the owners; of other attributes there is none. */
function carried(filter: QueryFilter, fields: Readonly<Record<string, string>>): QueryFilter | undefined {
  if ('not' in filter) {
    const inner = carried(filter.not, fields);
    return inner && { not: inner };
  }
  const field = 'in' in filter ? fields[filter.field] : undefined;
  return field === undefined ? undefined : { ...(filter as { field: string; in: string[] }), field };
}
