import { describe, expect, test } from 'vitest';
import { createSearchLimits } from './events.limits.ts';

const never = () => new Promise<void>(() => {});

describe('search limits', () => {
  test('refuse a person’s fifth search at once, with the reason, and accept one when another has ended', async () => {
    const { run } = createSearchLimits();
    let end = () => {};
    const first = run(
      { userId: 1 },
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    for (let count = 0; count < 3; count++) void run({ userId: 1 }, never);
    await expect(run({ userId: 1 }, never)).rejects.toMatchObject({
      code: 'tooManyRequests',
      message: expect.stringContaining('You have 4 event searches running'),
    });
    expect(await run({ userId: 2 }, async () => 'found')).toBe('found');
    end();
    await first;
    expect(await run({ userId: 1 }, async () => 'found')).toBe('found');
    await expect(run({ userId: 1 }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await run({ userId: 1 }, async () => 'found again')).toBe('found again');
  });

  test('leave half of the connections to others', async () => {
    const { run } = createSearchLimits();
    for (let userId = 0; userId < 10; userId++) void run({ userId }, never);
    await expect(run({ userId: 11 }, never)).rejects.toThrow('Too many event searches are running.');
  });
});
