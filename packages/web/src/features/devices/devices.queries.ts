/** Queries and writes of data sources. Their pages have no timeframe selector; figures cover the last 30 days. */
import { agentsApi } from '@parapet/contract/agents.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { type Device, type DeviceState, devicesApi } from '@parapet/contract/devices.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { answerRows, ids, type ListQuery, listSchema, search, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const devicesTimeframe: Timeframe = 'last30Days';
const rangeOf = (timeZone: string) => resolveTimeframe(devicesTimeframe, roundedNow(Date.now()) - 1, timeZone);

/** In the order of the figures above the list. */
export const statesInOrder: readonly DeviceState[] = ['reporting', 'stale', 'silent', 'never'];
export const deviceList = listSchema({
  text: search(),
  type: words(deviceTypes),
  state: words(statesInOrder),
  tag: ids(),
  query: answerRows(),
});
type DeviceQuery = ListQuery<typeof deviceList>;

export function deviceListQuery(client: number, timeZone: string, query: DeviceQuery) {
  const { start, end } = rangeOf(timeZone);
  return queryOptionsOf(devicesApi.list, { params: { client, start, end }, query });
}

/** Counts devices in a state by a page of one row. */
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

/** Browsers resolve dot segments, so such names can’t be requested. */
export const isDeviceName = (name: string): boolean => name !== '.' && name !== '..' && name.length <= 500;
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

/** Cases of all time, open ones first, then worst first. */
export const deviceCasesQuery = (client: number, device: string) =>
  queryOptionsOf(casesApi.list, {
    body: {
      filters: { device },
      selectedClientOrganizationID: client,
      start: new Date(0).toISOString(),
      end: new Date(Math.ceil(Date.now() / hourMs) * hourMs).toISOString(),
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

/** Maximum devices of one change of tags and of one upgrade, as in the contract. */
export const maxTagged = 1000;
/** Maximum duplicates of one merge, as in the contract. */
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
    if (total > maxTagged) throw new Error(`${total} devices match, more than one change allows. Filter the list first.`);
    if (results.length === 0 || found.length >= total) return found;
  }
}

const stale = [devicesApi.list, devicesApi.get, devicesApi.timeline, devicesApi.checkIns, agentsApi.list];

/** Toasts of spec §8; instructions for manual updates are not reported as success. */
export const useUpgrade = () =>
  useApiMutation(devicesApi.upgrade, {
    invalidates: stale,
    success: ({ results }) =>
      results.every(({ outcome }) => outcome !== 'instructed') ? 'Successfully updated device(s)!' : undefined,
    failure: 'Failed to update device(s)!',
  });

export const useMerge = () =>
  useApiMutation(devicesApi.merge, {
    invalidates: stale,
    success: (_, { body }) => (body.isMerged ? 'Devices merged' : 'Device unmerged'),
    failure: (error, { body }) =>
      `${body.isMerged ? 'Couldn’t merge the devices.' : 'Couldn’t unmerge the device.'} ${error.message}`,
  });
