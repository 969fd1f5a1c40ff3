/** The risk score, made from the contract. */
import { casesApi } from '@parapet/contract/cases.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

const dayMs = 86_400_000;

/** Yesterday's and tomorrow's midnight, where the viewer is (spec §7.6). */
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

function useRiskChanged() {
  const queries = useQueryClient();
  const old = [riskApi.details.id, riskApi.score.id, riskApi.clients.id, dashboardApi.clients.id];
  return () => Promise.all(old.map((id) => queries.invalidateQueries({ queryKey: [id] })));
}

export function useSaveDevices(client: number) {
  const changed = useRiskChanged();
  return useMutation({
    mutationFn: (body: { totalServers: number; totalWorkstations: number; version: number }) =>
      call(riskApi.saveDevices, { params: { client }, body }),
    onSuccess: async () => {
      await changed();
      toast.success('The device counts are saved.');
    },
    onError: (error) => {
      toast.error(`The device counts were not saved. ${error.message}`, 'case');
      return changed();
    },
  });
}

export function useSavePractices(client: number) {
  const changed = useRiskChanged();
  return useMutation({
    mutationFn: (practices: { id: string; isChecked: boolean }[]) =>
      call(riskApi.savePractices, { params: { client }, body: { practices } }),
    onSuccess: async () => {
      await changed();
      toast.success('The best practices are saved.');
    },
    onError: (error) => toast.error(`The best practices were not saved. ${error.message}`, 'case'),
  });
}
