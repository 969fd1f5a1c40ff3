/** Chart bars of a device's events by hour. `key` is the start of the hour. */
import type { DeviceDetail } from '@parapet/contract/devices.ts';
import type { Bucket } from '../../kit/bars.ts';
import { absoluteTime, shortTime } from '../../kit/time.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
function weekday(at: number, timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone });
  formats.set(timeZone, format);
  return format.format(at);
}

export const hourBuckets = (hours: DeviceDetail['hours'], timeZone: string): Bucket[] =>
  hours.map(({ time, events, expected }) => {
    const at = Date.parse(time);
    return {
      key: time,
      label: `${weekday(at, timeZone)} ${shortTime(at, 'minute', timeZone)}`,
      title: absoluteTime(at, timeZone),
      values: [events],
      ...(expected !== null && { usual: expected }),
    };
  });
