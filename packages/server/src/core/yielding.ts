/**
 * Long work gives way: between its pieces it asks whether the turn is over, and then waits for the next one. The turn is the process's, so that
 * several long works at once do not add up to a standstill.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 8;
let end = 0;

export const shouldYield = (): boolean => performance.now() > end;

export async function yieldToEventLoop(): Promise<void> {
  await nextTurn();
  const now = performance.now();
  if (now > end) end = now + turnMs;
}
