/** Time grammar in the viewer’s zone. Ends are exclusive. */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { months, periodLabel, type Range, resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import {
  type Calendar,
  calendar,
  comparing,
  counts,
  countWords,
  dayLabel,
  type FoundTime,
  iso,
  monday,
  monthIndex,
  monthPattern,
  type NamedTimeframe,
  type Rule,
  rule,
} from './calendar.ts';
import { findDates } from './dates.ts';
import { specialRules } from './ends.ts';
import { occasions } from './occasions.ts';

const within = '(?:(?:in|during|over|for|within|of|from) )?(?:the |our |my )?';
const past = '(?:last|past|previous|recent|preceding)';

const quarterOf = (of: Calendar, year: number, quarter: number, label: string) =>
  of.range(of.midnight(year, quarter * 3, 1), Math.min(of.midnight(year, quarter * 3 + 3, 1), of.until), label);

const ago = (of: Calendar, count: number, unit: string): NamedTimeframe | undefined => {
  const label = `the last ${count === 1 ? unit : `${count} ${unit}s`}`;
  switch (unit) {
    case 'minute':
      return of.range(of.until - count * 60_000, of.until, label);
    case 'hour':
      return of.range(of.until - count * hourMs, of.until, label);
    case 'day':
      if (count === 7) return of.word('thisWeek');
      if (count === 30) return of.word('last30Days');
      return of.days(count - 1, count, label);
    case 'week':
      if (count === 1) return of.word('thisWeek');
      return of.days(7 * count - 1, 7 * count, label);
    case 'month': {
      if (count === 6) return of.word('lastSixMonths');
      if (count === 12) return of.word('lastOneYear');
      const lastDay = new Date(Date.UTC(of.year, of.month - count + 1, 0)).getUTCDate();
      return of.range(of.midnight(of.year, of.month - count, Math.min(of.day, lastDay)), of.until, label);
    }
    default:
      if (count === 1) return of.word('lastOneYear');
      return of.range(of.midnight(of.year - count, of.month, of.day), of.until, label);
  }
};

/** First days, month from 0; the meteorological seasons of the north. */
const seasons: Readonly<Record<string, readonly [month: number, day: number]>> = {
  spring: [2, 1],
  summer: [5, 1],
  autumn: [8, 1],
  fall: [8, 1],
  winter: [11, 1],
  halloween: [9, 31],
  christmas: [11, 25],
  'new year': [0, 1],
  "new year's": [0, 1],
};

// The first matching rule counts; longer patterns precede shorter ones. Days "1 to 10 November" precede chrono’s
// interpretation.
const rules: Rule[] = [
  rule(
    `(?:between|from)? ?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? ?(?:and|to|until|till|through|[-–]) ?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${monthPattern})(?:,? (20\\d\\d))?`,
    ([, first, last, name = '', yearText], of) => {
      const month = monthIndex(name);
      const year = yearText ? Number(yearText) : month > of.month ? of.year - 1 : of.year;
      const [start, end] = [of.midnight(year, month, Number(first)), of.midnight(year, month, Number(last) + 1)];
      return of.range(start, Math.min(end, of.until), `${Number(first)} to ${Number(last)} ${months[month]} ${year}`);
    },
  ),
  rule(
    `(?:between |from )?(${monthPattern})(?:,? (20\\d\\d))? ?(?:-|–|to|until|till|thru|through|and) ?(?:the end of )?(${monthPattern})(?:,? (20\\d\\d))?`,
    ([all, first = '', firstYear, last = '', lastYear], of) => {
      if (/ and /i.test(all) && !/^between/i.test(all)) return undefined;
      const [a, b] = [monthIndex(first), monthIndex(last)];
      const end = lastYear ? Number(lastYear) : b > of.month ? of.year - 1 : of.year;
      const start = firstYear ? Number(firstYear) : a > b ? end - 1 : end;
      const label = `${months[a]} ${start} to ${months[b]} ${end}`;
      return of.range(of.midnight(start, a, 1), Math.min(of.midnight(end, b + 1, 1), of.until), label);
    },
  ),
  rule(
    `${within}(first|second|last) half of (last month|this month|(${monthPattern})(?:,? (20\\d\\d))?)`,
    ([, which, whole = '', name, yearText], of) => {
      const month = name ? monthIndex(name) : of.month - (/last/i.test(whole) ? 1 : 0);
      const year = yearText ? Number(yearText) : name && month > of.month ? of.year - 1 : of.year;
      const [first, next] = which?.toLowerCase() === 'first' ? [1, 16] : [16, 32];
      const end = next === 32 ? of.midnight(year, month + 1, 1) : of.midnight(year, month, next);
      return of.range(
        of.midnight(year, month, first),
        Math.min(end, of.until),
        `the ${which?.toLowerCase()} half of ${name ? months[month] : whole.toLowerCase()}`,
      );
    },
  ),
  rule(
    `${within}(?:h([12])|(first|second) half(?: of)?)(?: (?:the|this) year| (20\\d\\d))?`,
    ([, number, word, yearText], of) => {
      const half = (number ?? (word?.toLowerCase() === 'first' ? '1' : '2')) === '1' ? 0 : 6;
      const year = yearText ? Number(yearText) : half > of.month ? of.year - 1 : of.year;
      return of.range(
        of.midnight(year, half, 1),
        Math.min(of.midnight(year, half + 6, 1), of.until),
        `the ${half === 0 ? 'first' : 'second'} half of ${year}`,
      );
    },
  ),
  rule(`since (?:the )?(?:first|1st)(?: (?:day )?of (?:the|this) (?:current )?month)?`, (_, of) => of.word('thisMonth')),
  rule(`(?:in |during |over )?(?:the )?(?:last|past) half[- ]?(?:an )?hour`, (_, of) =>
    of.range(of.until - 1_800_000, of.until, 'the last 30 minutes'),
  ),
  rule(
    `${within}(?:year to date|ytd|since (?:the )?new year|(?:this|current) year(?: so far| to date)?|so far this year)`,
    (_, of) => of.word('ytd'),
  ),
  rule(`${within}(?:month to date|mtd|(?:this|current) (?:calendar )?month(?: so far| to date)?|so far this month)`, (_, of) =>
    of.word('thisMonth'),
  ),
  rule(
    `${within}(?:all time|all[- ]time|(?:whole|entire) (?:history|time)|whole period)|ever(?: since)?|since (?:the )?(?:beginning|start|ever)|(?:so far )?in total history`,
    (_, of) => of.word('allTime'),
  ),
  rule(`(?:the )?(week|month|quarter|year) before last`, (match, of) => {
    const unit = match[1]!.toLowerCase();
    const [year, month, day] = monday(of);
    if (unit === 'week')
      return of.range(of.midnight(year, month, day - 14), of.midnight(year, month, day - 7), 'the week before last');
    if (unit === 'month')
      return of.range(of.midnight(of.year, of.month - 2, 1), of.midnight(of.year, of.month - 1, 1), 'the month before last');
    if (unit === 'year') return of.range(of.midnight(of.year - 2, 0, 1), of.midnight(of.year - 1, 0, 1), 'the year before last');
    const first = (Math.floor(of.month / 3) - 2) * 3;
    return of.range(of.midnight(of.year, first, 1), of.midnight(of.year, first + 3, 1), 'the quarter before last');
  }),
  rule(
    `(?:since|from) (?:the )?(?:last |this )?(?:beginning of |start of |end of )?(spring|summer|autumn|fall|winter|halloween|christmas|new year|new year's)`,
    (match, of) => {
      const name = match[1]!.toLowerCase();
      const [month, day] = seasons[name]!;
      const isAhead = of.midnight(of.year, month, day) > of.until;
      return of.range(of.midnight(isAhead ? of.year - 1 : of.year, month, day), of.until, `since ${name}`);
    },
  ),
  rule(`(?:all|the whole|this whole|the entire|throughout the) year`, (_, of) => of.word('ytd')),
  rule(`(?:about |around |roughly )?(${countWords}) months? ago`, ([, amount = ''], of) => {
    const count = counts[amount.toLowerCase()] ?? Number(amount);
    const lastDay = new Date(Date.UTC(of.year, of.month - count + 1, 0)).getUTCDate();
    const day = Math.min(of.day, lastDay);
    return of.range(
      of.midnight(of.year, of.month - count, day),
      of.midnight(of.year, of.month - count, day + 1),
      count === 1 ? 'a month ago' : `${count} months ago`,
    );
  }),
  rule(`${within}(?:12|twelve) months to last month`, (_, of) => of.word('lastMonthFullYear')),
  rule(`${within}${past} half[- ]year|${within}(?:half a year|${past} 6 ?mo)`, (_, of) => of.word('lastSixMonths')),
  rule(`${within}${past} (${countWords})(?: of)?(?: full)? (minute|hour|day|week|month|year)s?`, (match, of) => {
    const count = counts[match[1]!.toLowerCase()] ?? Number(match[1]);
    return count >= 1 && count <= 3_000 ? ago(of, count, match[2]!.toLowerCase()) : undefined;
  }),
  rule(`for (${countWords}) (day|week|month)s?`, ([, count = '', unit = ''], of) =>
    ago(of, counts[count.toLowerCase()] ?? Math.max(1, Number(count)), unit.toLowerCase()),
  ),
  rule(
    `(?:in|during|over|for|within|from|of) the (?:last|past) (hour|day|week|year)|(?:the )?past (hour|day|week|month|year)`,
    (match, of) => {
      const unit = (match[1] ?? match[2])!.toLowerCase();
      if (unit === 'day') return ago(of, 24, 'hour');
      return unit === 'month' ? of.word('last30Days') : ago(of, 1, unit);
    },
  ),
  rule(`${within}(?:last|previous|prior) (?:calendar )?month|the month just gone`, (_, of) => of.word('lastMonth')),
  rule(`${within}(?:this|the current) week(?: so far)?`, (_, of) => of.word('thisWeek')),
  rule(`${within}(?:last|previous|prior) (?:calendar )?week`, (_, of) => {
    const [year, month, day] = monday(of);
    return of.range(of.midnight(year, month, day - 7), of.midnight(year, month, day), 'last week');
  }),
  rule(`${within}(?:last|previous|prior) (?:calendar )?year`, (_, of) =>
    of.range(of.midnight(of.year - 1, 0, 1), of.midnight(of.year, 0, 1), 'last year'),
  ),
  rule(`${within}(?:(?:this|the current) quarter(?: so far)?|qtd|quarter to date)`, (_, of) =>
    quarterOf(of, of.year, Math.floor(of.month / 3), 'this quarter'),
  ),
  rule(`${within}(?:last|previous|prior) quarter`, (_, of) => {
    const quarter = Math.floor(of.month / 3);
    return quarter === 0 ? quarterOf(of, of.year - 1, 3, 'last quarter') : quarterOf(of, of.year, quarter - 1, 'last quarter');
  }),
  rule(`${within}q([1-4])(?: (?:of )?(20\\d\\d))?`, (match, of) => {
    const quarter = Number(match[1]) - 1;
    const year = match[2] ? Number(match[2]) : quarter > Math.floor(of.month / 3) ? of.year - 1 : of.year;
    return quarterOf(of, year, quarter, `Q${quarter + 1} ${year}`);
  }),
  rule(`${within}(?:the )?day before yesterday`, (_, of) => of.days(2, 1, 'the day before yesterday')),
  rule(`(?:from |of |since )?yesterday(?:'?s)?`, (match, of) =>
    /^since/i.test(match[0]) ? of.days(1, 2, 'since yesterday') : of.days(1, 1, 'yesterday'),
  ),
  rule(`(?:from |of )?today(?:'?s)?|so far today`, (_, of) => of.days(0, 1, 'today')),
  rule(
    `${within}(?:last|this past|previous) weekend|(?:over|on|at|during|from|of|in) (?:the|this) weekend|(?:the|this) weekend`,
    (_, of) => {
      const [year, month, day] = monday(of);
      return of.range(of.midnight(year, month, day - 2), of.midnight(year, month, day), 'last weekend');
    },
  ),
  rule(`since (?:last|the (?:start|beginning) of(?: the| this)?|this) (week|month|year|quarter)`, (match, of) => {
    const unit = match[1]!.toLowerCase();
    const back = /last/i.test(match[0]) ? 1 : 0;
    const [year, month, day] = monday(of);
    const start =
      unit === 'week'
        ? of.midnight(year, month, day - 7 * back)
        : unit === 'month'
          ? of.midnight(of.year, of.month - back, 1)
          : unit === 'year'
            ? of.midnight(of.year - back, 0, 1)
            : of.midnight(of.year, (Math.floor(of.month / 3) - back) * 3, 1);
    return of.range(start, of.until, match[0].toLowerCase());
  }),
  rule(
    `${within}(first|second|third|fourth|last) week (?:of|in) (?:last |the month of )?(${monthPattern})(?:,? (20\\d\\d))?`,
    ([, which = '', name = '', yearText], of) => {
      const month = monthIndex(name);
      const year = yearText ? Number(yearText) : month > of.month ? of.year - 1 : of.year;
      const place = ['first', 'second', 'third', 'fourth'].indexOf(which.toLowerCase());
      const day = place < 0 ? new Date(Date.UTC(year, month + 1, 0)).getUTCDate() - 6 : 1 + 7 * place;
      const end = Math.min(of.midnight(year, month, day + 7), of.until);
      return of.range(of.midnight(year, month, day), end, `${day} to ${day + 6} ${months[month]} ${year}`);
    },
  ),
  rule(
    `(in|during|for|of|since|from|last|through)? ?(?:the month of )?(${monthPattern})(?:,? (?:of )?(20\\d\\d))?`,
    (match, of) => {
      const [, lead = '', name = '', year] = match;
      // "may" and "march" are also ordinary words.
      if (/^(may|mar|march|jan)$/i.test(name) && lead === '' && !year && !/^[A-Z]/.test(name)) return undefined;
      const month = monthIndex(name);
      const y = year ? Number(year) : month > of.month ? of.year - 1 : of.year;
      const start = of.midnight(y, month, 1);
      if (/since/i.test(lead)) return of.range(start, of.until, `since ${months[month]} ${y}`);
      if (start >= of.until) return undefined;
      return of.range(start, Math.min(of.midnight(y, month + 1, 1), of.until), `${months[month]} ${y}`);
    },
  ),
  rule(
    `${within}(?:last |this |past )?(spring|summer|autumn|fall|winter)(?: of)?(?: (20\\d\\d))?`,
    ([, name = '', yearText], of) => {
      const [month] = seasons[name.toLowerCase()]!;
      const year = yearText ? Number(yearText) : month > of.month ? of.year - 1 : of.year;
      return of.range(
        of.midnight(year, month, 1),
        Math.min(of.midnight(year, month + 3, 1), of.until),
        `${name.toLowerCase()} ${year}`,
      );
    },
  ),
  rule(
    `(?:(?:from|between) )?(?:the )?(\\d{1,2})(?:st|nd|rd|th) ?(?:to|until|till|through|and|[-–]) ?(?:the )?(\\d{1,2})(?:st|nd|rd|th)(?! (?:of|${monthPattern}|quarter|half|week))`,
    ([, first, last], of) => {
      const [month, name] = monthOfDay(of, Number(first));
      const end = Math.min(of.midnight(of.year, month, Number(last) + 1), of.until);
      return Number(last) < Number(first)
        ? undefined
        : of.range(of.midnight(of.year, month, Number(first)), end, `${Number(first)} to ${Number(last)} ${name}`);
    },
  ),
  rule(
    `(on|since|from|of)? ?the (\\d{1,2})(?:st|nd|rd|th)(?! (?:of|${monthPattern}|quarter|half|week|month|day|time|one|percentile)\\b)`,
    ([, lead, amount], of) => {
      const day = Number(amount);
      const [month, name] = monthOfDay(of, day);
      if (day < 1 || day > 31) return undefined;
      const start = of.midnight(of.year, month, day);
      return lead?.toLowerCase() === 'since'
        ? of.range(start, of.until, `since ${day} ${name}`)
        : of.range(start, Math.min(of.midnight(of.year, month, day + 1), of.until), `on ${day} ${name}`);
    },
  ),
  rule(`(?:in|during|for|of) (20\\d\\d)`, (match, of) => {
    const year = Number(match[1]);
    if (year > of.year) return undefined;
    return of.range(of.midnight(year, 0, 1), Math.min(of.midnight(year + 1, 0, 1), of.until), String(year));
  }),
];

/** "The 12th": of this month, or of the last one if it is still to come. */
function monthOfDay(of: Calendar, day: number): [month: number, name: string] {
  const month = day > of.day ? of.month - 1 : of.month;
  return [month, `${months[(month + 12) % 12]} ${month < 0 ? of.year - 1 : of.year}`];
}

/** A month counts only if chrono finds no day beside it: "3 November" is not November. */
const besideNumber = /(?:\d(?:st|nd|rd|th)?(?: of)?|[-/.])\s*$/i;
const beforeNumber = /^\s*(?:the )?\d{1,2}(?:st|nd|rd|th)?(?![\d:]|\s*(?:alerts?|cases?|devices?|users?))/i;

export function findTimes(text: string, now: number, timeZone: string): FoundTime[] {
  const of = calendar(now, timeZone);
  const found: FoundTime[] = [];
  const isFree = (from: number, to: number) => found.every((other) => to <= other.from || from >= other.to);
  const add = (from: number, to: number, timeframe: NamedTimeframe | undefined) => {
    if (timeframe && Date.parse(timeframe.start) < Date.parse(timeframe.end) && isFree(from, to))
      found.push({ timeframe, from, to });
  };
  for (const [pattern, make] of [...specialRules(text, timeZone), ...occasions])
    for (const match of text.matchAll(pattern)) add(match.index, match.index + match[0].length, make(match, of));
  const dates = findDates(text, of, now, timeZone);
  for (const [index, [pattern, make]] of rules.entries()) {
    // A range, a whole date or "since Tuesday" is more specific than the words inside it.
    if (index === 1) for (const date of dates) if (date.isStrong) add(date.from, date.to, date.timeframe);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [from, to] = [match.index, match.index + match[0].length];
      const isMonthOfDate =
        new RegExp(`${monthPattern}$`, 'i').test(match[0]) &&
        (besideNumber.test(text.slice(0, from)) || beforeNumber.test(text.slice(to)));
      if (!isMonthOfDate) add(from, to, make(match, of));
    }
  }
  for (const date of dates) if (!date.isStrong) add(date.from, date.to, date.timeframe);
  found.sort((a, b) => a.from - b.from);
  found.push(...relativeTo(found, text, now, timeZone));
  return joined(found, text, of, timeZone).map((each) => until(each, text, of));
}

