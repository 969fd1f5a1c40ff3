/**
 * Timeframes (spec §2.2, §9): a name such as `lastMonth` and the viewer's time zone resolve to two instants, end exclusive.
 *
 * Ranges start at midnight in the viewer's time zone, so that figures cover whole days. Ranges that end now end at the next full five minutes:
 * requests within the same five minutes share their URL and query key.
 */
import { minuteMs } from './duration.ts';
import { startOfDay as startOfDayAt, wallClock } from './zones.ts';

export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
export type Month = (typeof months)[number];

export const timeframes = [
  'thisMonth',
  'thisWeek',
  'lastMonth',
  'lastSixMonths',
  'lastOneYear',
  'last30Days',
  'ytd',
  'lastMonthFullYear',
  'allTime',
  ...months,
] as const;
export type Timeframe = (typeof timeframes)[number];

export const defaultTimeframe: Timeframe = 'thisMonth';

/** Options of the toolbar's selector in order (spec §2.2). /apps/reporting uses `reportingMonths` instead. */
export const toolbarTimeframes = [
  'thisMonth',
  'thisWeek',
  'lastMonth',
  'lastSixMonths',
  'lastOneYear',
] as const satisfies Timeframe[];

export const isTimeframe = (value: unknown): value is Timeframe => (timeframes as readonly unknown[]).includes(value);
export const isMonth = (value: unknown): value is Month => (months as readonly unknown[]).includes(value);

const labels: Record<Exclude<Timeframe, Month>, string> = {
  thisMonth: 'This Month',
  thisWeek: 'Last Seven Days',
  lastMonth: 'Last Month',
  lastSixMonths: 'Last 6 Months',
  lastOneYear: 'Last 12 Months',
  last30Days: 'Last 30 Days',
  ytd: 'Year to Date',
  lastMonthFullYear: '12 Months to Last Month',
  allTime: 'All Time',
};

/** Display name of a timeframe; months by their name. */
export const timeframeLabel = (timeframe: Timeframe): string => (isMonth(timeframe) ? timeframe : labels[timeframe]);

export interface Range {
  /** ISO 8601, UTC. */
  start: string;
  /** ISO 8601, UTC, exclusive. */
  end: string;
}

/** Calendar day; `month` is 1…12. Values beyond the end of a month or year carry over, as in `Date.UTC`. */
interface Day {
  year: number;
  month: number;
  day: number;
}

export const nowStepMs = 5 * minuteMs;

