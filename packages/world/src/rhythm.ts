/** Activity by day and hour, so that charts resemble an office's year rather than noise. */
import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Site } from './organisations.ts';
import type { Random } from './random.ts';

/** Number of the UTC day. */
export const dayOf = (at: number) => Math.floor(at / dayMs);
/** 0 Sunday … 6 Saturday. */
export const weekdayOf = (day: number) => (day + 4) % 7;

/**
 * Alert triggers on a plain working day, all clients together: slow growth over the year, plus the many sources connected in the last
 * five weeks.
 */
export const happeningsPerDay = (daysAgo: number) =>
  46 + 34 * Math.exp(-daysAgo / 100) + 123 / (1 + Math.exp((daysAgo - 36) / 4));

/** Harmless events on a plain working day, all clients together; raw events are kept for 30 days only. */
export const backgroundPerDay = (daysAgo: number) => (daysAgo <= backgroundDays ? 290 : 5);
export const backgroundDays = 31;

/** Activity of a site on a day, 1 for a working day. */
export function dayFactor(site: Site, day: number): number {
  const weekday = weekdayOf(day);
  if (weekday !== 0 && weekday !== 6) return 1;
  if (site.isOpenAtWeekends) return 0.7;
  return weekday === 6 ? 0.28 : 0.22;
}

/** Weight of each local hour: a working day with a lunch dip, some machines at night. */
const officeHours = [3, 3, 3, 3, 3, 4, 8, 22, 52, 70, 74, 70, 50, 58, 70, 68, 62, 44, 20, 12, 9, 7, 5, 4];
const nightHours = [40, 46, 48, 44, 36, 22, 8, 3, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 6, 8, 12, 18, 26, 34];
const evenHours = officeHours.map(() => 1);

export type Hours = 'office' | 'night' | 'any';
const hoursOf = { office: officeHours, night: nightHours, any: evenHours } as const;

/**
 * Random time of that UTC day, weighted by the site's local hour. The time stays within the UTC day, so that each day can be
 * planned alone.
 */
export function momentOn(day: number, site: Site, hours: Hours, random: Random): number {
  const weights = hoursOf[hours];
  let total = 0;
  for (const weight of weights) total += weight;
  let left = random.next() * total;
  let local = 0;
  while (local < 23 && left >= weights[local]!) left -= weights[local++]!;
  const utcHour = (local - site.utcOffsetHours + 24) % 24;
  return day * dayMs + utcHour * hourMs + random.int(0, hourMs - 1);
}

/** Random integer with that mean: the fraction is rounded by chance. */
export function around(mean: number, random: Random): number {
  const spread = mean * (0.8 + 0.4 * random.next());
  const whole = Math.floor(spread);
  return whole + (random.next() < spread - whole ? 1 : 0);
}

/** Maximum time span of a shipment: long for old events, so that a year is few shipments; short for recent ones. */
export function windowMs(ageMs: number): number {
  if (ageMs > 32 * dayMs) return 12 * hourMs;
  if (ageMs > 2 * dayMs) return 2 * hourMs;
  return 10 * minuteMs;
}
