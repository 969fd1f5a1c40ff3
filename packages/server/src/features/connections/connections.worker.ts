/** Pulls due connections in the role `worker`: some at a time, one of each organisation before a second one of any. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Bus } from '../../core/bus.ts';
import { onEach } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { createSharedRun } from '../../core/sharedRun.ts';
import type { Turns } from './connections.turn.ts';
import { type Claimed, listDue, release, removeHoursBefore } from './connections.work.store.ts';

/** Most of a pull is waiting for the vendor. */
const maxAtOnce = 8;
const maxPerRound = 200;
/** The job that starts a run comes every minute. */
const maxRunMs = 50_000;
const hoursKeptMs = 8 * dayMs;

export interface ConnectionsWorker {
  /** Pulls whatever is due. Calls during a run share it. */
  run(): Promise<void>;
  removeOld(): Promise<void>;
  /** Stops after the pages in progress; another process continues. */
  close(): Promise<void>;
}

/** Leases as many connections at once as are pulled at once: a transaction for each would be half of the cost of an idle connection. */
function leases(turns: Pick<Turns, 'claim'>, ids: readonly number[]) {
  const rest: Claimed[] = [];
  let next = 0;
  let filling: Promise<void> | undefined;
  const fill = async () => {
    const chosen = ids.slice(next, next + maxAtOnce);
    next += chosen.length;
    const claimed = new Map((await turns.claim(chosen)).map((each) => [each.id, each]));
    rest.push(...chosen.flatMap((id) => claimed.get(id) ?? []));
  };
  return {
    rest,
    /** The next connection; undefined at the end. */
    async take(): Promise<Claimed | undefined> {
      while (rest.length === 0 && (filling || next < ids.length)) {
        filling ??= fill().finally(() => {
          filling = undefined;
        });
        await filling;
      }
      return rest.shift();
    },
  };
}

export function createConnectionsWorker({ db, clock, turns }: { db: Database; clock: Clock; turns: Turns }): ConnectionsWorker {
  const { run, close } = createSharedRun(async (closing) => {
    const due = await scoped(db, 'system', (tx) => listDue(tx, new Date(clock.now()), maxPerRound));
    const { take, rest } = leases(
      turns,
      due.map(({ id }) => id),
    );
    const runOne = async () => {
      for (let connection = await take(); connection; connection = await take()) {
        if (closing.aborted) return void rest.push(connection);
        await turns.run(connection, closing);
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, due.length) }, runOne)).finally(() =>
      rest.length === 0 ? undefined : scoped(db, 'system', (tx) => release(tx, rest)),
    );
    return due.length > 0;
  }, maxRunMs);

  return {
    run,
    removeOld: () => scoped(db, 'system', (tx) => removeHoursBefore(tx, new Date(clock.now() - hoursKeptMs))),
    close,
  };
}

/** Runs the worker after each commit that makes a connection due. Returns a function that stops it. */
export function startConnectionsWorker(bus: Pick<Bus, 'on'>, worker: ConnectionsWorker, log: Log): () => Promise<void> {
  const run = () => void worker.run().catch((error) => log.error({ err: error }, 'connections could not be pulled'));
  const end = onEach(bus, 'connections.due', run);
  run();
  return async () => {
    end();
    await worker.close();
  };
}
