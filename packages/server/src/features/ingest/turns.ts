/** One batch is read while another waits for the database. */
const maxConcurrent = 2;

/**
 * Runs the decompression and processing of a request, few at a time: a decompressed batch is many times its bytes and
 * must not pile up. Organisations take turns, so that a heavy sender delays only itself.
 */
export function createTurns() {
  let running = 0;
  const runningOf = new Map<number, number>();
  /** Queue by organisation; the first in the map is served next, then moves to the end. */
  const waiting = new Map<number, (() => void)[]>();

  // One extra slot for an organisation without work in progress, so that a small batch does not wait for another’s large
  // one.
  const canRun = (organisationId: number) =>
    running < maxConcurrent || (running === maxConcurrent && !runningOf.has(organisationId));
  const begin = (organisationId: number) => {
    running++;
    runningOf.set(organisationId, (runningOf.get(organisationId) ?? 0) + 1);
  };
  const end = (organisationId: number) => {
    running--;
    const left = (runningOf.get(organisationId) ?? 0) - 1;
    if (left > 0) runningOf.set(organisationId, left);
    else runningOf.delete(organisationId);
    for (const [next, queue] of waiting) {
      if (!canRun(next)) continue;
      waiting.delete(next);
      const go = queue.shift();
      if (queue.length > 0) waiting.set(next, queue);
      begin(next);
      go?.();
      return;
    }
  };

  return async <T>(work: () => Promise<T>, organisationId: number): Promise<T> => {
    if (canRun(organisationId)) begin(organisationId);
    else {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(organisationId);
        if (queue) queue.push(resolve);
        else waiting.set(organisationId, [resolve]);
      });
    }
    try {
      return await work();
    } finally {
      end(organisationId);
    }
  };
}
