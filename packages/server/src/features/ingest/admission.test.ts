import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

test('bounds the capacity and reuses what is released', () => {
  const admission = createAdmission(100);
  const first = admission.admit(1, 50);
  expect(first).toBeDefined();
  expect(admission.admit(1, 1)).toBeUndefined();
  first?.();
  first?.();
  expect(admission.bytesInFlight()).toBe(0);
  expect(admission.admit(1, 50)).toBeDefined();
});

test('leaves capacity for other organisations during a flood from one', () => {
  const admission = createAdmission(100);
  while (admission.admit(1, 10));
  expect(admission.admit(2, 10)).toBeDefined();
  expect(admission.bytesInFlight()).toBeLessThanOrEqual(100);
});

test('gives each of many organisations a share', () => {
  const admission = createAdmission(100);
  const admitted = [1, 2, 3, 4].map((id) => {
    let count = 0;
    while (admission.admit(id, 5)) count++;
    return count;
  });
  expect(admitted.every((count) => count >= 1)).toBe(true);
});

test('admits a request larger than the whole capacity when nothing else is in flight', () => {
  const admission = createAdmission(10);
  expect(admission.admit(1, 50)).toBeDefined();
  expect(admission.admit(2, 1)).toBeUndefined();
  expect(admission.admit(1, 1)).toBeUndefined();
});
