/**
 * Takes in events for one organisation, whatever brought them (bulk intake, syslog, the demo world): through the pipeline, then kept. The
 * answer comes after the commit, one result for each arrival.
 */
import type { Clock } from '../../core/clock.ts';
import { addToCounter, type IntakeCounters } from '../../pipeline/counters.ts';
import type { Detector } from '../../pipeline/detector.ts';
import type { Arrival } from '../../pipeline/event.ts';
import type { DeadLetter, EventWriter } from '../../pipeline/event-writer.ts';
import { runPipeline } from '../../pipeline/pipeline.ts';
import type { DeadReason } from '../../pipeline/result.ts';

export type Taken = { kind: 'stored' } | { kind: 'duplicate' } | { kind: 'dead'; reason: DeadReason; text: string };

/** An arrival that could not even be told apart as an event: kept aside like any other. */
export interface UnparseableInput {
  raw: string;
  reason: DeadReason;
  step: string;
}

/** What a request brought so far: equal lines of it are as many events, an id that comes twice is one. */
export interface Met {
  ids: Set<string>;
  contents: Map<string, number>;
}

export const nothingMet = (): Met => ({ ids: new Set(), contents: new Map() });

export type IngestService = ReturnType<typeof createIngestService>;

/** Events a transaction: enough to be quick, few enough that one transaction stays short. */
export const eventsPerBatch = 2_500;
/** While one batch waits for the database, another is read. */
const maxAtOnce = 2;

export function createIngestService({
  keeper,
  detector,
  clock,
  eventRetentionMs,
  counted,
}: {
  keeper: EventWriter;
  detector: Detector;
  clock: Clock;
  eventRetentionMs: number;
  /** For the process's metrics: reason → how many. */
  counted: (reason: string, count: number) => void;
}) {
  const takeBatch = async (
    organisationId: number,
    arrivals: readonly Arrival[],
    misfits: readonly UnparseableInput[],
    met: Met,
  ): Promise<Taken[]> => {
    const receivedAt = clock.now();
    const outcomes = await runPipeline(arrivals, {
      organisationId,
      receivedAt,
      eventRetentionMs,
      detector,
      ...met,
    });
    // Counted at the door: what the pipeline made of them must add up to it (the balance sheet).
    const counts: IntakeCounters = new Map();
    const reasons = new Map<string, number>();
    const count = (reason: string, at: number) => {
      addToCounter(counts, at, reason);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    };
    for (const { receivedAt: at = receivedAt } of arrivals) addToCounter(counts, at, 'received');
    if (misfits.length > 0) addToCounter(counts, receivedAt, 'received', misfits.length);
    const dead: DeadLetter[] = [];
    for (const misfit of misfits) {
      dead.push({ receivedAt, ...misfit });
      count(misfit.reason, receivedAt);
    }
    for (const outcome of outcomes) {
      if (outcome.kind === 'ok') continue;
      count(outcome.reason, outcome.kind === 'dead' ? (outcome.arrival.receivedAt ?? receivedAt) : outcome.event.receivedAt);
      if (outcome.kind !== 'dead') continue;
      const { raw, receivedAt: at = receivedAt } = outcome.arrival;
      dead.push({
        receivedAt: at,
        step: outcome.step,
        reason: outcome.reason,
        raw: typeof raw === 'string' ? raw : safeJson(raw),
      });
    }
    const events = outcomes.flatMap((outcome) => (outcome.kind === 'ok' ? [outcome.event] : []));
    const kept = await keeper.keep({ organisationId, events, dead, counts });
    for (const [reason, number] of reasons) counted(reason, number);
    counted('stored', kept.stored.size);
    return outcomes.map((outcome): Taken => {
      if (outcome.kind === 'dead') return { kind: 'dead', reason: outcome.reason, text: outcome.text };
      if (outcome.kind === 'drop') return { kind: 'duplicate' };
      if (kept.refused.has(outcome.event.id))
        return { kind: 'dead', reason: 'not-storable', text: 'The event holds a value that cannot be stored.' };
      return kept.stored.has(outcome.event.id) ? { kind: 'stored' } : { kind: 'duplicate' };
    });
  };

  let running = 0;
  const runningOf = new Map<number, number>();
  /** What waits, by organisation; the first in the map is served next, and then goes to its end. */
  const waiting = new Map<number, (() => void)[]>();

  // One place more for whoever has nothing under way, so that a small batch does not wait for another's large one.
  const hasTurn = (organisationId: number) => running < maxAtOnce || (running === maxAtOnce && !runningOf.has(organisationId));
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
      if (!hasTurn(next)) continue;
      waiting.delete(next);
      const go = queue.shift();
      if (queue.length > 0) waiting.set(next, queue);
      begin(next);
      go?.();
      return;
    }
  };

  return {
    /**
     * Runs what unpacks and takes a request's events, few at once: an unpacked batch is many times its bytes, and must not pile up. The
     * organisations take turns, so that whoever sends much waits behind itself only.
     */
    async inTurn<T>(work: () => Promise<T>, organisationId: number): Promise<T> {
      if (hasTurn(organisationId)) begin(organisationId);
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
    },

    /** What came in and could not even be kept aside is counted all the same, by reason. */
    async drop(organisationId: number, dropped: ReadonlyMap<string, number>): Promise<void> {
      const counts: IntakeCounters = new Map();
      for (const [reason, count] of dropped) {
        addToCounter(counts, clock.now(), reason, count);
        addToCounter(counts, clock.now(), 'received', count);
      }
      await keeper.keep({ organisationId, events: [], dead: [], counts });
      for (const [reason, count] of dropped) counted(reason, count);
    },

    /**
     * One result for each arrival, in their order. Throws when nothing could be written; then nothing of the last batch was. What belongs
     * to one request but is taken bit by bit shares `met`.
     */
    async take(
      organisationId: number,
      arrivals: readonly Arrival[],
      misfits: readonly UnparseableInput[] = [],
      met: Met = nothingMet(),
    ): Promise<Taken[]> {
      const taken: Taken[] = [];
      for (let from = 0; from < Math.max(1, arrivals.length); from += eventsPerBatch) {
        const batch = arrivals.slice(from, from + eventsPerBatch);
        taken.push(...(await takeBatch(organisationId, batch, from === 0 ? misfits : [], met)));
      }
      return taken;
    },
  };
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '[an object that cannot be written as text]';
  }
}
