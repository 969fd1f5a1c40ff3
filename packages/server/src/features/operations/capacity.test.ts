import { expect, test } from 'vitest';
import { daysLeft, growthOf } from './capacity.rules.ts';

const days = (...bytes: number[]) => bytes.map((value, index) => ({ day: `2026-11-${10 + index}`, bytes: value }));

test('finds the growth per day, also over missing days and noise', () => {
  expect(growthOf(days(100, 200, 300))).toBeCloseTo(100);
  expect(growthOf([...days(100), { day: '2026-11-20', bytes: 1_100 }])).toBeCloseTo(100);
  expect(growthOf(days(100, 190, 310, 400))).toBeCloseTo(102);
  expect(growthOf(days(300, 200))).toBeCloseTo(-100);
  expect([growthOf(days(5)), growthOf([])]).toEqual([undefined, undefined]);
});

test('counts the days left only where space shrinks within ten years', () => {
  expect([daysLeft(1_050, 100), daysLeft(10, 100)]).toEqual([10, 0]);
  expect([daysLeft(1_000, 0), daysLeft(1_000, -5), daysLeft(1_000, undefined), daysLeft(1e12, 1)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
