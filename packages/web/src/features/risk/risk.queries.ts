/** Queries and writes of the risk score. */
import { casesApi } from '@parapet/contract/cases.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

/** Midnight of yesterday and tomorrow in the viewer’s time zone (spec §7.6). */
export function aroundToday(now: number, timeZone: string): { start: string; end: string } {
  const wall = wallClock(now, timeZone);
  const today = wall - (((wall % dayMs) + dayMs) % dayMs);
  const midnight = (day: number) => new Date(startOfDay(day, timeZone)).toISOString();
  return { start: midnight(today - dayMs), end: midnight(today + dayMs) };
}

export const detailsQuery = (client: number, timeZone: string) =>
  queryOptionsOf(riskApi.details, { params: { client, ...aroundToday(Date.now(), timeZone) } });
export const scoreQuery = (client: number) => queryOptionsOf(riskApi.score, { params: { client } });
export const clientScoresQuery = () => queryOptionsOf(riskApi.clients, {});
export const historyQuery = (client: number, timeframe: Timeframe, timeZone: string) =>
  queryOptionsOf(riskApi.history, {
    params: { client, ...resolveTimeframe(timeframe, roundedNow(Date.now()) - 1, timeZone) },
  });
export const underInvestigationQuery = (client: number) => queryOptionsOf(casesApi.underInvestigation, { params: { client } });

const invalidates = [riskApi.details, riskApi.score, riskApi.clients, dashboardApi.clients];

/** Refetches after a failure too: a version conflict shows the counts saved by others. */
export const useSaveDevices = () =>
  useApiMutation(riskApi.saveDevices, {
    invalidates,
    invalidatesOnFailure: true,
    success: 'Device counts saved',
    failure: (error) => `Couldn’t save the device counts. ${error.message}`,
  });

export const useSavePractices = () =>
  useApiMutation(riskApi.savePractices, {
    invalidates,
    success: 'Best practices saved',
    failure: 'Couldn’t save the best practices.',
  });
