import { expect, test } from 'vitest';
import { drawnLines, findLines } from './code.ts';

test('lines are found without regard to case, none for no text', () => {
  expect(findLines(['title: Root', 'x', 'ROOT'], ' root ')).toEqual([0, 2]);
  expect(findLines(['a'], '  ')).toEqual([]);
  expect(
    findLines(
      Array.from({ length: 50 }, () => 'a'),
      'a',
      10,
    ),
  ).toHaveLength(10);
});

test.each([
  [10, 500, undefined, { from: 0, to: 10 }],
  [9000, 500, undefined, { from: 0, to: 500 }],
  [9000, 500, 499, { from: 0, to: 500 }],
  [9000, 500, 4000, { from: 3750, to: 4250 }],
  [9000, 500, 8999, { from: 8749, to: 9000 }],
])('of %i lines, at most %i with a hit at %s: %j', (count, limit, current, drawn) => {
  expect(drawnLines(count, limit, current)).toEqual(drawn);
});
