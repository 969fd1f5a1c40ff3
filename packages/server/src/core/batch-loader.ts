/** Coalesces concurrent lookups into one query: N callers in a tick cost one round trip. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** One batch runs while the next is collected. */
const maxUnderWay = 2;
/** Maximum wait behind batches that hang, in milliseconds. */
const longestWaitMs = 1_000;

/** Returns a lookup by key. The batch always starts after the call; of two values for one key, the later is used. */
export function createBatchLoader<V, R>(load: (values: ReadonlyMap<string, V>) => Promise<Map<string, R>>) {
  let gathering: { values: Map<string, V>; answer: Promise<Map<string, R>> } | undefined;
  const underWay = new Set<Promise<unknown>>();

  return async (key: string, value: V): Promise<R | undefined> => {
    if (!gathering) {
      const values = new Map<string, V>();
      // One batch per turn of the event loop.
      const turn = underWay.size < maxUnderWay ? nextTurn() : firstOf(underWay);
      const answer = turn.then(() => {
        gathering = undefined;
        const question = load(values);
        const settled: Promise<unknown> = question.catch(() => {}).finally(() => underWay.delete(settled));
        underWay.add(settled);
        return question;
      });
      gathering = { values, answer };
    }
    gathering.values.set(key, value);
    return (await gathering.answer).get(key);
  };
}

/** Resolves when one of them settles, or after `longestWaitMs`. */
function firstOf(promises: Iterable<Promise<unknown>>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestWaitMs);
    void Promise.race(promises).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
