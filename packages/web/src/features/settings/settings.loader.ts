/** First query of the sections of the settings that have one. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { apiKeysQuery, chatAccountsQuery, ownMailsQuery, secondFactorQuery, sessionsQuery } from './account.queries.ts';

const queries = new Map<string | undefined, () => ReturnType<PageLoader>[number]>([
  ['notifications', ownMailsQuery],
  ['sign-ins', sessionsQuery],
  ['second-factor', secondFactorQuery],
  ['api-keys', apiKeysQuery],
  ['chat', chatAccountsQuery],
]);

export const section: PageLoader = ({ search }) => {
  const query = queries.get(search.tab?.toLowerCase());
  return query ? [query()] : [];
};
