/** First query of the tabs of Sapphire’s administration. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { knowledgeQuery, pagingIn, questionsQuery, synonymsQuery, teachersQuery } from './sapphire.queries.ts';

export const administration: PageLoader = ({ scope: { client, may }, search }) => {
  if (!may('sapphire:administer')) return [];
  if (search.tab === 'teachers') return client === 0 ? [] : [teachersQuery(client)];
  if (search.tab === 'synonyms') return [synonymsQuery(client, pagingIn(search))];
  return [(search.tab === 'knowledge' ? knowledgeQuery : questionsQuery)(client, pagingIn(search))];
};
