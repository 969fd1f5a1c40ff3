/** Data sources, made from the contract. Their page has no timeframe selector: alerts are those of the last 30 days (decision 23). */
import { type Device, devicesApi } from '@parapet/contract/devices.ts';
import { resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { DeviceFilters } from './deviceFilters.ts';

export const devicesTimeframe: Timeframe = 'last30Days';

export function deviceListQuery(client: number, timeZone: string, { text, type, tag, page, pageSize }: DeviceFilters) {
  const { start, end } = resolveTimeframe(devicesTimeframe, roundedNow(Date.now()) - 1, timeZone);
  return queryOptionsOf(devicesApi.list, { params: { client, start, end }, query: { text, type, tag, page, pageSize } });
}

/** The contract's limit for one change of tags. */
export const mostTagged = 1000;
const pageSize = 200;

/** Every device that fits the filter, as one change of tags takes them. */
export async function allDevices(client: number, timeZone: string, { text, type, tag }: DeviceFilters): Promise<Device[]> {
  const { start, end } = resolveTimeframe(devicesTimeframe, roundedNow(Date.now()) - 1, timeZone);
  const found: Device[] = [];
  for (let page = 1; ; page++) {
    const input = { params: { client, start, end }, query: { text, type, tag, page, pageSize } };
    const { results, total } = await call(devicesApi.list, input);
    found.push(...results);
    if (total > mostTagged) throw new Error(`There are ${total} now, more than one change takes. Filter the list first.`);
    if (results.length === 0 || found.length >= total) return found;
  }
}
