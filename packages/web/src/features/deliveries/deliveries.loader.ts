/** First queries of deliveries, by tab. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { onCallQuery, rulesQuery, targetsQuery } from './deliveries.queries.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) =>
  may('deliveries:write')
    ? [
        targetsQuery(client),
        ...(search.tab === 'rules' ? [rulesQuery(client)] : []),
        ...(search.tab === 'oncall' ? [onCallQuery(client)] : []),
      ]
    : [];
