/** Polls of PSA systems: which target is read when, and what a failure means for the next time. */
import { VendorError } from '@parapet/connectors/errors.ts';
import { TicketFailure } from '@parapet/connectors/out/tickets.calls.ts';
import type { TicketApi } from '@parapet/connectors/out/tickets.ts';
import { type Bus, onEach } from '../../core/bus.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import { createSend } from './deliveries.http.ts';
import { type PollDeps, readTickets } from './deliveries.readings.ts';
import * as store from './deliveries.tickets.store.ts';
import { leaseMs, openSecrets, retryMs } from './deliveries.turn.ts';
import { validValues } from './deliveries.vault.ts';
import { type Claimed, claimTarget, endLease } from './deliveries.work.store.ts';

export const pollEveryMs = 60_000;
const maxTargets = 200;
const parallel = 4;
const maxWords = 500;

export function createPolls(deps: PollDeps) {
  const { db, clock } = deps;
  const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(db, 'system', work);

  const apiOf = async (target: Claimed): Promise<TicketApi | undefined> => {
    const kind = deps.kindOf(target.kind);
    if (!kind?.tickets) return undefined;
    const secrets = await openSecrets(deps, target);
    const { send } = createSend(deps.outbound, Object.values(secrets));
    return kind.tickets(validValues(kind, target.settings, secrets, clock.now()), send);
  };

  const poll = async (target: Claimed): Promise<void> => {
    const found = await system((tx) => store.findPoll(tx, target.id));
    if (!found) return;
    let end: Omit<store.PollEnd, 'nextAt' | 'notBefore'> & { afterMs: number; requiredMs?: number | undefined };
    try {
      const api = await apiOf(target);
      if (!api) return;
      const readUntil = await readTickets(deps, target, api, found);
      if (!readUntil) return;
      end = { readUntil, afterMs: pollEveryMs, failures: 0, error: null };
    } catch (error) {
      if (isDatabaseAway(error) || !(error instanceof VendorError)) throw error;
      const failures = found.failures + 1;
      const requiredMs = requiredAfter(error);
      const afterMs = requiredMs ?? Math.max(pollEveryMs, retryMs(failures, deps.random()));
      end = { afterMs, requiredMs, failures, error: error.message.slice(0, maxWords) };
    }
    const now = clock.now();
    const { afterMs, requiredMs, ...rest } = end;
    const times = {
      nextAt: new Date(now + afterMs),
      notBefore: requiredMs === undefined ? undefined : new Date(now + requiredMs),
    };
    await system((tx) => store.savePoll(tx, target.id, { ...rest, ...times }, new Date(now)));
  };

  const run = async (id: number): Promise<void> => {
    const now = clock.now();
    const target = await system((tx) => claimTarget(tx, id, new Date(now), new Date(now + leaseMs)));
    if (!target) return;
    try {
      await poll(target);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      deps.log.error({ err: error, target: id }, 'tickets could not be read');
      const later = {
        nextAt: new Date(clock.now() + 10 * pollEveryMs),
        failures: 1,
        error: 'The portal could not read tickets.',
      };
      await system((tx) => store.savePoll(tx, id, later, new Date(clock.now())));
    } finally {
      await system((tx) => endLease(tx, target));
    }
  };

  return {
    run,
    /** Reads at every target that is due, a few at a time. */
    async runDue(): Promise<void> {
      const due = await system((tx) => store.listDuePolls(tx, new Date(clock.now()), maxTargets));
      const next = async (): Promise<void> => {
        for (let id = due.shift(); id !== undefined; id = due.shift()) await run(id);
      };
      await Promise.all(Array.from({ length: parallel }, next));
    },
  };
}

/** Wait that the PSA requires. */
function requiredAfter(error: VendorError): number | undefined {
  const outcome = error instanceof TicketFailure ? error.outcome : undefined;
  return outcome?.kind === 'retry' ? outcome.afterMs : undefined;
}

/** Between polls that requests of PSA systems cause, however many come. */
const minPauseMs = 3_000;

/** Reads at once when tickets are due, besides the job of every minute. Returns a function that stops it. */
export function pollWhenDue(bus: Pick<Bus, 'on'>, polls: Pick<ReturnType<typeof createPolls>, 'runDue'>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const run = (): void => {
    isDue = true;
    if (running || timer) return;
    isDue = false;
    running = polls
      .runDue()
      // The job repeats it, and logs what it can't read.
      .catch(() => {})
      .finally(() => {
        running = undefined;
        timer = setTimeout(() => {
          timer = undefined;
          if (isDue) run();
        }, minPauseMs);
      });
  };
  const end = onEach(bus, 'tickets.due', run);
  return async () => {
    end();
    await running;
    clearTimeout(timer);
  };
}
