/** Times of questions: calendar ranges in the viewer’s zone. */
import { expect, test } from 'vitest';
import { findTimes } from './times.ts';

const ranges = (text: string, now = '2026-11-23T07:20:00Z', timeZone = 'Europe/Berlin'): string[] =>
  findTimes(text, Date.parse(now), timeZone).map(
    ({ timeframe: { start, end, label } }) => `${start.slice(0, 16)} ${end.slice(0, 16)} ${label}`,
  );

test.each([
  ['alerts the week before last', ['2026-11-08T23:00 2026-11-15T23:00 the week before last']],
  ['alerts the month before last', ['2026-08-31T22:00 2026-09-30T22:00 the month before last']],
  ['alerts the quarter before last', ['2026-03-31T22:00 2026-06-30T22:00 the quarter before last']],
  ['alerts the year before last', ['2023-12-31T23:00 2024-12-31T23:00 the year before last']],
  ['alerts since spring', ['2026-02-28T23:00 2026-11-23T07:25 since spring']],
  ['alerts since halloween', ['2026-10-30T23:00 2026-11-23T07:25 since halloween']],
  ['alerts since october', ['2026-09-30T22:00 2026-11-23T07:25 since October 2026']],
  ['alerts since monday', ['2026-11-22T23:00 2026-11-23T07:25 since 23 November 2026']],
  ['alerts since yesterday', ['2026-11-21T23:00 2026-11-23T07:25 since 22 November 2026']],
  ['alerts a month ago', ['2026-10-22T22:00 2026-10-23T22:00 a month ago']],
  ['alerts two months ago', ['2026-09-22T22:00 2026-09-23T22:00 2 months ago']],
  ['alerts a week ago', ['2026-11-15T23:00 2026-11-16T23:00 on 16 November 2026']],
  ['alerts 3 days ago', ['2026-11-19T23:00 2026-11-20T23:00 on 20 November 2026']],
  ['alerts yesterday', ['2026-11-21T23:00 2026-11-22T23:00 yesterday']],
  ['alerts the day before yesterday', ['2026-11-20T23:00 2026-11-21T23:00 the day before yesterday']],
  ['alerts today', ['2026-11-22T23:00 2026-11-23T07:25 today']],
  ['alerts last week', ['2026-11-15T23:00 2026-11-22T23:00 last week']],
  ['alerts last weekend', ['2026-11-20T23:00 2026-11-22T23:00 last weekend']],
  ['alerts last month', ['2026-09-30T22:00 2026-10-31T23:00 last month']],
  ['alerts last quarter', ['2026-06-30T22:00 2026-09-30T22:00 last quarter']],
  ['alerts last year', ['2024-12-31T23:00 2025-12-31T23:00 last year']],
  ['alerts in the last 3 days', ['2026-11-20T23:00 2026-11-23T07:25 the last 3 days']],
  ['alerts the past 24 hours', ['2026-11-22T07:25 2026-11-23T07:25 the last 24 hours']],
  ['alerts last two weeks', ['2026-11-09T23:00 2026-11-23T07:25 the last 2 weeks']],
  ['alerts past 6 months', ['2026-05-22T22:00 2026-11-23T07:25 the last 6 months']],
  ['alerts year to date', ['2025-12-31T23:00 2026-11-23T07:25 this year so far']],
  ['alerts in q3', ['2026-06-30T22:00 2026-09-30T22:00 Q3 2026']],
  ['alerts in october', ['2026-09-30T22:00 2026-10-31T23:00 October 2026']],
  ['alerts in december', ['2025-11-30T23:00 2025-12-31T23:00 December 2025']],
  ['alerts in 2025', ['2024-12-31T23:00 2025-12-31T23:00 2025']],
  ['alerts on tuesday', ['2026-11-16T23:00 2026-11-17T23:00 on 17 November 2026']],
  ['alerts on 3 november', ['2026-11-02T23:00 2026-11-03T23:00 on 3 November 2026']],
  ['alerts on 30 november', ['2025-11-29T23:00 2025-11-30T23:00 on 30 November 2025']],
  ['alerts between 3 and 10 november', ['2026-11-02T23:00 2026-11-10T23:00 3 to 10 November 2026']],
  ['alerts from 3 november to 10 november', ['2026-11-02T23:00 2026-11-10T23:00 3 November 2026 to 10 November 2026']],
  ['alerts first week of october', ['2026-09-30T22:00 2026-10-07T22:00 1 to 7 October 2026']],
  [
    'alerts last week vs the week before',
    ['2026-11-15T23:00 2026-11-22T23:00 last week', '2026-11-08T23:00 2026-11-15T23:00 9 November 2026 to 15 November 2026'],
  ],
  [
    'alerts this month vs last month',
    ['2026-10-31T23:00 2026-11-23T07:25 this month', '2026-09-30T22:00 2026-10-31T23:00 last month'],
  ],
  ['alerts last night', ['2026-11-22T21:00 2026-11-23T05:00 last night, 22:00 to 06:00']],
  ['alerts since 8am', ['2026-11-23T07:00 2026-11-23T07:25 since 08:00 on 23 November 2026']],
  ['alerts since friday 5pm', ['2026-11-20T16:00 2026-11-23T07:25 since 17:00 on 20 November 2026']],
  ['alerts yesterday evening', ['2026-11-22T17:00 2026-11-22T23:00 22 November 2026 from 18:00 to 0:00']],
  ['alerts from august to october', ['2026-07-31T22:00 2026-10-31T23:00 1 August 2026 to 31 October 2026']],
  ['alerts in h1', ['2025-12-31T23:00 2026-06-30T22:00 the first half of 2026']],
  ['cases expiring in the next 14 days', ['2026-11-23T07:25 2026-12-07T07:25 the next 14 days']],
  ['alerts in the next 14 days', []],
  ['alerts mon-wed', []],
  ['alerts may we see alerts', []],
])('reads "%s" on Monday, 23 November 2026', (text, expected) => expect(ranges(text)).toEqual(expected));

test.each([
  [
    'a month of 30 days and 23 hours',
    'last month',
    '2026-04-10T10:00:00Z',
    'Europe/Berlin',
    '2026-02-28T23:00 2026-03-31T22:00 last month',
  ],
  ['a day of 23 hours', 'yesterday', '2026-03-30T10:00:00Z', 'Europe/Berlin', '2026-03-28T23:00 2026-03-29T22:00 yesterday'],
  ['a day of 25 hours', 'yesterday', '2026-10-26T10:00:00Z', 'Europe/Berlin', '2026-10-24T22:00 2026-10-25T23:00 yesterday'],
  ['a week of 169 hours', 'last week', '2026-11-04T12:00:00Z', 'America/New_York', '2026-10-26T04:00 2026-11-02T05:00 last week'],
  [
    'the evening before, in the west',
    'today',
    '2026-11-23T02:00:00Z',
    'America/New_York',
    '2026-11-22T05:00 2026-11-23T02:05 today',
  ],
  ['an offset', 'last month', '2026-01-15T10:00:00Z', '+05:30', '2025-11-30T18:30 2025-12-31T18:30 last month'],
  [
    'a month without that day',
    'a month ago',
    '2026-03-31T10:00:00Z',
    'Europe/Berlin',
    '2026-02-27T23:00 2026-02-28T23:00 a month ago',
  ],
])('follows the zone: %s', (_, text, now, timeZone, expected) => expect(ranges(text, now, timeZone)).toEqual([expected]));
