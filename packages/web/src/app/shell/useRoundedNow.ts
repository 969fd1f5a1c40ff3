/** The end of timeframes that reach to now. It moves every five minutes, so that queries with the same timeframe share their result. */
import { roundedNow } from '@parapet/contract/rules/timeframe.ts';
import { useSyncExternalStore } from 'react';

const checkMs = 10_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, checkMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export const useRoundedNow = (): number => useSyncExternalStore(subscribe, () => roundedNow(Date.now()));
