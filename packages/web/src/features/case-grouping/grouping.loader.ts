/** First query of the page of case grouping. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { groupingQuery } from './grouping.queries.ts';
import { mayManageGrouping } from './grouping.ts';

export const page: PageLoader = ({ scope }) => (mayManageGrouping(scope) ? [groupingQuery(scope.client)] : []);
