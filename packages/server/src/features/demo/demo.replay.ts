/** The history of the demo, sent through the real ingest at simulated times. */
import { setImmediate as nextTurn } from 'node:timers/promises';
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
import { createSimulatedAnalysts } from './demo.analysts.ts';
import type { AnalystActions } from './demo.plan.ts';

/** Shipments are batched up to this count or simulated duration; each event keeps its own arrival time. */
const gatherEvents = 2_000;
const gatherMs = 14 * 24 * 3_600_000;
/** Simulated interval between checks for silent sources: shorter in the last weeks. */
const watchEveryMs = 14 * 24 * 3_600_000;
const watchEveryFreshMs = 3 * 24 * 3_600_000;
const freshMs = 45 * 24 * 3_600_000;

/** Services on the simulated clock of one organisation. */
export interface Lane {
  clock: ReturnType<typeof movableClock>;
  /** On `clock`. */
  ingest: IngestService;
  /** Records silent and returned sources of an organisation at the time of `clock`. */
  watch: (organisationId: number) => Promise<void>;
  /** Correlates and decides the cases of an organisation at the time of `clock`. */
  judge: (organisationId: number) => Promise<void>;
  /** Actions of the analysts, through the services on `clock`. */
  actions: AnalystActions;
}

export interface ReplayDeps {
  db: Database;
  openLane: () => Lane;
  /** Event id assigned by the ingest to a document. */
  eventIdOf: (index: string, documentId: string) => string;
  seed: number;
  scale: number;
  months: number;
  log: Log;
}

/**
 * Sends the history up to `now`, and lets the analysts work on the cases that it raises. Organisations proceed beside each other, each on its
 * own clock, about one batch apart: the database works for one while this process works for another. `onProgress` receives the part done, 0 to 1.
 */
export async function replay(deps: ReplayDeps, now: number, onProgress: (part: number) => void): Promise<void> {
  const { eventIdOf, seed, scale, months, log } = deps;
  const endings = new Map<string, Ending>();
  const options = { seed: String(seed), now, months, scale };
  const labels = storyLabels(options);
  const start = startOf(options);
  const sendings = new Map<number, Sending>();
  const sendingOf = (organisationId: number): Sending => {
    const known = sendings.get(organisationId);
    if (known) return known;
    const sending = createSending(deps, organisationId, options, (id) => endings.get(id));
    sendings.set(organisationId, sending);
    return sending;
  };
  let events = 0;
  for (const shipment of history(options)) {
    const arrivals = arrivalsOf(shipment);
    for (const { documentId, index } of arrivals) {
      const label = documentId === undefined ? undefined : labels.get(documentId);
      if (label) endings.set(eventIdOf(index, documentId!), endingOf(label.story));
    }
    events += arrivals.length;
    await sendingOf(shipment.organisationId).add(shipment.at, arrivals);
    onProgress(partOf(shipment.at, start, now));
    await nextTurn();
  }
  await Promise.all([...sendings.values()].map((sending) => sending.finish()));
  const { clock, actions } = deps.openLane();
  await createSimulatedAnalysts({ ...deps, clock, actions, endingOf: () => undefined }).finish(now);
  log.info({ events }, 'demo world sent');
}

type Sending = ReturnType<typeof createSending>;

/** Sends the batches of one organisation, one after the other, on a lane of its own. */
function createSending(
  { db, openLane, seed, log }: ReplayDeps,
  organisationId: number,
  options: HistoryOptions,
  endingOf: (eventId: string) => Ending | undefined,
) {
  const { now } = options;
  const { clock, ingest, watch, judge, actions } = openLane();
  const analysts = createSimulatedAnalysts({ db, clock, actions, seed, endingOf, log, firstStage: organisationId });
  let watchedAt = startOf(options);
  let waiting: { arrivals: Arrival[]; from: number } | undefined;
  let underWay = Promise.resolve();

  const send = async (arrivals: Arrival[], from: number, at: number) => {
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

  /** Starts to send what is waiting, once the batch before it is stored. */
  const flush = async (at: number) => {
    await underWay;
    if (!waiting) return;
    underWay = send(waiting.arrivals, waiting.from, at);
    // Thrown where it is awaited.
    underWay.catch(() => {});
    waiting = undefined;
  };

  return {
    async add(at: number, arrivals: readonly Arrival[]): Promise<void> {
      waiting ??= { arrivals: [], from: at };
      waiting.arrivals.push(...arrivals);
      if (waiting.arrivals.length >= gatherEvents || at - waiting.from >= gatherMs) await flush(at);
    },
    async finish(): Promise<void> {
      await flush(now);
      await underWay;
      await analysts.work(now);
    },
  };
}

/** The last month holds most events, because only it has background events. Its share of the time is an estimate. */
const lastMonthMs = 30 * 24 * 3_600_000;
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
