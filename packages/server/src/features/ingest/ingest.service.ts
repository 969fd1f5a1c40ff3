/**
 * Takes events of one organisation from any source (bulk intake, syslog, the demo world) through the pipeline to the event
 * writer. Resolves after the commit, with one result per arrival.
 */
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import { annotate, traced } from '../../core/telemetry/tracing.ts';
import { addToCounter, type IntakeCounters } from '../../pipeline/counters.ts';
import type { Detector } from '../../pipeline/detector.ts';
import type { Arrival } from '../../pipeline/event.ts';
import type { Alongside, DeadLetter, EventWriter } from '../../pipeline/event-writer.ts';
import { separateEvents } from '../../pipeline/normalise/windows/several.ts';
import { type Outcome, runPipeline, type Stepped } from '../../pipeline/pipeline.ts';
import type { DeadReason } from '../../pipeline/result.ts';
import { createTurns } from './turns.ts';

/** `isRetimed`: the event’s own time is implausible, so it is stored under its arrival. */
export type Taken =
  | { kind: 'stored'; isRetimed?: true }
  | { kind: 'duplicate' }
  | { kind: 'dead'; reason: DeadReason; text: string };

/** Input that could not be recognised as an event; becomes a dead letter. */
export interface UnparseableInput {
  raw: string;
  reason: DeadReason;
  step: string;
}

/** State across the batches of one request: equal lines are separate events, a repeated id is one. */
export interface RequestState {
  ids: Set<string>;
  contents: Map<string, number>;
}

export const newRequestState = (): RequestState => ({ ids: new Set(), contents: new Map() });

export type IngestService = ReturnType<typeof createIngestService>;

/** Events per transaction: enough for throughput, few enough that a transaction stays short. */
export const eventsPerBatch = 2_500;

export function createIngestService({
  eventWriter,
  detector,
  clock,
  eventRetentionMs,
  counted,
  times,
}: {
  eventWriter: EventWriter;
  detector: Pick<Detector, 'of'>;
  clock: Clock;
  eventRetentionMs: number;
  /** Process metrics: count by reason. */
  counted: (reason: string, count: number) => void;
  /** Process metrics of durations, in seconds. */
  times?: { stepped: Stepped; batched: (part: 'pipeline' | 'store', seconds: number) => void } | undefined;
}) {
  const takeBatch = async (
    organisationId: number,
    arrivals: readonly Arrival[],
    unparseable: readonly UnparseableInput[],
    met: RequestState,
    alongside?: Alongside,
  ): Promise<Taken[]> => {
    const receivedAt = clock.now();
    // One state of the rules, from detection to alert.
    const rules = detector.of(organisationId);
    const batch = { organisationId, receivedAt, eventRetentionMs, detector: rules, ...met };
    const started = performance.now();
    const outcomes = await traced('pipeline', { 'portal.events': arrivals.length }, () =>
      runPipeline(arrivals, batch, times?.stepped),
    );
    const judgedAt = performance.now();
    times?.batched('pipeline', (judgedAt - started) / 1000);
    const { counts, reasons, dead } = accountsOf({ arrivals, unparseable, outcomes, receivedAt });
    const events = outcomes.flatMap((outcome) => (outcome.kind === 'ok' ? [outcome.event] : []));
    const judged = { organisationId, events, dead, counts, detector: rules };
    const result = await traced('store', { 'portal.events': events.length }, async () => {
      const written = await eventWriter.writeBatch({ ...judged, ...(alongside && { alongside }) });
      annotate({ 'portal.stored': written.stored.size, 'portal.alerts': written.alertIds.length });
      return written;
    });
    times?.batched('store', (performance.now() - judgedAt) / 1000);
    for (const [reason, number] of reasons) counted(reason, number);
    counted('stored', result.stored.size);
    return outcomes.map((outcome): Taken => {
      if (outcome.kind === 'dead') return { kind: 'dead', reason: outcome.reason, text: outcome.text };
      if (outcome.kind === 'drop') return { kind: 'duplicate' };
      if (result.refused.has(outcome.event.id))
        return { kind: 'dead', reason: 'not-storable', text: 'The event holds a value that cannot be stored.' };
      if (!result.stored.has(outcome.event.id)) return { kind: 'duplicate' };
      return { kind: 'stored', ...(outcome.event.clockSkew !== 0 && { isRetimed: true }) };
    });
  };

  return {
    inTurn: createTurns(),

    /** Counts input that could not even become a dead letter, by reason. */
    async drop(organisationId: number, dropped: ReadonlyMap<string, number>): Promise<void> {
      const counts: IntakeCounters = new Map();
      for (const [reason, count] of dropped) {
        addToCounter(counts, clock.now(), reason, count);
        addToCounter(counts, clock.now(), 'received', count);
      }
      await eventWriter.writeBatch({ organisationId, events: [], dead: [], counts });
      for (const [reason, count] of dropped) counted(reason, count);
    },

    /**
     * Returns one result per arrival, in order; an arrival of several events is stored if one of them is. Throws when nothing could be written; then nothing of the last batch was.
     * Batches of one request share `met`. `alongside` runs in the transaction of the last batch, with the number of events stored by all.
     */
    async take(
      organisationId: number,
      arrivals: readonly Arrival[],
      unparseable: readonly UnparseableInput[] = [],
      met: RequestState = newRequestState(),
      alongside?: (tx: Tx, stored: number) => Promise<void>,
    ): Promise<Taken[]> {
      const taken: Taken[] = [];
      const { all, lengths } = separated(arrivals);
      for (let from = 0; from < Math.max(1, all.length); from += eventsPerBatch) {
        const batch = all.slice(from, from + eventsPerBatch);
        const before = taken.filter(({ kind }) => kind === 'stored').length;
        const isLast = from + eventsPerBatch >= all.length;
        const within: Alongside | undefined = isLast && alongside ? (tx, { size }) => alongside(tx, before + size) : undefined;
        taken.push(...(await takeBatch(organisationId, batch, from === 0 ? unparseable : [], met, within)));
      }
      return lengths.size === 0 ? taken : joined(taken, arrivals.length, lengths);
    },
  };
}

