/** Times that begin with a week, month, quarter or year, and days with names, as most clients keep them (United States, Western churches). */
import { type Calendar, monday, type Rule, rule } from './calendar.ts';

type Day = readonly [month: number, day: number];

/** Of a year: the day of a month's nth weekday; from the end if negative. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): Day {
  const [first, length] = [new Date(Date.UTC(year, month, 1)).getUTCDay(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate()];
  const day = 1 + ((weekday - first + 7) % 7) + 7 * (nth > 0 ? nth - 1 : 4);
  return [month, day > length ? day - 7 : day];
}

/** Gregorian Easter Sunday (Meeus, Astronomical Algorithms, 1991, chapter 8). */
function easter(year: number): Day {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return [Math.floor(sum / 31) - 1, (sum % 31) + 1];
}

interface Occasion {
  name: string;
  words: string;
  first: (year: number) => Day;
  /** Days from the first. */
  days: number;
}
const fixed = (month: number, day: number) => (): Day => [month, day];
const after =
  (first: (year: number) => Day, days: number) =>
  (year: number): Day => {
    const [month, day] = first(year);
    return [month, day + days];
  };
const thanksgiving = (year: number) => nthWeekday(year, 10, 4, 4);

/** Longer names first. */
const occasionsOfYear: readonly Occasion[] = [
  { name: 'the Thanksgiving weekend', words: 'thanksgiving (?:week-?end|break|holidays?)', first: thanksgiving, days: 4 },
  { name: 'Thanksgiving', words: 'thanksgiving(?: day)?', first: thanksgiving, days: 1 },
  { name: 'Black Friday', words: 'black friday', first: after(thanksgiving, 1), days: 1 },
  { name: 'Cyber Monday', words: 'cyber monday', first: after(thanksgiving, 4), days: 1 },
  { name: 'Christmas Eve', words: "(?:christmas|xmas|x-mas)(?:'s)? eve", first: fixed(11, 24), days: 1 },
  { name: 'Christmas Day', words: '(?:christmas|xmas|x-mas) day', first: fixed(11, 25), days: 1 },
  { name: 'Christmas', words: 'christmas|xmas|x-mas', first: fixed(11, 24), days: 3 },
  { name: 'New Year’s Eve', words: "new years?'?s? eve", first: fixed(11, 31), days: 1 },
  { name: 'New Year’s Day', words: "new years?'?s? day", first: fixed(0, 1), days: 1 },
  { name: 'Halloween', words: 'halloween', first: fixed(9, 31), days: 1 },
  { name: 'Independence Day', words: 'independence day|(?:the )?fourth of july', first: fixed(6, 4), days: 1 },
  { name: 'Memorial Day', words: 'memorial day', first: (year) => nthWeekday(year, 4, 1, -1), days: 1 },
  { name: 'Labor Day', words: 'labou?r day', first: (year) => nthWeekday(year, 8, 1, 1), days: 1 },
  { name: 'Good Friday', words: 'good friday', first: after(easter, -2), days: 1 },
  { name: 'Easter', words: 'easter(?: week-?end)?', first: after(easter, -2), days: 4 },
];

/** The latest that has begun, or of the year that is named. */
function timeOf({ first, days, name }: Occasion, yearText: string | undefined, of: Calendar) {
  const startIn = (year: number) => {
    const [month, day] = first(year);
    return { start: of.midnight(year, month, day), end: of.midnight(year, month, day + days) };
  };
  const year = yearText
    ? /last/i.test(yearText)
      ? of.year - 1
      : Number(yearText)
    : startIn(of.year).start > of.until
      ? of.year - 1
      : of.year;
  const { start, end } = startIn(year);
  return of.range(start, Math.min(end, Math.max(of.until, start)), `${name} ${year}`);
}

const bounds = '(?<!\\b(?:since|before|after|until|till|by|from|to|than)(?: the| last)? )';

export const occasions: readonly Rule[] = [
  rule(
    '(?:(?:ever )?since|from) (?:the )?(?:very )?(?:start|beginning|first day) of (?:the |this |our )?(?:current |calendar )?(week|month|quarter|year)(?: (?:on|onwards?|until now|to date|so far))?',
    ([, word = ''], of) => {
      const unit = word.toLowerCase();
      if (unit === 'month') return of.word('thisMonth');
      if (unit === 'year') return of.word('ytd');
      const start = unit === 'week' ? of.midnight(...monday(of)) : of.midnight(of.year, Math.floor(of.month / 3) * 3, 1);
      return of.range(start, of.until, unit === 'week' ? 'this week, since Monday' : 'this quarter');
    },
  ),
  ...occasionsOfYear.map((occasion) =>
    rule(
      `${bounds}(?:(?:over|on|at|during|around|for|in) )?(?:the )?(?:last )?(?:${occasion.words})(?: (?:of |in )?(20\\d\\d|last year))?`,
      ([, year], of) => timeOf(occasion, year, of),
    ),
  ),
];
