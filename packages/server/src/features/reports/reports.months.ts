/** Calendar months in a client's zone. Pure; times are milliseconds since 1970. */
import { problem } from '@parapet/contract/problem.ts';
import { months } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import type { Range } from '../../domain/ranges.ts';

export interface Month {
  year: number;
  /** 1…12 */
  month: number;
}

export interface Day extends Range {
  /** Day of the month, from 1. */
  day: number;
}

const startOf = (year: number, month: number, day: number, timeZone: string): number =>
  startOfDay(Date.UTC(year, month - 1, day), timeZone);

/** From the first local midnight to that of the next month. */
export const monthRange = ({ year, month }: Month, timeZone: string): Range => ({
  start: startOf(year, month, 1, timeZone),
  end: startOf(year, month + 1, 1, timeZone),
});

/** Days in order, without those a zone skipped at the date line. */
export function daysOf({ year, month }: Month, timeZone: string): Day[] {
  const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => ({
    day: index + 1,
    start: startOf(year, month, index + 1, timeZone),
    end: startOf(year, month, index + 2, timeZone),
  })).filter(({ start, end }) => start < end);
}

export const monthBefore = ({ year, month }: Month): Month =>
  month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };

/** Calendar date of an instant in a zone. */
export function calendarDay(at: number, timeZone: string): Month & { day: number } {
  const wall = new Date(wallClock(at, timeZone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
}

/** "November 2026" */
export const monthName = ({ year, month }: Month): string => `${months[month - 1]} ${year}`;

/** Sortable key, e.g. "2026-11". */
export const monthKey = ({ year, month }: Month): string => `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;

/** Refusal of a report for a future month. */
export const notStarted = (month: Month) =>
  problem.invalid({ month: [`${monthName(month)} has not started yet. Choose this month or an earlier one.`] });
