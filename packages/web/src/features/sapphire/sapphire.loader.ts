/** First query of the tabs of Sapphire’s administration. */
import { allClients } from '@parapet/contract/access.ts';
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { knowledgeQuery, questionsQuery, sapphireList, synonymsQuery, teachersQuery } from './sapphire.queries.ts';

export const administration: PageLoader = ({ scope: { client, may }, search }) => {
  if (!may('sapphire:administer')) return [];
  if (search.tab === 'teachers') return client === allClients ? [] : [teachersQuery(client)];
  const paging = queryOf(sapphireList.read(search));
  if (search.tab === 'synonyms') return [synonymsQuery(client, paging)];
  return [(search.tab === 'knowledge' ? knowledgeQuery : questionsQuery)(client, paging)];
};
