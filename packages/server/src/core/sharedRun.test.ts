import { describe, expect, test } from 'vitest';
import { createSharedRun } from './sharedRun.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a shared run', () => {
  test('does another round for a call during a round, and one while more is due', async () => {
    let rounds = 0;
    const { run } = createSharedRun(async () => {
      await turn();
      await turn();
      return ++rounds === 3;
    });
    const first = run();
    await turn();
    expect(run()).toBe(first);
    await first;
    expect(rounds).toBe(2);
    await run();
    expect(rounds).toBe(4);
  });

  test('begins no round after its time or its end, and a new one after a failure', async () => {
    let rounds = 0;
    await createSharedRun(async () => ++rounds > 0, 0).run();
    expect(rounds).toBe(1);
    const closed = createSharedRun(async (signal) => {
      await turn();
      rounds++;
      return !signal.aborted || rounds < 10;
    });
    const running = closed.run();
    await closed.close();
    await running;
    await closed.run();
    expect(rounds).toBe(2);
    const failing = createSharedRun(async () => {
      if (++rounds === 3) throw new Error('away');
      return false;
    });
    await expect(failing.run()).rejects.toThrow('away');
    await failing.run();
    expect(rounds).toBe(4);
  });
});
