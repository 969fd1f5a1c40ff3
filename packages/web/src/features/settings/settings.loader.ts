/** First queries of the sections of the settings that have one. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import {
  apiKeysQuery,
  assistantsQuery,
  browsersQuery,
  chatAccountsQuery,
  ownMailsQuery,
  secondFactorQuery,
  sessionsQuery,
} from './account.queries.ts';

const queries = new Map<string | undefined, () => ReturnType<PageLoader>>([
  ['notifications', () => [ownMailsQuery(), browsersQuery()]],
  ['sign-ins', () => [sessionsQuery()]],
  ['second-factor', () => [secondFactorQuery()]],
  ['api-keys', () => [apiKeysQuery(), assistantsQuery()]],
  ['chat', () => [chatAccountsQuery()]],
]);

export const section: PageLoader = ({ search }) => queries.get(search.tab?.toLowerCase())?.() ?? [];
