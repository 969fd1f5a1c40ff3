/** First queries of the response pages. */
import { allClients } from '@parapet/contract/access.ts';
import { oneIn } from '../../lib/address.ts';
import { queryOf } from '../../lib/listSchema.ts';
import { objectIdIn, type PageLoader } from '../../lib/pageLoader.ts';
import { responseTabs } from './responseDraft.ts';
import { protectedQuery, responseList, responseListQuery, responseQuery, rulesQuery } from './responses.queries.ts';

export const list: PageLoader = ({ scope: { client, range }, search }) => {
  const tab = oneIn(search.tab, responseTabs, 'requests');
  if (tab === 'requests') return [responseListQuery(client, range, queryOf(responseList.read(search)))];
  if (client === allClients) return [];
  return [tab === 'rules' ? rulesQuery(client) : protectedQuery(client)];
};

export const detail: PageLoader = ({ params }) => {
  const id = objectIdIn(params.id);
  return id === undefined ? [] : [responseQuery(id)];
};
