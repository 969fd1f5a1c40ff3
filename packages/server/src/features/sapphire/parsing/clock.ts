/** Times of day of one day: "last night", "since 8am", "Friday evening". Recurring hours ("after 4pm") are filters, in moments.ts. */
import { type Calendar, dayLabel, type NamedTimeframe } from './calendar.ts';

/** Hours that a part of the day begins and ends with. */
const parts: Readonly<Record<string, readonly [number, number]>> = {
  morning: [0, 12],
  lunchtime: [12, 14],
  afternoon: [12, 18],
  evening: [18, 24],
  night: [22, 30],
};
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const partNames = Object.keys(parts).join('|');
const dayNames = `yesterday|today|(?:(?:last|this) )?(?:${weekdays.join('|')})`;
const clock = "(\\d{1,2})(?::(\\d{2}))? ?(am|pm|h|oclock|o'?clock|a\\.m\\.|p\\.m\\.)?";

/** Days back to a day by its name; 0 for today. */
const backTo = (name: string, { weekday }: Calendar): number => {
  if (/today|this (?:m|a|e|n|l)/.test(name)) return 0;
  if (name.includes('yesterday')) return 1;
  const day = weekdays.findIndex((each) => name.includes(each));
  return day < 0 ? 0 : (weekday - day + 7) % 7;
};

type ClockRule = readonly [pattern: string, make: (match: RegExpExecArray, of: Calendar) => NamedTimeframe | undefined];

const span = (of: Calendar, back: number, [from, to]: readonly [number, number], label: string): NamedTimeframe => {
  const day = of.day - back;
  const end = of.hour(of.year, of.month, day + Math.floor(to / 24), to % 24);
  return of.range(of.hour(of.year, of.month, day, from), Math.min(end, of.until), label);
};

/** 8 and "pm" → 20; undefined for no time of day. */
function hourOf(text: string, minutes: string | undefined, half: string | undefined, hint: string): number | undefined {
  const hour = Number(text);
  const suffix =
    half?.toLowerCase().replaceAll('.', '') ?? (/morning/.test(hint) ? 'am' : /evening|afternoon|night/.test(hint) ? 'pm' : '');
  if (suffix === '' && minutes === undefined) return undefined;
  if (suffix === 'pm') return (hour % 12) + 12;
  return hour > 23 ? undefined : suffix === 'am' ? hour % 12 : hour;
}

const since = (of: Calendar, back: number, hour: number, minute: number, timeZone: string): NamedTimeframe => {
  const place = (days: number) => of.hour(of.year, of.month, of.day - days, hour, minute);
  const at = place(back) > of.until ? place(back === 0 ? 1 : back + 7) : place(back);
  return of.range(
    at,
    of.until,
    `since ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} on ${dayLabel(at, timeZone).replace(/^on /, '')}`,
  );
};

export const clockRules = (timeZone: string): readonly ClockRule[] => [
  // "Last Tuesday after 6pm": a date, beside hours.
  [
    `(?:on )?last (?:${weekdays.join('|')})(?= (?:after|before|between|from|until|past) \\d)|(?<=(?:am|pm|oclock|:\\d\\d) )(?:on )?last (?:${weekdays.join('|')})`,
    ([all], of) => {
      const back = backTo(all.toLowerCase(), of) || 7;
      return of.days(back, 1, dayLabel(of.midnight(of.year, of.month, of.day - back), timeZone));
    },
  ],
  [
    `since ${clock}(?: (?:on |this |last )?(?:${dayNames}|${partNames}))?`,
    ([all, hour = '', minutes, half], of) => {
      const lower = all.toLowerCase();
      const at = hourOf(hour, minutes, half, lower);
      return at === undefined ? undefined : since(of, backTo(lower, of), at, Number(minutes ?? 0), timeZone);
    },
  ],
  [
    `since (?:i left |we left )?(?:on )?(${dayNames})(?: (?:at |around )?${clock})?(?: (${partNames}))?`,
    ([, day = '', hour, minutes, half, part], of) => {
      const back = backTo(day.toLowerCase(), of);
      if (part !== undefined && hour === undefined) return since(of, back, parts[part.toLowerCase()]![0], 0, timeZone);
      const at = hour === undefined ? undefined : hourOf(hour, minutes, half, part ?? '');
      return at === undefined ? undefined : since(of, back, at, Number(minutes ?? 0), timeZone);
    },
  ],
  ['since (?:about )?(?:midnight|last midnight)', (_, of) => since(of, 0, 0, 0, timeZone)],
  ['since (?:about )?(?:noon|midday|lunch|lunchtime)', (_, of) => since(of, 0, 12, 0, timeZone)],
  ['since last night', (_, of) => since(of, 1, 22, 0, timeZone)],
  ['since this morning', (_, of) => since(of, 0, 0, 0, timeZone)],
  [
    'since (?:the|last) weekend',
    (_, of) => of.range(of.midnight(of.year, of.month, of.day - ((of.weekday + 1) % 7)), of.until, 'since Saturday'),
  ],
  [
    '(?:over |during |in |from )?(?:the )?last night|yesterday night|(?:over|during) the night',
    (_, of) => span(of, 1, parts.night!, 'last night, 22:00 to 06:00'),
  ],
  ['tonight|this evening', (_, of) => span(of, 0, [18, 24], 'this evening, from 18:00')],
  [
    `(?:(?:in|during|on|from) )?(this|today|${dayNames})(?: in the| at)?(?:'s)? (${partNames})`,
    ([, day = '', part = ''], of) => {
      const name = part.toLowerCase();
      const back = backTo(day.toLowerCase() === 'this' ? 'today' : day.toLowerCase(), of);
      const [from, to] = parts[name]!;
      return span(
        of,
        back,
        [from, to],
        `${back === 0 ? 'today' : dayLabel(of.midnight(of.year, of.month, of.day - back), timeZone)} from ${from}:00 to ${to % 24}:00`,
      );
    },
  ],
];
