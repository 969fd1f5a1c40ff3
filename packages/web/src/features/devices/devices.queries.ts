/** Data sources, made from the contract. Their page has no timeframe selector: alerts are those of the last 30 days (decision 23). */
import { devicesApi } from '@parapet/contract/devices.ts';
import { resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { DeviceFilters } from './deviceFilters.ts';

export const devicesTimeframe: Timeframe = 'last30Days';

export function deviceListQuery(client: number, timeZone: string, { text, type, tag, page, pageSize }: DeviceFilters) {
  const { start, end } = resolveTimeframe(devicesTimeframe, roundedNow(Date.now()) - 1, timeZone);
  return queryOptionsOf(devicesApi.list, { params: { client, start, end }, query: { text, type, tag, page, pageSize } });
}