/** "Before last month", "until October": everything up to it. */
function until(found: FoundTime, text: string, of: Calendar): FoundTime {
  const lead = /\b(before|until|up to|prior to) (?:the )?$/i.exec(`${text.slice(0, found.from).trimEnd()} `);
  const { start, end, label } = found.timeframe;
  if (
    !lead ||
    /^(?:before|since)/.test(label) ||
    Date.parse(end) > of.until + dayMs ||
    /\b(?:day|week|month|year|from) $/i.test(text.slice(0, lead.index))
  )
    return found;
  const isBefore = /before|prior/i.test(lead[1]!);
  const begin = Date.parse(of.word('allTime').start);
  const timeframe = of.range(
    begin,
    Date.parse(isBefore ? start : end),
    `${isBefore ? 'before' : 'until'} ${label.replace(/^on /, '')}`,
  );
  return { timeframe, from: lead.index, to: found.to };
}

/** "Last week against the week before": relative to the one named time. */
function relativeTo(found: readonly FoundTime[], text: string, now: number, timeZone: string): FoundTime[] {
  const [named] = found;
  const relative =
    named &&
    /\b(?:the )?(?:week|month|year|day|time|period|quarter) before(?! last| yesterday)\b|\bthe (?:previous|preceding) (?:one|period|time)\b/i.exec(
      text,
    );
  if (!named || !relative || found.length !== 1) return [];
  const [from, to] = [relative.index, relative.index + relative[0].length];
  const isFree = to <= named.from || from >= named.to;
  return isFree ? [{ timeframe: before(named.timeframe, now, timeZone), from, to }] : [];
}

