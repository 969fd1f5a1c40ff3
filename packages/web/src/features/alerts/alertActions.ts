/** Links from an alert to other pages, and the selection of bulk jobs. Pure. */
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { paths } from '../../lib/paths.ts';
import type { ListScope } from '../../lib/useHeldList.ts';
import type { AlertFilters } from './alertList.ts';
import { exportInput } from './alerts.queries.ts';

type About = Pick<AlertRow, 'clientOrganizationID' | 'ruleID' | 'deviceName' | 'userName' | 'createdTime' | 'lastSeenTime'>;

/** Link to the events of the alert's device (else its user) from one hour before to one hour after. */
export function eventsAround(alert: About): string {
  const from = Date.parse(alert.createdTime) - hourMs;
  const until = Math.min(Math.max(Date.parse(alert.lastSeenTime), from) + hourMs, from + maxSearchDays * dayMs);
  return paths.events({
    client: alert.clientOrganizationID,
    device: alert.deviceName ?? undefined,
    user: alert.deviceName ? undefined : (alert.userName ?? undefined),
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
  });
}

/** Link to a new suppression prefilled with the alert's rule, device and user. */
export const suppressionOf = (alert: About): string =>
  paths.exceptions({
    client: alert.clientOrganizationID,
    new: 1,
    rule: alert.ruleID,
    device: alert.deviceName ?? undefined,
    user: alert.userName ?? undefined,
  });

/** Selection of a bulk job. Single rows carry their own timeframe, because they may have been selected in an earlier one. */
export function whichOf(isAll: boolean, rows: readonly AlertRow[], scope: ListScope, filters: AlertFilters) {
  const { client, start, end } = scope;
  if (isAll) return { filters: exportInput(scope, filters).query, selectedClientOrganizationID: client, start, end };
  const times = rows.map((row) => Date.parse(row.createdTime));
  return {
    ids: rows.map(({ id }) => id),
    selectedClientOrganizationID: client,
    start: new Date(Math.min(...times)).toISOString(),
    end: new Date(Math.max(...times) + 1).toISOString(),
  };
}
