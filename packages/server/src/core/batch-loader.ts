/** Many ask for one thing each at the same moment; they share a question. Under load a crowd costs one round trip. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** One is being answered while another gathers. */
const maxUnderWay = 2;
/** Questions that hang do not hold up the next one for longer. */
const longestWaitMs = 1_000;

/** Answers by key from a question that is asked for many at once, always after the key was given in. Of two values for one key the later counts. */
export function createBatchLoader<V, R>(ask: (values: ReadonlyMap<string, V>) => Promise<Map<string, R>>) {
  let gathering: { values: Map<string, V>; answer: Promise<Map<string, R>> } | undefined;
  const underWay = new Set<Promise<unknown>>();

  return async (key: string, value: V): Promise<R | undefined> => {
    if (!gathering) {
      const values = new Map<string, V>();
      // All that this turn of the event loop brings goes into one question.
      const turn = underWay.size < maxUnderWay ? nextTurn() : firstOf(underWay);
      const answer = turn.then(() => {
        gathering = undefined;
        const question = ask(values);
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

/** Settles when one of them has, or after `longestWaitMs`. */
function firstOf(promises: Iterable<Promise<unknown>>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestWaitMs);
    void Promise.race(promises).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
