/** Long work gives way: ask between its pieces whether its turn is over, and then wait for the next one. Nothing else stands still meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 8;

export interface Turns {
  isOver(): boolean;
  next(): Promise<void>;
}

export function takeTurns(): Turns {
  let end = performance.now() + turnMs;
  return {
    isOver: () => performance.now() > end,
    async next() {
      await nextTurn();
      end = performance.now() + turnMs;
    },
  };
}
