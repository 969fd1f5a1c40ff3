/** First query of client details. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { askedClientsQuery, deactivatedQuery, detailsQuery } from './organisations.queries.ts';

export const details: PageLoader = ({ scope: { client, may }, search }) => {
  if (client !== 0) return [detailsQuery(client)];
  const asked = search.query === undefined ? [] : [askedClientsQuery(search.query)];
  return may('clients:manage') ? [...asked, deactivatedQuery] : asked;
};
