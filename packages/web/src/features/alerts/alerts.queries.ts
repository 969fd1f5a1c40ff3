/** Queries of the alert pages. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { ListScope } from '../../lib/useHeldList.ts';
import type { AlertFilters } from './alertList.ts';

/** Input of the export: all pages of the filtered list. */
export function exportInput({ client, start, end, device }: ListScope, filters: AlertFilters) {
  const { severity, rule, category, technique, status, fate, text, user, query } = filters;
  const named = { user: user || undefined, device: device || filters.device || undefined };
  return { params: { client, start, end }, query: { severity, rule, category, technique, status, fate, text, query, ...named } };
}

export function alertListQuery(scope: ListScope, filters: AlertFilters) {
  const { params, query } = exportInput(scope, filters);
  const { sort, order, page, pageSize } = filters;
  return queryOptionsOf(alertsApi.list, { params, query: { ...query, sort, order, page, pageSize } });
}

export const alertFacetsQuery = ({ client, start, end }: ListScope) =>
  queryOptionsOf(alertsApi.filters, { params: { client }, query: { start, end } });

export const alertQuery = (alertId: number) => queryOptionsOf(alertsApi.detail, { params: { alertId } });

/** Totals by severity of the timeframe and of the preceding one. */
export const alertFiguresQuery = ({ client, start, end }: ListScope, timeZone: string) =>
  queryOptionsOf(dashboardApi.alertsOverTime, { params: { client, start, end }, query: { timeZone } });

/** Endpoints whose cached data a new alert makes stale. */
export const staleByNewAlerts = [alertsApi.list, alertsApi.filters, dashboardApi.alertsOverTime];
