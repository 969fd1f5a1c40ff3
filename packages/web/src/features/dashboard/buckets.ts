/** Converts the server's buckets into chart bars. A bucket is named by its first day in the viewer's calendar. */
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { periodLabel } from '@parapet/contract/rules/timeframe.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { Bucket } from '../../kit/bars.ts';

export type AlertsOverTime = AnswerOf<typeof dashboardApi.alertsOverTime>;

const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthLabel = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });

/** Series from the bottom of a bar up. The worst severity is at the axis, where bars are comparable. */
export const seriesOrder = severities;

export function bucketsOf({ unit, buckets }: Pick<AlertsOverTime, 'unit' | 'buckets'>): Bucket[] {
  return buckets.map((bucket) => {
    const first = new Date(`${bucket.bucket}T00:00:00Z`);
    const values = seriesOrder.map((severity) => bucket[severity]);
    if (unit === 'month') {
      const key = bucket.bucket.slice(0, 7);
      const isJanuary = first.getUTCMonth() === 0;
      return {
        key,
        label: isJanuary ? String(first.getUTCFullYear()) : monthLabel.format(first),
        title: periodLabel(key),
        values,
      };
    }
    return {
      key: bucket.bucket,
      label: dayLabel.format(first),
      title: `${weekday.format(first)}, ${periodLabel(bucket.bucket)}`,
      values,
    };
  });
}
