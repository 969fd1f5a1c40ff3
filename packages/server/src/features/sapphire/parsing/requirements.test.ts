/** Requirements of a question for offered queries. */
import { expect, test } from 'vitest';
import { requirementsOf } from './requirements.ts';
import type { Segment } from './segments.ts';

test('ignores a bound denied earlier in its clause', () => {
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
  const requiredValue = (...before: Segment[]) => requirementsOf([...before, ...bound])?.bound?.value;
  expect([requiredValue(not), requiredValue(not, have), requiredValue(except, have), requiredValue(not, birch)]).toEqual(
    Array(4).fill(undefined),
  );
  expect([requiredValue(have), requiredValue(except, birch), requiredValue(not, have, segment(',', { comma: {} }))]).toEqual([
    5, 5, 5,
  ]);
});
