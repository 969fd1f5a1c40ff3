/** Chart bars of reporting devices by UTC day and type. */
import type { CheckInDay } from '@parapet/contract/devices.ts';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { periodLabel } from '@parapet/contract/rules/timeframe.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import type { Bucket } from '../../kit/bars.ts';

export const countOf: Record<DeviceType, keyof Omit<CheckInDay, 'date' | 'totalCount'>> = {
  server: 'serverCount',
  workstation: 'workstationCount',
  networkDevice: 'networkDevicesCount',
  productivity: 'productivityCount',
  cloudPlatform: 'cloudPlatformCount',
  cloudApp: 'cloudAppCount',
};

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const checkInBuckets = (days: readonly CheckInDay[]): Bucket[] =>
  days.map((each) => ({
    key: each.date,
    label: day.format(new Date(`${each.date}T00:00:00Z`)),
    title: `${periodLabel(each.date)} (UTC)`,
    values: deviceTypes.map((type) => each[countOf[type]]),
  }));