function dayOf(instant: number, timeZone: string): Day {
  const wall = new Date(wallClock(instant, timeZone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
}

/** First instant of a calendar day in a time zone. */
const startOfDay = ({ year, month, day }: Day, timeZone: string): number =>
  startOfDayAt(Date.UTC(year, month - 1, day), timeZone);

/** Same day a number of months earlier; the last day of a shorter month. */
function monthsEarlier({ year, month, day }: Day, count: number): Day {
  const lastDay = new Date(Date.UTC(year, month - count, 0)).getUTCDate();
  return { year, month: month - count, day: Math.min(day, lastDay) };
}

const firstOfMonth = ({ year, month }: Day, offset = 0): Day => ({ year, month: month + offset, day: 1 });

/** End of ranges that reach to now: the next full five minutes. */
export const roundedNow = (now: number): number => (Math.floor(now / nowStepMs) + 1) * nowStepMs;

/**
 * Resolves a timeframe at `now` (milliseconds since 1970) in an IANA time zone.
 * "Last n months" start at the same day n months ago; "last n days" are calendar days and include today.
 */
export function resolveTimeframe(timeframe: Timeframe, now: number, timeZone: string): Range {
  const today = dayOf(now, timeZone);
  const midnight = (day: Day) => startOfDay(day, timeZone);
  const range = (start: number, end: number): Range => ({
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
  });
  const untilNow = (start: Day) => range(midnight(start), roundedNow(now));

  if (isMonth(timeframe)) {
    // spec §9: a named month resolves to its latest begun occurrence, in the current or previous year.
    const behind = (today.month - 1 - months.indexOf(timeframe) + 12) % 12;
    if (behind === 0) return untilNow(firstOfMonth(today));
    return range(midnight(firstOfMonth(today, -behind)), midnight(firstOfMonth(today, 1 - behind)));
  }
  switch (timeframe) {
    case 'thisMonth':
      return untilNow(firstOfMonth(today));
    case 'thisWeek':
      return untilNow({ ...today, day: today.day - 6 });
    case 'lastMonth':
      return range(midnight(firstOfMonth(today, -1)), midnight(firstOfMonth(today)));
    case 'lastSixMonths':
      return untilNow(monthsEarlier(today, 6));
    case 'lastOneYear':
      return untilNow(monthsEarlier(today, 12));
    case 'last30Days':
      return untilNow({ ...today, day: today.day - 29 });
    case 'ytd':
      return untilNow({ year: today.year, month: 1, day: 1 });
    case 'lastMonthFullYear':
      return range(midnight(firstOfMonth(today, -12)), midnight(firstOfMonth(today)));
    case 'allTime':
      return untilNow(monthsEarlier(today, 25 * 12));
  }
}

/**
 * Calendar day (2026-11-12) or month (2026-11): one bar of a chart, opened as a list. A trailing Z (2026-11-12Z, 2026-11-01..2026-11-30Z)
 * denotes UTC days regardless of the viewer's time zone, as in the reconciliation.
 */
const periodPattern = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/;
/** First and last of several days: 2026-11-09..2026-11-15. */
const daysPattern = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/;

function periodDays(period: string): [first: Day, next: Day] | undefined {
  const [, from, to] = daysPattern.exec(period) ?? [];
  if (from !== undefined && to !== undefined) {
    const [first, last] = [periodDays(from), periodDays(to)];
    return first && last && from <= to ? [first[0], last[1]] : undefined;
  }
  const [, year, month, day] = (periodPattern.exec(period) ?? []).map(Number);
  if (year === undefined || month === undefined || year < 1970 || month < 1 || month > 12) return undefined;
  if (day === undefined || Number.isNaN(day))
    return [
      { year, month, day: 1 },
      { year, month: month + 1, day: 1 },
    ];
  const isReal = day >= 1 && new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1;
  return isReal
    ? [
        { year, month, day },
        { year, month, day: day + 1 },
      ]
    : undefined;
}

/** Strips a trailing Z. */
const readUtc = (period: string): [days: string, isUtc: boolean] =>
  period.endsWith('Z') ? [period.slice(0, -1), true] : [period, false];

/**
 * Intersects a range with a day, month or several days; undefined if empty or not a valid period. UTC days stay whole: a month of the viewer's
 * time zone begins and ends within some of them, which then count entirely.
 */
export function withinPeriod(range: Range, period: string, timeZone: string): Range | undefined {
  const [calendar, isUtc] = readUtc(period);
  const days = periodDays(calendar);
  if (!days) return undefined;
  const [first, next] = days.map((day) => startOfDay(day, isUtc ? 'UTC' : timeZone)) as [number, number];
  const start = Math.max(Date.parse(range.start), first);
  const end = Math.min(Date.parse(range.end), next);
  if (start >= end) return undefined;
  return { start: new Date(isUtc ? first : start).toISOString(), end: new Date(isUtc ? next : end).toISOString() };
}

/** Formats a period: 12 November 2026, November 2026, or the first and last day. Returns invalid input unchanged. */
export function periodLabel(period: string): string {
  const [days, isUtc] = readUtc(period);
  if (isUtc && periodDays(days)) return `${periodLabel(days)} UTC`;
  const [, from, to] = (periodDays(period) && daysPattern.exec(period)) ?? [];
  if (from !== undefined && to !== undefined) return `${periodLabel(from)} – ${periodLabel(to)}`;
  const first = periodDays(period)?.[0];
  if (!first) return period;
  return [period.length > 7 ? first.day : '', months[first.month - 1], first.year].join(' ').trim();
}

export interface ReportingMonth {
  value: Month;
  year: number;
  /** 1…12. */
  month: number;
  /** For example "November 2026". */
  label: string;
}

/** The last 12 calendar months including the current one, newest first, so that each name denotes one month (spec §2.2). */
export function reportingMonths(now: number, timeZone: string): ReportingMonth[] {
  const today = dayOf(now, timeZone);
  return Array.from({ length: 12 }, (_, back) => {
    const first = new Date(Date.UTC(today.year, today.month - 1 - back, 1));
    const [year, month] = [first.getUTCFullYear(), first.getUTCMonth() + 1];
    const value = months[month - 1]!;
    return { value, year, month, label: `${value} ${year}` };
  });
}

/** Month of a report: the named one, otherwise the last full one. */
export function reportingMonthOf(timeframe: Timeframe, now: number, timeZone: string): ReportingMonth {
  const listed = reportingMonths(now, timeZone);
  return listed.find(({ value }) => value === timeframe) ?? listed[1]!;
}
