import { expect, test } from 'vitest';
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts';

test.each([
  ['Correct-Horse-9-Battery', true],
  ['Quiet-River-7-Lantern', true],
  ['Tr0ub4dor&3-kettle', true],
  ['Password2026!!', false],
  ['P@ssw0rd-2026-P@ssw0rd', false],
  ['Welcome-Summer-2026', false],
  ['Parapet-2026-Parapet!', false],
  ['P4r@pet!P4r@pet!', false],
  ['Harbor-Managed-IT-2026!', false],
  ['HarborManagedIT1!', false],
  ['Qwerty-2026-QWERTY!', false],
  ['Short-1!', false],
  ['nocapitals-at-all-1!', false],
])('%j will do: %s', (password, does) => {
  expect(checkPassword(password, ['Harbor Managed IT'])).toBe(does);
});

test('a name of another partner is only a word', () => {
  expect(checkPassword('Harbor-Managed-2026!', ['Summit Cyber'])).toBe(true);
});

test('a hash is of its password alone, at the stated cost; without one, or with nonsense, nothing matches', async () => {
  const [one, other] = await Promise.all([hashPassword('Quiet-River-7-Lantern'), hashPassword('Quiet-River-7-Lantern')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(other);
  expect(await verifyPassword(one, 'Quiet-River-7-Lantern')).toBe(true);
  expect(await verifyPassword(one, 'quiet-River-7-Lantern')).toBe(false);
  expect(await verifyPassword(null, 'Quiet-River-7-Lantern')).toBe(false);
  await expect(verifyPassword('nonsense', 'x')).rejects.toThrow();
  expect(await verifyPassword(one, 'Quiet-River-7-Lantern')).toBe(true);
});

test('an unknown account takes as long as a known one', async () => {
  const stored = await hashPassword('Quiet-River-7-Lantern');
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < 15; i++) {
    for (const [name, target] of [
      ['known', stored],
      ['unknown', undefined],
    ] as const) {
      const began = performance.now();
      await verifyPassword(target, 'a wrong password');
      times[name].push(performance.now() - began);
    }
  }
  const least = (values: number[]) => Math.min(...values);
  expect(least(times.unknown) / least(times.known)).toBeGreaterThan(0.6);
  expect(least(times.unknown) / least(times.known)).toBeLessThan(1.6);
});
