/** The history of the demo, sent through the real ingest at simulated times. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { checkInsBetween, type HistoryOptions, history, startOf, storyLabels } from '@parapet/world/history.ts';
import { endingOf } from '@parapet/world/stories/schedule.ts';
import type { Ending } from '@parapet/world/stories/story.ts';
import type { Shipment } from '@parapet/world/types.ts';
import type { movableClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { addDeviceDays } from '../../domain/deviceCounts.ts';
import type { Arrival } from '../../pipeline/event.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import { type AnalystServices, createSimulatedAnalysts } from './demo.analysts.ts';
import type { StudioActions } from './demo.studio.ts';

/** Shipments are batched up to this count or simulated duration; each event keeps its own arrival time. */
const gatherEvents = 2_000;
const gatherMs = 28 * dayMs;
/** Events that wait for their organisations at a time: the busiest one must not hold up the others. */
const waitingEvents = 12_000;
/** Simulated interval between checks for silent sources: shorter in the last weeks. */
const watchEveryMs = 28 * dayMs;
const watchEveryFreshMs = 3 * dayMs;
const freshMs = 45 * dayMs;

/** Services on the simulated clock of one organisation. */
export interface Lane {
  clock: ReturnType<typeof movableClock>;
  /** On `clock`. */
  ingest: IngestService;
  /** Records silent and returned sources of an organisation at the time of `clock`. */
  watch: (organisationId: number) => Promise<void>;
  /** Correlates and decides the cases of an organisation at the time of `clock`. */
  judge: (organisationId: number) => Promise<void>;
  /** For cases worked at a time, each on a clock of its own. */
  parallel: readonly AnalystServices[];
}

export interface ReplayDeps {
  db: Database;
  openLane: () => Lane;
  /** On the real clock: rules are written at the end of the history. */
  studio: StudioActions;
  /** Event id assigned by the ingest to a document. */
  eventIdOf: (index: string, documentId: string) => string;
  seed: number;
  scale: number;
  months: number;
  log: Log;
}

/**
 * Sends the history up to `now`, and lets the analysts work on the cases that it raises. Organisations proceed beside each other, each on its
 * own clock and at its own pace: the database works for one while this process works for another. `onProgress` receives the part done, 0 to 1.
 */
export async function replay(deps: ReplayDeps, now: number, onProgress: (part: number) => void): Promise<void> {
  const { eventIdOf, seed, scale, months, log } = deps;
  const endings = new Map<string, Ending>();
  const options = { seed: String(seed), now, months, scale };
  const labels = storyLabels(options);
  const start = startOf(options);
  const sendings = new Map<number, Sending>();
  let generated = start;
  let sent = Promise.withResolvers<void>();
  const onSent = () => {
    onProgress(partOf(Math.min(generated, ...[...sendings.values()].map((sending) => sending.from())), start, now));
    sent.resolve();
    sent = Promise.withResolvers();
  };
  const sendingOf = (organisationId: number): Sending => {
    const known = sendings.get(organisationId);
    if (known) return known;
    const sending = createSending({ ...deps, onSent }, organisationId, options, (id) => endings.get(id));
    sendings.set(organisationId, sending);
    return sending;
  };
  const waiting = () => [...sendings.values()].reduce((sum, sending) => sum + sending.waiting(), 0);
  let events = 0;
  for (const shipment of history(options)) {
    const arrivals = arrivalsOf(shipment);
    for (const { documentId, index } of arrivals) {
      const label = documentId === undefined ? undefined : labels.get(documentId);
      if (label) endings.set(eventIdOf(index, documentId!), endingOf(label.story));
    }
    events += arrivals.length;
    generated = shipment.at;
    sendingOf(shipment.organisationId).add(shipment.at, arrivals);
    while (waiting() > waitingEvents)
      await Promise.race([sent.promise, ...[...sendings.values()].map((sending) => sending.failed)]);
    await nextTurn();
  }
  generated = now;
  await Promise.all([...sendings.values()].map((sending) => sending.finish()));
  const { parallel } = deps.openLane();
  await createSimulatedAnalysts({ ...deps, parallel, endingOf: () => undefined }).finish(now, deps.studio);
  log.info({ events }, 'demo world sent');
}

