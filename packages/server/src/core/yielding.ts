/**
 * Time slices for long work: between its pieces it checks whether the slice is over and then yields to the event loop. The slice belongs to the
 * process, so that several long works at once do not block it together.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceMs = 8;
let end = 0;

export const shouldYield = (): boolean => performance.now() > end;

export async function yieldToEventLoop(): Promise<void> {
  await nextTurn();
  const now = performance.now();
  if (now > end) end = now + sliceMs;
}
