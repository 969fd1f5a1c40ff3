/** First queries of the dashboard. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import {
  alertsByTypeQuery,
  alertsOverTimeQuery,
  latestAlertsQuery,
  needsMeQuery,
  overviewQuery,
  urgentAlertsQuery,
} from './dashboard.queries.ts';

export const dashboard: PageLoader = ({ scope }) =>
  [needsMeQuery, alertsOverTimeQuery, latestAlertsQuery, urgentAlertsQuery, overviewQuery, alertsByTypeQuery].map((queryOf) =>
    queryOf(scope),
  );
