import { expect, test } from 'vitest';
import { caseNumberOf } from './AddToCase.tsx';

test.each([
  ['12', 12],
  [' #12 ', 12],
  ['2147483647', 2147483647],
  ['2147483648', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['12 13', undefined],
])('%j', (text, number) => {
  expect(caseNumberOf(text)).toBe(number);
});
