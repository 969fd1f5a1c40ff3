/**
 * Sends due deliveries in the role `worker`, several targets at a time. Targets that fail or answer slowly share a few places of their own, so that
 * they delay no other.
 */
import type { Bus } from '../../core/bus.ts';
import { onEach } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import type { Turns } from './deliveries.turn.ts';
import { listDue } from './deliveries.work.store.ts';

/** Places for targets that answer, and for those that fail or are slow: nearly all of an attempt is waiting. */
const places = { quick: 16, slow: 16 } as const;
const maxListed = 500;
/** Retries and ends of quiet times are found by looking. */
const lookEveryMs = 2_000;

export interface DeliveriesWorker {
  /** Starts turns of due targets in free places; resolves once all due targets are served or every place is taken. */
  look(): Promise<void>;
  /** The same, until no turn is in progress and nothing is due. */
  drain(): Promise<void>;
  /** Stops after the attempts in progress; another process continues. */
  close(): Promise<void>;
}

export interface WorkerDeps {
  db: Database;
  clock: Clock;
  turns: Turns;
  log: Log;
}

export function createDeliveriesWorker({ db, clock, turns, log }: WorkerDeps): DeliveriesWorker {
  const closing = new AbortController();
  const running = new Map<number, { lane: keyof typeof places; turn: Promise<void> }>();
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;

  /** An outage of the database is reported elsewhere; deliveries wait for its end. */
  const complain = (error: unknown, text: string): void => {
    if (!isDatabaseAway(error)) log.error({ err: error }, text);
  };

  const isFree = (lane: keyof typeof places): boolean =>
    [...running.values()].filter((each) => each.lane === lane).length < places[lane];

  const start = (id: number, lane: keyof typeof places): void => {
    const turn = turns
      .run(id, closing.signal)
      .catch((error) => complain(error, 'deliveries could not be sent'))
      .then(() => {
        running.delete(id);
        void look();
      });
    running.set(id, { lane, turn });
  };

  const lookOnce = async (): Promise<void> => {
    const due = await scoped(db, 'system', (tx) => listDue(tx, new Date(clock.now()), maxListed), { readOnly: true });
    for (const { id, isSlow } of due) {
      const lane = isSlow ? 'slow' : 'quick';
      if (!closing.signal.aborted && !running.has(id) && isFree(lane)) start(id, lane);
    }
  };

  const lookAll = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      await lookOnce();
    } while (isAskedAgain && !closing.signal.aborted);
  };

  function look(): Promise<void> {
    isAskedAgain = true;
    if (closing.signal.aborted) return Promise.resolve();
    looking ??= lookAll()
      .catch((error) => complain(error, 'due deliveries could not be listed'))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  return {
    look,
    async drain() {
      await look();
      while (running.size > 0) {
        await Promise.race([...running.values()].map(({ turn }) => turn));
        await look();
      }
    },
    async close() {
      closing.abort();
      await looking;
      await Promise.all([...running.values()].map(({ turn }) => turn));
    },
  };
}

/** Looks after each commit that queued a delivery, and every two seconds. Returns a function that stops it. */
export function startDeliveriesWorker(
  bus: Pick<Bus, 'on'>,
  worker: Pick<DeliveriesWorker, 'look' | 'close'>,
): () => Promise<void> {
  const look = () => void worker.look();
  const end = onEach(bus, 'deliveries.due', look);
  const timer = setInterval(look, lookEveryMs);
  look();
  return async () => {
    end();
    clearInterval(timer);
    await worker.close();
  };
}
