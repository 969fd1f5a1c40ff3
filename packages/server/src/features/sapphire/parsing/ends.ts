/** Days at the end or the beginning of a named time, "at the end of October", and whole units, beside the other rules that precede the calendar's. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { counts, countWords, dayLabel, monday, monthIndex, monthPattern, type Rule, rule } from './calendar.ts';
import { clockRules } from './clock.ts';
import { futureRulesOf } from './future.ts';

const endRules = (timeZone: string): readonly Rule[] => [
  rule(
    `(?:at|by|as of|as at|on) (?:the )?(end|close|last day|start|beginning|first day) of (?:the )?(?:(last|previous|this) (week|month|quarter|year)|(${monthPattern})(?:,? (20\\d\\d))?)`,
    ([, place = '', which = '', unit = '', name, yearText], of) => {
      const back = /this/i.test(which) ? 0 : 1;
      const month = name ? monthIndex(name) : of.month - back;
      const year = yearText ? Number(yearText) : name && month > of.month ? of.year - 1 : of.year;
      const [y, m, day] = monday(of);
      const quarter = (Math.floor(of.month / 3) - back) * 3;
      const [start, end] = {
        week: [of.midnight(y, m, day - 7 * back), of.midnight(y, m, day - 7 * back + 7)],
        month: [of.midnight(year, month, 1), of.midnight(year, month + 1, 1)],
        quarter: [of.midnight(of.year, quarter, 1), of.midnight(of.year, quarter + 3, 1)],
        year: [of.midnight(of.year - back, 0, 1), of.midnight(of.year - back + 1, 0, 1)],
      }[unit.toLowerCase() || 'month'] as [number, number];
      const isEnd = /end|close|last/i.test(place);
      const at = isEnd ? end - 1 : start;
      const first = isEnd ? end - dayMs : start;
      return at > of.until ? undefined : of.range(first, Math.min(first + dayMs, of.until), `on ${dayLabel(at, timeZone)}`);
    },
  ),
];

/** "The last three full months": units that are over. */
const wholeUnits = rule(
  `(?:(?:in|during|over|for|of|from) )?(?:the |our |my )?(?:last|past|previous) (${countWords}) (?:calendar|full|complete|whole) (day|week|month|year)s`,
  ([, amount = '', unitText = ''], of) => {
    const [count, unit] = [counts[amount.toLowerCase()] ?? Number(amount), unitText.toLowerCase()];
    if (!(count >= 1 && count <= 3_000)) return undefined;
    const [year, month, day] = unit === 'week' ? monday(of) : [of.year, of.month, of.day];
    const startOf = (back: number): number => {
      if (unit === 'year') return of.midnight(year - back, 0, 1);
      if (unit === 'month') return of.midnight(year, month - back, 1);
      return of.midnight(year, month, day - back * (unit === 'week' ? 7 : 1));
    };
    return of.range(startOf(count), startOf(0), `the last ${count} full ${unit}${count === 1 ? '' : 's'}`);
  },
);

/** Rules that precede all others. */
export const specialRules = (text: string, timeZone: string): readonly Rule[] => [
  ...endRules(timeZone),
  wholeUnits,
  ...futureRulesOf(text),
  ...clockRules(timeZone).map(([pattern, make]) => rule(pattern, make)),
];
