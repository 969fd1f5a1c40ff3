/** Work that continues after the response, so that response times reveal nothing about it. */
import type { Database } from './db/connect.ts';
import { scoped, type Tx } from './db/scope.ts';
import type { Log } from './log.ts';

export type Afterwards = ReturnType<typeof createAfterwards>;

export function createAfterwards(db: Database, log: Log) {
  const underWay = new Set<Promise<void>>();
  return {
    /** In a transaction with the portal's own scope; a failure is only logged. */
    run(work: (tx: Tx) => Promise<void>): void {
      const running = scoped(db, 'system', work)
        .catch((error) => log.error({ err: error }, 'a mail could not be written'))
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    /** Waits for what goes on. */
    close: async (): Promise<void> => {
      await Promise.all(underWay);
    },
  };
}
