/** What the dashboard reads, made from the contract. Live enough for a screen on the wall: asked again every twenty seconds. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { Severity } from '@parapet/contract/primitives.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { Scope } from '../../lib/scope.ts';

export const refreshMs = 20_000;
type Seen = Pick<Scope, 'client' | 'range' | 'timeZone'>;
const rangeOf = ({ client, range }: Pick<Seen, 'client' | 'range'>) => ({ client, start: range.start, end: range.end });

export const alertsOverTimeQuery = (scope: Seen) =>
  queryOptionsOf(dashboardApi.alertsOverTime, { params: rangeOf(scope), query: { timeZone: scope.timeZone } });

const unfiltered = { severity: [], rule: [], category: [], status: [] };

export const shownAlerts = 8;
export const latestAlertsQuery = (scope: Seen) =>
  queryOptionsOf(alertsApi.list, { params: rangeOf(scope), query: { ...unfiltered, pageSize: shownAlerts } });

export const urgent: Severity[] = ['critical', 'high'];
/** Critical and high alerts that nobody has marked as seen, worst first. */
export const urgentAlertsQuery = (scope: Seen) =>
  queryOptionsOf(alertsApi.list, {
    params: rangeOf(scope),
    query: { ...unfiltered, severity: urgent, status: ['new'], sort: 'criticality', pageSize: shownAlerts },
  });

export const ruleNamesQuery = ({ client, range }: Seen) =>
  queryOptionsOf(alertsApi.ruleNames, { query: { selectedClientOrganizationId: client, start: range.start, end: range.end } });
