/** Dates found by chrono: days, ranges of days and "since Tuesday"; times of day and the future are left out. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { periodLabel } from '@parapet/contract/rules/timeframe.ts';
import { wallClock } from '@parapet/contract/rules/zones.ts';
import type { ParsedComponents } from 'chrono-node';
import { GB } from 'chrono-node/en';
import { type Calendar, comparing, dayLabel, type FoundTime, iso, monthPattern } from './calendar.ts';

const dayOf = (parts: ParsedComponents) =>
  [parts.get('year') ?? 1970, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1] as const;

/** Finds days by chrono; omits times of day and the future. */
export function findDates(text: string, of: Calendar, now: number, timeZone: string): (FoundTime & { isStrong: boolean })[] {
  const offset = Math.round((wallClock(now, timeZone) - now) / 60_000);
  // A "from" before a day would turn it into an hour.
  const results = GB.parse(
    text
      .replace(/\bfrom\b/gi, '    ')
      .replace(/\b(?:(?:week|work|working ?)days?|weekends?)\b/gi, (word) => ' '.repeat(word.length)),
    { instant: new Date(now), timezone: offset },
    { forwardDate: false },
  );
  return results.flatMap((result) => {
    const { start, end } = result;
    const isNamed = start.isCertain('day') || start.isCertain('weekday') || start.isCertain('month');
    if (
      !isNamed ||
      /\b(?:week|work) ?(?:day|end)s?\b/i.test(text.slice(result.index, result.index + result.text.length)) ||
      // A length alone is no day: "more than 2 days".
      /^(?:\d+|an?) (?:day|week|month|year)s?$/i.test(result.text) ||
      start.isCertain('hour') ||
      /\b(?:before|after)\b|^(?:right |just )?now$/i.test(result.text) ||
      /^\d{1,4}$/.test(result.text) ||
      // "Sat open" is no Saturday.
      (/^(?:sat|sun)$/.test(result.text) &&
        !/\b(?:on|since|last|this|from|until|by|and|to)\s+$/.test(text.slice(0, result.index))) ||
      new RegExp(`^${monthPattern}$`, 'i').test(result.text)
    )
      return [];
    const hasDay = start.isCertain('day') || start.isCertain('weekday');
    // Two compared months are no range.
    if (end && !hasDay && comparing.test(text)) return [];
    let [year, month, day] = dayOf(start);
    if (of.midnight(year, month, day) > now && !start.isCertain('year'))
      if (start.isCertain('weekday') && !start.isCertain('day')) day -= 7;
      else year -= 1;
    let from = of.midnight(year, month, hasDay ? day : 1);
    if (from > now) return [];
    const lead = /(?:since|after|as of|starting|from)(?: (?:i|we) \w+(?: \w+)?)?(?: on)?(?: the)?\s*$/i.exec(
      text.slice(0, result.index),
    );
    const isSince = lead !== null && !end && !/from/i.test(lead[0]);
    const [start0, stop0] = [result.index - (isSince ? lead[0].length : 0), result.index + result.text.length];
    let to: number;
    if (end) {
      const [y, m, d] = dayOf(end);
      // "From Monday to Wednesday" is in the past.
      const ahead = end.isCertain('weekday') && !end.isCertain('day') && of.midnight(y, m, d) > now ? 7 : 0;
      to = end.isCertain('day') || end.isCertain('weekday') ? of.midnight(y, m, d + 1 - ahead) : of.midnight(y, m + 1, 1);
    } else to = isSince ? of.until : of.midnight(year, hasDay ? month : month + 1, hasDay ? day + 1 : 1);
    const stop = Math.min(to, of.until);
    // "After 10 November" begins with the next day.
    if (isSince && hasDay && /after/i.test(lead[0])) from = of.midnight(year, month, day + 1);
    const label = isSince
      ? `since ${dayLabel(from, timeZone)}`
      : hasDay || end
        ? stop - from <= 1.1 * dayMs
          ? `on ${dayLabel(from, timeZone)}`
          : `${dayLabel(from, timeZone)} to ${dayLabel(stop - 1, timeZone)}`
        : periodLabel(iso(from + dayMs / 2).slice(0, 7));
    if (stop <= from) return [];
    const isWeekdayOnly = start.isCertain('weekday') && !start.isCertain('day') && !end && !isSince;
    const isRelative = /\b(?:ago|last|past|this|today|yesterday|tonight|now|week|month|year)\b/i.test(result.text);
    return [
      {
        timeframe: of.range(from, stop, label),
        from: start0,
        to: stop0,
        isStrong: Boolean(end) || isSince || !(isWeekdayOnly || isRelative),
      },
    ];
  });
}
