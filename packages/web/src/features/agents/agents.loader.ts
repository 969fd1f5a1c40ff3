/** First queries of the agent page’s tabs. */
import { allClients } from '@parapet/contract/access.ts';
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { collectorList } from './agentFilters.ts';
import { collectorsQuery, releasesQuery, tokensQuery } from './agents.queries.ts';

export const agents: PageLoader = ({ scope: { client, may }, search }) => {
  if (search.tab === 'releases') return [releasesQuery];
  if (search.tab === 'install') return client !== allClients && may('ingestKeys:write') ? [tokensQuery(client)] : [];
  return [collectorsQuery(client, queryOf(collectorList.read(search)))];
};
