/** First queries of threat intelligence. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { pastSearchesQuery } from '../past-searches/pastSearches.queries.ts';
import { feedsQuery, listsQuery } from './intelligence.queries.ts';

export const list: PageLoader = ({ scope }) => [
  ...(scope.may('intelligence:write') ? [listsQuery(), feedsQuery()] : []),
  ...(scope.may('events:read') ? [pastSearchesQuery(scope.client)] : []),
];
