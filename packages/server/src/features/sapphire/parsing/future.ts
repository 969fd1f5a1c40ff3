/** Times ahead, of what ends: acceptances, suppressions, targets. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { counts, countWords, monday, type Rule, rule } from './calendar.ts';

/** Questions about the future concern ends only: acceptances, suppressions, targets. */
const ahead = /\b(?:expir|laps|end(?:s|ing)?\b|run(?:s|ning)? out|renew|due|breach|releas)/i;
const futureUnits: Readonly<Record<string, number>> = { hour: 1 / 24, day: 1, week: 7, month: 30, quarter: 91, year: 365 };
/** "Ending this week": the whole of it. */
const ending = /\b(?:expir|laps|end(?:s|ing)\b|run(?:s|ning)? out|renew)/i;
const untilItsEnd: Rule = rule(`(?:in |during )?(?:this|the current) (week|month|quarter|year)`, ([, unit = ''], of) => {
  const [year, month, day] = monday(of);
  const quarter = Math.floor(of.month / 3) * 3;
  const [start, end] = {
    week: [of.midnight(year, month, day), of.midnight(year, month, day + 7)],
    month: [of.midnight(of.year, of.month, 1), of.midnight(of.year, of.month + 1, 1)],
    quarter: [of.midnight(of.year, quarter, 1), of.midnight(of.year, quarter + 3, 1)],
    year: [of.midnight(of.year, 0, 1), of.midnight(of.year + 1, 0, 1)],
  }[unit.toLowerCase()] as [number, number];
  return of.range(start, end, `this ${unit.toLowerCase()}`);
});
const futureRules: readonly Rule[] = [
  rule(
    `(?:(?:in|within|over|during) )?(?:the )?(?:next|coming)(?: (${countWords}))? (hour|day|week|month|quarter|year)s?(?: or so)?|within (?:the )?(${countWords}) (hour|day|week|month)s?`,
    (match, of) => {
      const amount = match[1] ?? match[3] ?? '1';
      const unit = (match[2] ?? match[4] ?? 'day').toLowerCase();
      const count = counts[amount.toLowerCase()] ?? Number(amount);
      return of.range(
        of.until,
        of.until + count * futureUnits[unit]! * dayMs,
        `the next ${count === 1 ? unit : `${count} ${unit}s`}`,
      );
    },
  ),
  rule(
    `(?:(?:before|by|until|till) )(?:the )?end of (?:the |this )?(week|month|quarter|year)|(?:before|by) (christmas|new year)`,
    ([all, unit], of) => {
      const [year, month, day] = monday(of);
      const end =
        unit === 'week'
          ? of.midnight(year, month, day + 7)
          : unit === 'month'
            ? of.midnight(of.year, of.month + 1, 1)
            : unit === 'quarter'
              ? of.midnight(of.year, Math.floor(of.month / 3) * 3 + 3, 1)
              : /christmas/i.test(all)
                ? of.midnight(of.year, 11, 25)
                : of.midnight(of.year + 1, 0, 1);
      return of.range(of.until, end, all.toLowerCase());
    },
  ),
  rule(`(?:before|by) (?:the |this )?weekend`, (_, of) =>
    of.range(of.until, of.midnight(of.year, of.month, of.day + ((6 - of.weekday + 7) % 7)), 'before the weekend'),
  ),
  untilItsEnd,
  rule(`tomorrow`, (_, of) => of.days(-1, 1, 'tomorrow')),
];

/** Those that the question can mean. */
export const futureRulesOf = (text: string): readonly Rule[] =>
  ahead.test(text) ? futureRules.filter((each) => each !== untilItsEnd || ending.test(text)) : [];