/** Arrivals with one event each; `lengths` has the number of those that came from one, by its place. */
function separated(arrivals: readonly Arrival[]): { all: readonly Arrival[]; lengths: ReadonlyMap<number, number> } {
  const lengths = new Map<number, number>();
  const all: Arrival[] = [];
  for (const [place, arrival] of arrivals.entries()) {
    const parts = separateEvents(arrival);
    if (parts === undefined) {
      all.push(arrival);
      continue;
    }
    lengths.set(place, parts.length);
    all.push(...parts);
  }
  return { all, lengths };
}

/** One result for each arrival: a part that became a dead letter is among the unprocessed input. */
function joined(taken: readonly Taken[], count: number, lengths: ReadonlyMap<number, number>): Taken[] {
  let from = 0;
  return Array.from({ length: count }, (_, place) => {
    const parts = taken.slice(from, from + (lengths.get(place) ?? 1));
    from += parts.length;
    return parts.find(({ kind }) => kind === 'stored') ?? parts.find(({ kind }) => kind === 'dead') ?? parts[0]!;
  });
}

/** Counts by time and reason, and the letters of what became no event. All outcomes must add up to what arrived (reconciliation). */
function accountsOf({
  arrivals,
  unparseable,
  outcomes,
  receivedAt,
}: {
  arrivals: readonly Arrival[];
  unparseable: readonly UnparseableInput[];
  outcomes: readonly Outcome[];
  receivedAt: number;
}): { counts: IntakeCounters; reasons: Map<string, number>; dead: DeadLetter[] } {
  const counts: IntakeCounters = new Map();
  const reasons = new Map<string, number>();
  const count = (reason: string, at: number) => {
    addToCounter(counts, at, reason);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  };
  for (const { receivedAt: at = receivedAt } of arrivals) addToCounter(counts, at, 'received');
  if (unparseable.length > 0) addToCounter(counts, receivedAt, 'received', unparseable.length);
  const dead: DeadLetter[] = [];
  for (const input of unparseable) {
    dead.push({ receivedAt, ...input });
    count(input.reason, receivedAt);
  }
  for (const outcome of outcomes) {
    if (outcome.kind === 'ok') continue;
    count(outcome.reason, outcome.kind === 'dead' ? (outcome.arrival.receivedAt ?? receivedAt) : outcome.event.receivedAt);
    if (outcome.kind !== 'dead') continue;
    const { raw, receivedAt: at = receivedAt } = outcome.arrival;
    dead.push({ receivedAt: at, step: outcome.step, reason: outcome.reason, raw: typeof raw === 'string' ? raw : safeJson(raw) });
  }
  return { counts, reasons, dead };
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '[an object that cannot be written as text]';
  }
}
