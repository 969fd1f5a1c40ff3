/** First query of the page of case grouping. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { mayManagePacks } from '../rules/rules.ts';
import { groupingQuery } from './grouping.queries.ts';

export const page: PageLoader = ({ scope }) => (mayManagePacks(scope) ? [groupingQuery(scope.client)] : []);
