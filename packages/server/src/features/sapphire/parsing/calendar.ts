/** Calendar of the viewer’s zone: names of times, months, and ranges by days. Ranges up to now end at the portal’s rounded now, as its lists do. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { months, periodLabel, resolveTimeframe, roundedNow, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';

export type NamedTimeframe = NonNullable<SapphireSlots['timeframe']>;
export interface FoundTime {
  timeframe: NamedTimeframe;
  /** Position in the text. */
  from: number;
  to: number;
}

export const iso = (at: number) => new Date(at).toISOString();

/** Timeframe labels within a sentence. */
const labels: Partial<Record<Timeframe, string>> = {
  thisMonth: 'this month',
  thisWeek: 'the last seven days',
  lastMonth: 'last month',
  lastSixMonths: 'the last 6 months',
  lastOneYear: 'the last 12 months',
  last30Days: 'the last 30 days',
  ytd: 'this year so far',
  lastMonthFullYear: 'the 12 months to last month',
  allTime: 'all time',
};
export const labelOf = (word: Timeframe): string => labels[word] ?? word;

export const counts: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  couple: 2,
  three: 3,
  few: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fourteen: 14,
  fifteen: 15,
  thirty: 30,
  sixty: 60,
  ninety: 90,
};
export const countWords = `\\d{1,4}|${Object.keys(counts).join('|')}`;
const monthNames = months.map((month) => month.toLowerCase());
export const monthIndex = (text: string): number =>
  monthNames.findIndex((name) => name.startsWith(text.toLowerCase().slice(0, 3)));
export const monthPattern =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** Calendar fields of a moment in a zone. */
export function calendar(now: number, timeZone: string) {
  const wall = new Date(wallClock(now, timeZone));
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  /** Midnight of a day, which may exceed its month. */
  const midnight = (y: number, m: number, d: number) => startOfDay(Date.UTC(y, m, d), timeZone);
  const until = roundedNow(now);
  const range = (start: number, end: number, label: string): NamedTimeframe => ({ start: iso(start), end: iso(end), label });
  /** An hour of a day, across changes of the clock. */
  const hour = (y: number, m: number, d: number, h: number, minute = 0) => {
    const at = midnight(y, m, d) + h * hourMs + minute * 60_000;
    return at + Date.UTC(y, m, d, h, minute) - wallClock(at, timeZone);
  };
  return {
    hour,
    year,
    month,
    day,
    weekday: wall.getUTCDay(),
    midnight,
    until,
    range,
    days: (back: number, length: number, label: string) =>
      range(midnight(year, month, day - back), length > back ? until : midnight(year, month, day - back + length), label),
    word: (word: Timeframe): NamedTimeframe => ({ ...resolveTimeframe(word, now, timeZone), label: labelOf(word) }),
  };
}
export type Calendar = ReturnType<typeof calendar>;

export const dayLabel = (at: number, timeZone: string): string => periodLabel(iso(wallClock(at, timeZone)).slice(0, 10));
export const comparing = /\b(?:differ|compar|contrast|change)\w*\b/i;

export type Rule = [pattern: RegExp, make: (match: RegExpExecArray, of: Calendar) => NamedTimeframe | undefined];
export const rule = (pattern: string, make: Rule[1]): Rule => [new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, 'gi'), make];
export const monday = ({ year, month, day, weekday }: Calendar) => [year, month, day - ((weekday + 6) % 7)] as const;
