/** Rounds of a worker: calls during a run share it, and what they request is done by a further round of it. */

export interface SharedRun {
  /** Aborts when the run is closed. */
  signal: AbortSignal;
  /** Resolves at the end of the run; rejects when a round fails. Begins none once closed. */
  run(): Promise<void>;
  /** Ends the run after its present step, and waits for it. */
  close(): Promise<void>;
}

/**
 * @param round returns true when more is due at once
 * @param maxMs time after which a run begins no further round
 */
export function createSharedRun(round: (signal: AbortSignal) => Promise<boolean>, maxMs = Number.POSITIVE_INFINITY): SharedRun {
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;
  let isRequestedAgain = false;

  const runAll = async (): Promise<void> => {
    const startedAt = performance.now();
    let hasMore = false;
    do {
      isRequestedAgain = false;
      hasMore = await round(signal);
    } while ((hasMore || isRequestedAgain) && performance.now() - startedAt < maxMs && !signal.aborted);
  };

  return {
    signal,
    run() {
      if (signal.aborted) return running ?? Promise.resolve();
      isRequestedAgain = true;
      running ??= runAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      closing.abort();
      await running?.catch(() => {});
    },
  };
}
