import { expect, test } from 'vitest';
import { msText, spanText } from './operationsTexts.ts';

test('words durations with the unit that fits', () => {
  expect([msText(0), msText(999), msText(1_000), msText(12_345)]).toEqual(['0 ms', '999 ms', '1.0 s', '12.3 s']);
  expect([spanText(0), spanText(119.4), spanText(300), spanText(7_200), spanText(200_000)]).toEqual([
    '0 s',
    '119 s',
    '5 min',
    '2 h',
    '2 d',
  ]);
});
