/** First query of client details. */
import { allClients } from '@parapet/contract/access.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { deactivatedQuery, detailsQuery, matchingClientsQuery } from './organisations.queries.ts';

export const details: PageLoader = ({ scope: { client, may }, search }) => {
  if (client !== allClients) return [detailsQuery(client)];
  const queries = search.query === undefined ? [] : [matchingClientsQuery(search.query)];
  return may('clients:manage') ? [...queries, deactivatedQuery] : queries;
};
