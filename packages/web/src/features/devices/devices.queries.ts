/** Data sources, made from the contract. Their pages have no timeframe selector: figures are those of the last 30 days (decision 23). */
import { agentsApi } from '@parapet/contract/agents.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { type Device, type DeviceState, devicesApi } from '@parapet/contract/devices.ts';
import { resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { ids, type ListQuery, listSchema, search, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

export const devicesTimeframe: Timeframe = 'last30Days';
const rangeOf = (timeZone: string) => resolveTimeframe(devicesTimeframe, roundedNow(Date.now()) - 1, timeZone);

/** In the order of the figures above the list. */
export const statesInOrder: readonly DeviceState[] = ['reporting', 'stale', 'silent', 'never'];
export const deviceList = listSchema({ text: search(), type: words(deviceTypes), state: words(statesInOrder), tag: ids() });
type DeviceQuery = ListQuery<typeof deviceList>;

export function deviceListQuery(client: number, timeZone: string, query: DeviceQuery) {
  const { start, end } = rangeOf(timeZone);
  return queryOptionsOf(devicesApi.list, { params: { client, start, end }, query });
}

/** Number of devices in a state, or of all: the total of a page of one. */
export function stateCountQuery(client: number, timeZone: string, state?: DeviceState) {
  const { start, end } = rangeOf(timeZone);
  return queryOptionsOf(devicesApi.list, {
    params: { client, start, end },
    query: { type: [], state: state ? [state] : [], tag: [], pageSize: 1 },
  });
}

export function checkInsQuery(client: number, timeZone: string) {
  const { start, end } = rangeOf(timeZone);
  return queryOptionsOf(devicesApi.checkIns, { params: { client, start, end } });
}

export const deviceQuery = (client: number, name: string) => queryOptionsOf(devicesApi.get, { params: { client, name } });
export const versionsQuery = (client: number) => queryOptionsOf(devicesApi.agentVersions, { params: { id: client } });

export const shownAlerts = 50;
export function deviceAlertsQuery(client: number, device: string, timeZone: string) {
  const { start, end } = rangeOf(timeZone);
  return queryOptionsOf(alertsApi.list, {
    params: { client, start, end },
    query: { severity: [], rule: [], category: [], technique: [], status: [], device, pageSize: shownAlerts },
  });
}

/** Of all times: the open ones first, the worst of them first. */
export const deviceCasesQuery = (client: number, device: string) =>
  queryOptionsOf(casesApi.list, {
    body: {
      filters: { device },
      selectedClientOrganizationID: client,
      start: new Date(0).toISOString(),
      end: new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString(),
      sort: 'urgency',
      order: 'asc',
      pageSize: shownAlerts,
    },
  });

export const momentsQuery = (client: number, name: string) =>
  infiniteQueryOptions({
    queryKey: [devicesApi.timeline.id, { params: { client, name } }],
    queryFn: ({ signal, pageParam }) =>
      call(devicesApi.timeline, { params: { client, name }, query: pageParam ? { before: pageParam } : {} }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => (last.hasMore ? last.results.at(-1)?.time : undefined),
  });

/** The contract's limit for one change of tags, and for one upgrade. */
export const maxTagged = 1000;
/** The contract's limit for one merge, besides the device that stays. */
export const maxMerged = 50;
const pageSize = 200;

/** All devices that match the filters. Throws for more than one change of tags takes. */
export async function allDevices(client: number, timeZone: string, filters: DeviceQuery): Promise<Device[]> {
  const { start, end } = rangeOf(timeZone);
  const found: Device[] = [];
  for (let page = 1; ; page++) {
    const input = { params: { client, start, end }, query: { ...filters, page, pageSize } };
    const { results, total } = await call(devicesApi.list, input);
    found.push(...results);
    if (total > maxTagged) throw new Error(`There are ${total} now, more than one change takes. Filter the list first.`);
    if (results.length === 0 || found.length >= total) return found;
  }
}

function useDevicesChanged() {
  const queries = useQueryClient();
  const old = [devicesApi.list, devicesApi.get, devicesApi.timeline, devicesApi.checkIns, agentsApi.list];
  return () => Promise.all(old.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
}

/** spec §8. What a person must do is no success. */
export function useUpgrade() {
  const changed = useDevicesChanged();
  return useMutation({
    mutationFn: (devices: string[]) => call(devicesApi.upgrade, { body: { devices } }),
    onSuccess: ({ results }) => {
      if (results.every(({ outcome }) => outcome !== 'instructed')) toast.success('Successfully updated device(s)!');
      void changed();
    },
    onError: (error) => toast.error(`Failed to update device(s)! ${error.message}`),
  });
}

export function useMerge() {
  const changed = useDevicesChanged();
  return useMutation({
    mutationFn: (body: { target: string; duplicates: string[]; isMerged: boolean }) => call(devicesApi.merge, { body }),
    onSuccess: async (_answer, { isMerged }) => {
      toast.success(isMerged ? 'The duplicates were merged' : 'The name is a device of its own again');
      await changed();
    },
    onError: (error, { isMerged }) =>
      toast.error(`${isMerged ? 'They could not be merged.' : 'It could not be taken out.'} ${error.message}`),
  });
}
