/** Devices by a part of their name, for selection. */
import { devicesApi } from '@parapet/contract/devices.ts';
import { resolveTimeframe, roundedNow } from '@parapet/contract/rules/timeframe.ts';
import { queryOptionsOf } from './query.ts';

/** The first devices with this text in their name. */
export const devicesQuery = (client: number, text: string, timeZone: string) =>
  queryOptionsOf(devicesApi.list, {
    params: { client, ...resolveTimeframe('thisWeek', roundedNow(Date.now()) - 1, timeZone) },
    query: { text, type: [], state: [], tag: [], pageSize: 20 },
  });
