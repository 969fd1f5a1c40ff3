/** Growth and days left, from the last measure of each day. */
import { dayMs } from '@parapet/contract/rules/duration.ts';

interface Measured {
  day: string;
  bytes: number;
}

/** Slope of the line of least squares in bytes per day; undefined below two days. */
export function growthOf(measures: readonly Measured[]): number | undefined {
  const points = measures.map(({ day, bytes }) => ({ x: Date.parse(day) / dayMs, y: bytes }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  if (points.length < 2 || spread === 0) return undefined;
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
}

const most = 3_650;

/** Whole days until the space is used up; undefined where it does not shrink, or would last for ten years. */
export function daysLeft(freeBytes: number, usedPerDay: number | undefined): number | undefined {
  if (usedPerDay === undefined || usedPerDay <= 0) return undefined;
  const days = Math.floor(freeBytes / usedPerDay);
  return days <= most ? days : undefined;
}
