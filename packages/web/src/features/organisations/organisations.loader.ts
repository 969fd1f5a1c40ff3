/** First query of client details. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { deactivatedQuery, detailsQuery } from './organisations.queries.ts';

export const details: PageLoader = ({ scope: { client, may } }) => {
  if (client !== 0) return [detailsQuery(client)];
  return may('clients:manage') ? [deactivatedQuery] : [];
};
