/**
 * Ranges of time expressions: all valid readings of "last week" and the like, at the time of the question in the user's zone.
 * Expressions are those of the question files: a timeframe's name, `month:March`, `since:monday`, `last:90:days`,
 * `days:10-03:10-10` (both included).
 */
import { isTimeframe, resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';

export interface Period {
  start: number;
  /** Infinity: until now, in any notation. */
  end: number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Tolerance: "until now" may be rounded to five minutes. */
const slackMs = 6 * 60_000;
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const open = Number.POSITIVE_INFINITY;

export function periodsOf(word: string, now: number, timeZone: string): Period[] {
  const today = new Date(wallClock(now, timeZone));
  const [year, month, date] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  /** Start of a calendar day; values beyond a month's end carry over. */
  const at = (y: number, m: number, d: number) => startOfDay(Date.UTC(y, m, d), timeZone);
  const daysAgo = (count: number) => at(year, month, date - count);
  const monday = (today.getUTCDay() + 6) % 7;
  const quarter = Math.floor(month / 3) * 3;
  /** Latest period that has begun. */
  const latest = (monthDay: string, extraDays = 0) => {
    const [m, d] = monthDay.split('-').map(Number) as [number, number];
    const y = at(year, m - 1, d) <= now ? year : year - 1;
    return at(y, m - 1, d + extraDays);
  };
  const [first, ...rest] = word.split(':') as [string, ...string[]];
  const weeks = (back: number): Period[] => [
    ...[monday, today.getUTCDay()].map((passed) => ({
      start: daysAgo(passed + 7 * back),
      end: back === 0 ? open : daysAgo(passed + 7 * (back - 1)),
    })),
    { start: daysAgo(7 * Math.max(back, 1) - (back < 2 ? 1 : 0)), end: back < 2 ? open : daysAgo(7 * (back - 1)) },
    { start: daysAgo(7 * Math.max(back, 1) - 1), end: back < 2 ? open : daysAgo(7 * (back - 1) - 1) },
  ];
  switch (first) {
    case 'today':
      return [{ start: daysAgo(0), end: open }];
    case 'yesterday':
      return [{ start: daysAgo(1), end: daysAgo(0) }];
    case 'dayBefore':
      return [{ start: daysAgo(2), end: daysAgo(1) }];
    case 'thisWeek':
      return weeks(0);
    case 'lastWeek':
      return [...weeks(1), ...last(7, 'days')];
    case 'weekBefore':
      return weeks(2);
    case 'monthBefore':
      return [{ start: at(year, month - 2, 1), end: at(year, month - 1, 1) }];
    case 'thisQuarter':
      return [{ start: at(year, quarter, 1), end: open }];
    case 'lastQuarter':
      return [{ start: at(year, quarter - 3, 1), end: at(year, quarter, 1) }];
    case 'thisYear':
      return [{ start: at(year, 0, 1), end: open }];
    case 'lastYear':
      return [{ start: at(year - 1, 0, 1), end: at(year, 0, 1) }, ...last(12, 'months')];
    case 'last12Months':
      return last(12, 'months');
    case 'lastSixMonths':
      return last(6, 'months');
    case 'last':
      return last(Number(rest[0]), rest[1] ?? '');
    case 'month':
      return named(rest[0] ?? '');
    case 'day':
      return [{ start: latest(rest[0]!), end: latest(rest[0]!, 1) }];
    case 'days': {
      const start = latest(rest[0]!);
      const [m, d] = rest[1]!.split('-').map(Number) as [number, number];
      return [{ start, end: at(new Date(wallClock(start, timeZone)).getUTCFullYear(), m - 1, d + 1) }];
    }
    case 'since':
      return since(rest).map((start) => ({ start, end: open }));
    default:
      return named(first);
  }

  function named(name: string): Period[] {
    if (!isTimeframe(name)) throw new Error(`Unknown timeframe ${word}.`);
    const { start, end } = resolveTimeframe(name, now, timeZone);
    return [{ start: Date.parse(start), end: Date.parse(end) >= now ? open : Date.parse(end) }];
  }
  function last(count: number, unit: string): Period[] {
    if (unit === 'hours') return [{ start: now - count * hourMs, end: open }];
    if (unit === 'weeks') return last(7 * count, 'days');
    const starts =
      unit === 'days'
        ? [daysAgo(count - 1), daysAgo(count), now - count * dayMs]
        : [
            at(year, month - count, Math.min(date, new Date(Date.UTC(year, month - count + 1, 0)).getUTCDate())),
            at(year, month - count, 1),
            at(year, month - count + 1, 1),
            ...(count < 12 ? [daysAgo(30 * count), daysAgo(30 * count - 1)] : [daysAgo(365), daysAgo(364)]),
          ];
    // Complete days or months before the present one are equally valid.
    const closed =
      unit === 'days'
        ? { start: daysAgo(count), end: daysAgo(0) }
        : { start: at(year, month - count, 1), end: at(year, month, 1) };
    return [...starts.map((start) => ({ start, end: open })), closed];
  }
  function since([what = '', more = '']: string[]): number[] {
    if (what === 'month') return named(more).map(({ start }) => start);
    if (what === 'yesterday') return [daysAgo(1)];
    if (what === 'lastWeek') return [...weeks(1).map(({ start }) => start), daysAgo(7)];
    if (what === 'lastMonth') return [at(year, month - 1, 1), ...last(1, 'months').map(({ start }) => start)];
    const weekday = weekdays.indexOf(what === 'last' ? more : what);
    if (weekday < 0) return [latest(what)];
    const passed = (today.getUTCDay() - weekday + 7) % 7;
    // "Last Friday" may refer to the week before; on a Monday "since Monday" may mean a week.
    return what === 'last' || passed === 0 ? [daysAgo(passed), daysAgo(passed + 7)] : [daysAgo(passed)];
  }
}

/** Checks the parsed range against the valid ones. */
export const isOneOf = (read: { start: string; end: string }, periods: readonly Period[], now: number): boolean =>
  periods.some(
    ({ start, end }) =>
      Math.abs(Date.parse(read.start) - start) <= (isOnDay(start) ? 1_000 : slackMs) &&
      (end === open ? Date.parse(read.end) >= now - slackMs : Math.abs(Date.parse(read.end) - end) <= 1_000),
  );

/** Midnights of all zones fall on quarter hours. */
const isOnDay = (instant: number) => instant % (hourMs / 4) === 0;

/** True for ranges that end now. */
export const isUntilNow = (read: { end: string }, now: number): boolean => Date.parse(read.end) >= now - slackMs;
