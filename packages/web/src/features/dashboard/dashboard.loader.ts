/** First queries of the dashboard. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import {
  alertsByTypeQuery,
  alertsOverTimeQuery,
  latestAlertsQuery,
  needsMeQuery,
  overviewQuery,
  summaryQuery,
  urgentAlertsQuery,
} from './dashboard.queries.ts';

export const dashboard: PageLoader = ({ scope }) =>
  (scope.hasSelector
    ? [needsMeQuery, alertsOverTimeQuery, latestAlertsQuery, urgentAlertsQuery, overviewQuery, alertsByTypeQuery]
    : [summaryQuery, alertsOverTimeQuery, alertsByTypeQuery]
  ).map((queryOf) => queryOf(scope));
