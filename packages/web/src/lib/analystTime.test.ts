import { expect, test } from 'vitest';
import { minutesText, timeDifference } from './analystTime.ts';

test.each([
  [0, '0 min'],
  [59, '59 min'],
  [60, '1 h'],
  [150, '2 h 30 min'],
  [5999, '99 h 59 min'],
  [6031, '101 h'],
  [600_000, '10,000 h'],
])('prints %i minutes as %s', (minutes, text) => expect(minutesText(minutes)).toBe(text));

test('names the direction and the basis of a difference', () => {
  expect(timeDifference(-90, '5 min per alert')).toBe('Analyst time: 1 h 30 min less, at 5 min per alert.');
  expect(timeDifference(20, '20 min per case')).toBe('Analyst time: 20 min more, at 20 min per case.');
  expect(timeDifference(0, '5 min per alert')).toBe('Analyst time: no difference, at 5 min per alert.');
});
