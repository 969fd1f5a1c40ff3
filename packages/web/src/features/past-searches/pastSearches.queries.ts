/** Queries of searches of the past. */
import { type PastSearch, pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const pastSearchesQuery = (client: number) => queryOptionsOf(pastSearchesApi.list, { params: { client } });
export const pastSearchQuery = (client: number, id: number) =>
  queryOptionsOf(pastSearchesApi.get, { params: { client, pastSearch: id } });

export const isUnderWay = ({ state }: Pick<PastSearch, 'state'>): boolean => state === 'waiting' || state === 'running';
