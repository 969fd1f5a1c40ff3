/** Queries of the dashboard, refetched every twenty seconds for wall screens. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { Severity } from '@parapet/contract/primitives.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { Scope } from '../../lib/scope.ts';

export const refreshMs = 20_000;
type Seen = Pick<Scope, 'client' | 'range' | 'timeZone'>;
const rangeOf = ({ client, range }: Pick<Seen, 'client' | 'range'>) => ({ client, start: range.start, end: range.end });

export const alertsOverTimeQuery = (scope: Seen) =>
  queryOptionsOf(dashboardApi.alertsOverTime, { params: rangeOf(scope), query: { timeZone: scope.timeZone } });

const unfiltered = { severity: [], rule: [], category: [], technique: [], status: [] };

export const shownAlerts = 8;
export const latestAlertsQuery = (scope: Seen) =>
  queryOptionsOf(alertsApi.list, { params: rangeOf(scope), query: { ...unfiltered, pageSize: shownAlerts } });

export const urgent: Severity[] = ['critical', 'high'];
/** Unseen critical and high alerts, worst first. */
export const urgentAlertsQuery = (scope: Seen) =>
  queryOptionsOf(alertsApi.list, {
    params: rangeOf(scope),
    query: { ...unfiltered, severity: urgent, status: ['new'], sort: 'criticality', pageSize: shownAlerts },
  });

export const summaryQuery = (scope: Seen) => queryOptionsOf(dashboardApi.summary, { params: rangeOf(scope) });
export const overviewQuery = (scope: Seen) => queryOptionsOf(dashboardApi.overview, { params: rangeOf(scope) });
export const alertsByTypeQuery = (scope: Seen) => queryOptionsOf(dashboardApi.alertsByType, { params: rangeOf(scope) });
export const clientsQuery = ({ range }: Seen) =>
  queryOptionsOf(dashboardApi.clients, { params: { start: range.start, end: range.end } });
export const riskScoreQuery = ({ client }: Seen) => queryOptionsOf(riskApi.score, { params: { client } });

type CaseFilters = NonNullable<InputOf<typeof casesApi.list>['body']['filters']>;
const ofAllTimes = ({ client }: Pick<Seen, 'client'>) => ({
  selectedClientOrganizationID: client,
  start: new Date(0).toISOString(),
  end: openEnd(),
});
/** End of an open timeframe. Rounded up to the next hour, so that the query key stays stable. */
const openEnd = () => new Date(Math.ceil(Date.now() / hourMs) * hourMs).toISOString();

/** Open cases, worst first, then oldest first. */
export const needsMeQuery = (scope: Seen) =>
  queryOptionsOf(casesApi.list, {
    body: { filters: { status: openStatuses }, ...ofAllTimes(scope), sort: 'urgency', order: 'asc', pageSize: shownAlerts },
  });
export const needsMeCountQuery = (scope: Seen, filters: CaseFilters) =>
  queryOptionsOf(casesApi.list, { body: { filters, ...ofAllTimes(scope), pageSize: 1 } });

export const timesQuery = (scope: Seen) => queryOptionsOf(casesApi.times, { params: rangeOf(scope) });
