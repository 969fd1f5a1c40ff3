/** Wishes of a question that no query of the bank could hold are none. */
import { expect, test } from 'vitest';
import type { Segment } from './segments.ts';
import { wishedBy } from './wishes.ts';

test('has no bound that is denied earlier in its clause', () => {
  const segment = (text: string, items: object) => ({ text, items, isPlural: false }) as unknown as Segment;
  const bound = [
    segment('over', { compare: { comparison: '>' } }),
    segment('5', { number: { value: 5 } }),
    segment('gruesome', { unknown: {} }),
  ];
  const [not, except, have] = [
    segment('didn’t', { not: {} }),
    segment('except', { except: {} }),
    segment('have', { unknown: {} }),
  ];
  const birch = segment('Birch', { value: { isName: true, options: [] } });
  const wishes = (...before: Segment[]) => wishedBy([...before, ...bound])?.bound?.value;
  expect([wishes(not), wishes(not, have), wishes(except, have), wishes(not, birch)]).toEqual(Array(4).fill(undefined));
  expect([wishes(have), wishes(except, birch), wishes(not, have, segment(',', { comma: {} }))]).toEqual([5, 5, 5]);
});
