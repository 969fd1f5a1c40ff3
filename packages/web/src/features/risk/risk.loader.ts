/** First queries of the risk score. */
import { allClients } from '@parapet/contract/access.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { clientScoresQuery, detailsQuery, scoreQuery } from './risk.queries.ts';

export const score: PageLoader = ({ scope: { client, timeZone } }) => [
  scoreQuery(client),
  client === allClients ? clientScoresQuery() : detailsQuery(client, timeZone),
];
