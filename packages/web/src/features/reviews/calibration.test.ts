import { expect, test } from 'vitest';
import { percent, placeOf, pointsOf, radiusOf, sentenceOf, tableOf } from './calibration.ts';

const bins = [
  { verdict: 'Malicious' as const, from: 90, to: 100, cases: 40, correct: 37 },
  { verdict: 'Benign' as const, from: 50, to: 59, cases: 0, correct: 0 },
];

test('skips bins without reviewed cases', () => {
  expect(pointsOf({ bins })).toEqual([{ ...bins[0], predicted: 95, observed: 92.5 }]);
  expect(percent(0, 0)).toBe(0);
});

test('describes points as a table and in words', () => {
  const points = pointsOf({ bins });
  expect(tableOf(points)).toEqual({
    head: ['Verdict and confidence', 'Reviewed', 'Agreed', 'Agreed, %'],
    rows: [['Malicious, 90–100%', 40, 37, 92.5]],
  });
  expect(sentenceOf(points[0]!)).toBe('Malicious, confidence 90–100%: review agreed with 37 of 40 cases, 92.5%');
});

test('places confidence to the right and agreement upwards', () => {
  const [point] = pointsOf({ bins });
  const { x, y } = placeOf(point!, { width: 200, height: 100 });
  expect([x, Math.round(y * 10) / 10]).toEqual([190, 7.5]);
  expect(radiusOf(40, 40)).toBe(12);
  expect(radiusOf(1, 40)).toBeGreaterThan(4);
});
