import { expect, test } from 'vitest';
import { duration, listed, shownValue } from './reports.words.ts';

test.each([
  [0, '0 minutes'],
  [1, '1 minute'],
  [59.6, '1 h'],
  [95, '1 h 35 min'],
  [480, '8 h'],
  [47 * 60 + 59.7, '2 d'],
  [72 * 60, '3 d'],
  [76 * 60 + 20, '3 d 4 h'],
])('%d minutes are said as %s', (minutes, said) => {
  expect(duration(minutes)).toBe(said);
});

test('what is one is said as one', () => {
  expect([shownValue(1, 'days'), shownValue(113.64, 'days'), shownValue(null, 'days')]).toEqual([
    '1 day',
    '113.6 days',
    'not measured',
  ]);
  expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c', 'd'], 2)]).toEqual([
    '',
    'a',
    'a and b',
    'a, b and 2 more',
  ]);
});
