/** Numbers with their units, times of the calendar, times of day and days of the week, as edges over the tokens. */
import type { QueryTime } from '@parapet/contract/rules/query.ts';
import { type Calendar, calendar, dayLabel, monday } from './calendar.ts';
import type { Edge, Option } from './items.ts';
import type { Lexicon } from './lexicon.ts';
import { before, findTimes } from './times.ts';
import { stem, type Token } from './tokens.ts';
import type { NamedInput } from './vocabulary.ts';

const unitMinutes: Readonly<Record<string, number>> = {
  minute: 1,
  min: 1,
  m: 1,
  hour: 60,
  hr: 60,
  h: 60,
  day: 1440,
  d: 1440,
  week: 10_080,
  wk: 10_080,
  w: 10_080,
  month: 43_200,
  mo: 43_200,
  year: 525_600,
  yr: 525_600,
};
const numberWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  fifty: 50,
  hundred: 100,
  a: 1,
  an: 1,
};

/** Numbers with their unit: "3 days", "90 %", "24h", "a week". */
export function findNumbers({ tokens }: NamedInput): Edge[] {
  const edges: Edge[] = [];
  for (const [from, { text }] of tokens.entries()) {
    const isWord = text in numberWords;
    const value = isWord
      ? numberWords[text]!
      : /^#?\d{1,3}(?:,?\d{3})*(?:\.\d+)?$|^#?\d+(?:\.\d+)?$/.test(text)
        ? Number(text.replace(/[#,]/g, ''))
        : undefined;
    if (value === undefined) continue;
    const unit = unitMinutes[stem(tokens[from + 1]?.text ?? '')];
    if (unit !== undefined)
      edges.push({ from, to: from + 2, item: { kind: 'number', value: value * unit, unit: 'minutes' }, cost: 1.2 });
    else if (tokens[from + 1]?.text === '%' || /^percent$/.test(tokens[from + 1]?.text ?? ''))
      edges.push({ from, to: from + 2, item: { kind: 'number', value, unit: 'percent' }, cost: 0.9 });
    const isCounted = /^(?:exactly|precisely|than|least|most|over|under)$/.test(tokens[from - 1]?.text ?? '');
    if (text !== 'a' && text !== 'an' && (text !== 'one' || isCounted))
      edges.push({ from, to: from + 1, item: { kind: 'number', value }, cost: 1 });
  }
  return edges;
}

/** Times of the calendar, and times of day ("after 4pm", "between 20:00 and 6:00"). */
export function findMoments({ tokens, text, lexicon, now, timeZone, previousTime }: NamedInput): Edge[] {
  const edges: Edge[] = [];
  const cover: Cover = (from, to) => {
    const first = tokens.findIndex((token) => token.to > from);
    let last = tokens.findIndex((token) => token.from >= to);
    if (last < 0) last = tokens.length;
    return first >= 0 && last > first ? [first, last] : undefined;
  };
  for (const { from, to, timeframe } of findTimes(text, now, timeZone)) {
    // A length alone is no time: "more than 2 days".
    const isLength = /^(?:\d+|an?) (?:minute|hour|day|week|month|year)s?$/i.test(text.slice(from, to).trim());
    const span = isLength ? undefined : cover(from, to);
    if (span) edges.push({ from: span[0], to: span[1], item: { kind: 'time', time: timeframe as QueryTime }, cost: 0.5 });
  }
  const earlier =
    /\b(?:the )?(?:day|week|month|quarter|year|time|period|one) before(?: that| then)?\b(?! (?:last|yesterday))|\b(?:and )?before that\b|\bthe previous (?:one|period|time)\b/i.exec(
      text,
    );
  const span =
    earlier && previousTime && edges.length === 0 ? cover(earlier.index, earlier.index + earlier[0].length) : undefined;
  if (span)
    edges.push({ from: span[0], to: span[1], item: { kind: 'time', time: before(previousTime!, now, timeZone) }, cost: 0.4 });
  const isNight = /\bovernight\b/i.exec(text);
  const overnight = isNight && edges.length === 0 ? cover(isNight.index, isNight.index + isNight[0].length) : undefined;
  if (overnight) {
    const time = findTimes('last night', now, timeZone)[0]!.timeframe as QueryTime;
    edges.push({ from: overnight[0], to: overnight[1], item: { kind: 'time', time }, cost: 0.3 });
  }
  edges.push(...findClocks(text, lexicon, cover));
  const ranges = findDayRanges(tokens, lexicon, edges, calendar(now, timeZone), timeZone);
  return [
    ...edges.filter(
      ({ item, from, to }) => item.kind !== 'time' || !ranges.some((range) => range.from <= from && to <= range.to),
    ),
    ...ranges,
  ];
}

type Cover = (from: number, to: number) => [number, number] | undefined;

const clock = '(\\d{1,2})(?::(\\d{2}))? ?(am|pm|h|oclock)?';
const hourOf = ([hour = '', , half]: (string | undefined)[]) =>
  (half === 'am' || half === 'pm' ? Number(hour) % 12 : Number(hour)) + (half === 'pm' ? 12 : 0);
const isClock = (parts: (string | undefined)[]) =>
  (parts[1] !== undefined || /^(?:am|pm|h|oclock)$/.test(parts[2] ?? '')) && hourOf(parts) < 24;
const hours = (from: number, to: number): number[] =>
  from < to
    ? Array.from({ length: to - from }, (_, index) => from + index)
    : [...hours(from, 24), ...(to > 0 ? hours(0, to) : [])];
/** The suffix of an hour that the words after it stand for. */
const halfOf = (part: string, hour: number): string => (/morning/i.test(part) || (/night/i.test(part) && hour < 7) ? 'am' : 'pm');

/** Recurring hours: "after 4pm", "between 20:00 and 6:00". */
function findClocks(text: string, lexicon: Lexicon, cover: Cover): Edge[] {
  const edges: Edge[] = [];
  const put = (at: number, length: number, list: number[]) => {
    const place = cover(at, at + length);
    const options: Option[] = Object.values(lexicon.schemas)
      .filter(({ attributes }) => attributes.hour)
      .map(({ entity }) => ({ entity, field: 'hour', filter: { field: 'hour', in: list } }));
    if (place && list.length > 0)
      edges.push({
        from: place[0],
        to: place[1],
        item: { kind: 'value', options, label: text.slice(at, at + length) },
        cost: 0.4,
      });
  };
  for (const match of text.matchAll(new RegExp(`\\b(after|before|until|past) ${clock}\\b`, 'gi'))) {
    const parts = match.slice(2, 5).map((part) => part?.toLowerCase());
    if (isClock(parts))
      put(match.index, match[0].length, /after|past/i.test(match[1]!) ? hours(hourOf(parts), 24) : hours(0, hourOf(parts)));
  }
  for (const match of text.matchAll(new RegExp(`\\b(between |from )?${clock} ?(?:and|to|until|till|-) ?${clock}\\b`, 'gi'))) {
    const [first, second] = [match.slice(2, 5), match.slice(5, 8)].map((parts) => parts.map((part) => part?.toLowerCase()));
    const next = /^ ?(this )?(?:in the |at )?(morning|afternoon|evening|night)\b/i.exec(
      text.slice(match.index + match[0].length),
    );
    if (next && second![1] === undefined && second![2] === undefined) second![2] = halfOf(next[2]!, Number(second![0]));
    const length = match[0].length + (next && next[1] === undefined ? next[0].length : 0);
    if (isClock(second!) && (match[1] !== undefined || isClock(first!)))
      put(
        match.index,
        length,
        hours(
          hourOf([
            first![0],
            first![1],
            first![2] ?? (second![2] === 'pm' && Number(first![0]) < Number(second![0]) ? 'pm' : undefined),
          ]),
          hourOf(second!),
        ),
      );
  }
  return edges;
}

const dayNames = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const weeks: Readonly<Record<string, number>> = { 'last week': 7, 'the last seven days': 0 };
const habitual = /^(?:every|each|per|usually|normally|typically|always|average|outside|recurring)$/;

/** "Mon-wed", "Monday to Friday": the latest such days, those of the week beside them, or of any week. */
function findDayRanges(
  tokens: readonly Token[],
  lexicon: Lexicon,
  found: readonly Edge[],
  of: Calendar,
  timeZone: string,
): Edge[] {
  const edges: Edge[] = [];
  const dayOf = (word: string) =>
    /^(?:mon|tue|wed|thu|fri|sat|sun)(?:s|rs|urs|nes|ur)?(?:day)?s?$/.test(word) ? dayNames.indexOf(word.slice(0, 3)) : -1;
  const timeOf = (from: number, to: number, a: number, b: number): Edge | undefined => {
    const lead = /^(?:between|from)$/.test(tokens[from - 1]?.text ?? '') ? 1 : 0;
    const times = found.filter(({ item, from: at }) => item.kind === 'time' && (at < from - lead || at >= to));
    const week = times.find(({ from: at }) => at === to);
    const back = week?.item.kind === 'time' ? weeks[week.item.time.label] : undefined;
    const length = ((b - a + 7) % 7) + 1;
    const isHabit =
      tokens.slice(from, to).some(({ text }) => /days$/.test(text)) || tokens.some(({ text }) => habitual.test(text));
    if (times.length > (back === undefined ? 0 : 1) || isHabit || (lead === 0 && (length === 5 || length === 2)))
      return undefined;
    const [year, month, first] = monday(of);
    const today = (of.weekday + 6) % 7;
    const start = back === undefined ? of.day - ((today - b + 7) % 7) - length + 1 : first - back + a;
    const range = [of.midnight(year, month, start), Math.min(of.midnight(year, month, start + length), of.until)] as const;
    const time = of.range(...range, `${dayLabel(range[0], timeZone)} to ${dayLabel(range[1] - 1, timeZone)}`);
    return { from: from - lead, to: back === undefined ? to : week!.to, item: { kind: 'time', time }, cost: 0.3 };
  };
  const put = (from: number, to: number, a: number, b: number) => {
    const time = timeOf(from, to, a, b);
    if (time) return void edges.push(time);
    const list = Array.from({ length: ((b - a + 7) % 7) + 1 }, (_, index) => ((a + index) % 7) + 1);
    const options: Option[] = Object.values(lexicon.schemas)
      .filter(({ attributes }) => attributes.weekday)
      .map(({ entity }) => ({ entity, field: 'weekday', filter: { field: 'weekday', in: list } }));
    edges.push({ from, to, item: { kind: 'value', options, label: tokens[from]!.text }, cost: 0.3 });
  };
  for (const [at, { text }] of tokens.entries()) {
    const [a = '', b = ''] = text.split('-');
    if (dayOf(a) >= 0 && dayOf(b) >= 0) put(at, at + 1, dayOf(a), dayOf(b));
    const [, to, last] = tokens.slice(at, at + 3).map((token) => token.text);
    const joins = tokens[at - 1]?.text === 'between' ? /^(?:and|to)$/ : /^(?:to|till|until|through|thru)$/;
    if (dayOf(text) >= 0 && joins.test(to ?? '') && dayOf(last ?? '') >= 0) put(at, at + 3, dayOf(text), dayOf(last!));
  }
  return edges;
}
