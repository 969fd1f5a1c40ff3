import { expect, test } from 'vitest';
import { listed, shownValue } from './reports.words.ts';

test('uses the singular for one', () => {
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