/** Joins "between A and B" and "from A to B" into one range. */
function joined(found: FoundTime[], text: string, of: Calendar, timeZone: string): FoundTime[] {
  const [a, b] = found;
  if (!a || !b || found.length !== 2) return found;
  const lead = /(?:between|from)\s*$/i.exec(text.slice(0, a.from)) ?? /^(?:from)\b/i.exec(text.slice(a.from, a.to));
  if (!lead || !/^\s*(?:and|to|until|till|through|[-–])\s*(?:the )?$/i.test(text.slice(a.to, b.from))) return found;
  // A difference between two times needs both.
  if (comparing.test(text.slice(0, a.from))) return found;
  const [start, end] = [Date.parse(a.timeframe.start), Date.parse(b.timeframe.end)];
  if (start >= end) return found;
  const label = `${dayLabel(start, timeZone)} to ${dayLabel(end - 1, timeZone)}`;
  return [{ timeframe: of.range(start, end, label), from: Math.min(a.from, lead.index), to: b.to }];
}

/** Returns the previous period: the previous calendar month for a month, otherwise one of equal length. */
export function before({ start, end }: Range, now: number, timeZone: string): NamedTimeframe {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const wall = new Date(wallClock(from, timeZone));
  const named = (['thisMonth', 'lastMonth'] as const).map((each) => resolveTimeframe(each, now, timeZone).start);
  const isMonth = wall.getUTCDate() === 1 && to - from > 27 * dayMs && to - from < 32 * dayMs;
  if (named.includes(start) || isMonth) {
    const first = startOfDay(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() - 1, 1), timeZone);
    return { start: iso(first), end: start, label: periodLabel(iso(wallClock(first, timeZone)).slice(0, 7)) };
  }
  const days = Math.max(1, Math.ceil((to - from) / dayMs - 0.1));
  const day = Math.floor(wallClock(from, timeZone) / dayMs) * dayMs;
  const isWhole = startOfDay(day, timeZone) === from;
  const first = isWhole ? startOfDay(day - days * dayMs, timeZone) : from - (to - from);
  const [firstDay, lastDay] = [dayLabel(first, timeZone), dayLabel(from - 1, timeZone)];
  const label = !isWhole ? 'the same time before' : firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
  return { start: iso(first), end: start, label };
}
