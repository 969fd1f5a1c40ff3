import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

test('room is bounded and comes back', () => {
  const admission = createAdmission(100);
  const first = admission.admit(1, 50);
  expect(first).toBeDefined();
  expect(admission.admit(1, 1)).toBeUndefined();
  first?.();
  first?.();
  expect(admission.bytesInFlight()).toBe(0);
  expect(admission.admit(1, 50)).toBeDefined();
});

test('a flood from one organisation leaves room for another', () => {
  const admission = createAdmission(100);
  while (admission.admit(1, 10));
  expect(admission.admit(2, 10)).toBeDefined();
  expect(admission.bytesInFlight()).toBeLessThanOrEqual(100);
});

test('with many organisations each gets a share', () => {
  const admission = createAdmission(100);
  const admitted = [1, 2, 3, 4].map((id) => {
    let count = 0;
    while (admission.admit(id, 5)) count++;
    return count;
  });
  expect(admitted.every((count) => count >= 1)).toBe(true);
});

test('one request that is larger than all the room is let in when nothing else is', () => {
  const admission = createAdmission(10);
  expect(admission.admit(1, 50)).toBeDefined();
  expect(admission.admit(2, 1)).toBeUndefined();
  expect(admission.admit(1, 1)).toBeUndefined();
});
