/** First queries of the risk score. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { clientScoresQuery, detailsQuery, scoreQuery } from './risk.queries.ts';

export const score: PageLoader = ({ scope: { client, timeZone } }) => [
  scoreQuery(client),
  client === 0 ? clientScoresQuery() : detailsQuery(client, timeZone),
];