interface Batch {
  arrivals: Arrival[];
  /** Simulated times of its first and last shipment. */
  from: number;
  at: number;
}

type Sending = ReturnType<typeof createSending>;

/** Sends the batches of one organisation, one after the other, on a lane of its own. */
function createSending(
  { db, openLane, seed, log, onSent }: ReplayDeps & { onSent: () => void },
  organisationId: number,
  options: HistoryOptions,
  endingOf: (eventId: string) => Ending | undefined,
) {
  const { now } = options;
  const { clock, ingest, watch, judge, parallel } = openLane();
  const analysts = createSimulatedAnalysts({ db, parallel, seed, endingOf, log, firstStage: organisationId });
  let watchedAt = startOf(options);
  let gathered: Batch | undefined;
  /** Oldest first; the first is under way. */
  const batches: Batch[] = [];
  let underWay = Promise.resolve();
  const failure = Promise.withResolvers<never>();
  // Awaited only while others wait for this organisation.
  failure.promise.catch(() => {});

  const send = async ({ arrivals, from, at }: Batch) => {
    await analysts.work(from);
    clock.moveTo(at);
    await ingest.take(organisationId, arrivals);
    if (at - watchedAt >= (now - at < freshMs ? watchEveryFreshMs : watchEveryMs) || at >= now) {
      const checkIns = checkInsBetween(watchedAt, at, organisationId, options);
      await scoped(db, { organisationIds: [organisationId] }, (tx) => addDeviceDays(tx, organisationId, checkIns));
      await watch(organisationId);
      watchedAt = at;
    }
    await judge(organisationId);
    await analysts.pickUp(organisationId, now);
    await analysts.work(at);
  };

  const sendAll = async () => {
    for (let batch = batches[0]; batch; batch = batches[0]) {
      await send(batch);
      batches.shift();
      onSent();
    }
  };

  const enqueue = (at: number) => {
    if (!gathered) return;
    batches.push({ ...gathered, at });
    gathered = undefined;
    if (batches.length > 1) return;
    underWay = sendAll();
    underWay.catch(failure.reject);
  };

  return {
    add(at: number, arrivals: readonly Arrival[]): void {
      gathered ??= { arrivals: [], from: at, at };
      gathered.arrivals.push(...arrivals);
      if (gathered.arrivals.length >= gatherEvents || at - gathered.from >= gatherMs) enqueue(at);
    },
    /** Number of events that are not stored yet. */
    waiting: (): number => batches.reduce((sum, { arrivals }) => sum + arrivals.length, 0),
    /** Simulated time of the oldest event that is not stored yet. */
    from: (): number => batches[0]?.from ?? now,
    /** Rejects when a batch cannot be sent. */
    failed: failure.promise,
    async finish(): Promise<void> {
      enqueue(now);
      await underWay;
      await analysts.work(now);
    },
  };
}

/** The last month holds most events, because only it has background events. Its share of the time is an estimate. */
const lastMonthMs = 30 * dayMs;
const shareOfLastMonth = 0.5;

/** Part of the replay's work that lies before a simulated time, 0 to 1. */
function partOf(at: number, start: number, now: number): number {
  const turn = now - lastMonthMs;
  return at < turn
    ? ((at - start) / (turn - start)) * (1 - shareOfLastMonth)
    : 1 - shareOfLastMonth + ((at - turn) / lastMonthMs) * shareOfLastMonth;
}

/** Parses events like a bulk body: `_id` and `_index` belong to the action line. */
export function arrivalsOf(shipment: Shipment): Arrival[] {
  return shipment.documents.map(({ _id, _index, ...source }) => ({
    raw: JSON.stringify(source),
    index: typeof _index === 'string' ? _index : shipment.index,
    documentId: typeof _id === 'string' ? _id : undefined,
    receivedAt: shipment.at,
  }));
}
