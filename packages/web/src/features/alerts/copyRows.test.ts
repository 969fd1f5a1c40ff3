import { expect, it } from 'vitest';
import { cell } from './copyRows.ts';

it.each([
  ['plain', 'plain'],
  [7, '7'],
  [-7, '-7'],
  [null, ''],
  ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
  ['+1', "'+1"],
  ['-1+2', "'-1+2"],
  ['@SUM', "'@SUM"],
  ['\t=1', "' =1"],
  ['two\r\nlines\tand tab', 'two lines and tab'],
])('%j', (value, text) => expect(cell(value)).toBe(text));
