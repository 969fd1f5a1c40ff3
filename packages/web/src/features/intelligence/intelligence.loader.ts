/** First query of threat intelligence. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { listsQuery } from './intelligence.queries.ts';

export const list: PageLoader = ({ scope }) => (scope.may('intelligence:write') ? [listsQuery()] : []);
