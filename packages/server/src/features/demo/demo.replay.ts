/** The history of the demo, sent through the real ingest at simulated times. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkInsBetween, history, startOf, storyLabels } from '@parapet/world/history.ts';
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
const gatherEvents = 1_000;
const gatherMs = 7 * 24 * 3_600_000;
/** Simulated interval between checks for silent sources: shorter in the last weeks. */
const watchEveryMs = 14 * 24 * 3_600_000;
const watchEveryFreshMs = 3 * 24 * 3_600_000;
const freshMs = 45 * 24 * 3_600_000;

export interface ReplayDeps {
  db: Database;
  /** Simulated clock of `ingest`. */
  clock: ReturnType<typeof movableClock>;
  ingest: IngestService;
  /** Records silent and returned sources of an organisation at the time of `clock`. */
  watch: (organisationId: number) => Promise<void>;
  /** Correlates and decides the cases of an organisation at the time of `clock`. */
  judge: (organisationId: number) => Promise<void>;
  /** Actions of the analysts, through the services on `clock`. */
  actions: AnalystActions;
  /** Event id assigned by the ingest to a document. */
  eventIdOf: (index: string, documentId: string) => string;
  seed: number;
  scale: number;
  months: number;
  log: Log;
}

/** Sends the history up to `now`, and lets the analysts work on the cases that it raises. */
export async function replay(deps: ReplayDeps, now: number): Promise<void> {
  const { db, clock, ingest, watch, judge, actions, eventIdOf, seed, scale, months, log } = deps;
  const waiting = new Map<number, { arrivals: Arrival[]; from: number }>();
  const endings = new Map<string, Ending>();
  const watchedAt = new Map<number, number>();
  const analysts = createSimulatedAnalysts({ db, clock, actions, seed, endingOf: (id) => endings.get(id), log });
  const options = { seed: String(seed), now, months, scale };
  const labels = storyLabels(options);
  const flush = async (organisationId: number, at: number) => {
    const gathered = waiting.get(organisationId);
    waiting.delete(organisationId);
    if (!gathered) return;
    await ingest.take(organisationId, gathered.arrivals);
    const since = watchedAt.get(organisationId) ?? startOf(options);
    if (at - since >= (now - at < freshMs ? watchEveryFreshMs : watchEveryMs) || at >= now) {
      const checkIns = checkInsBetween(since, at, organisationId, options);
      await scoped(db, { organisationIds: [organisationId] }, (tx) => addDeviceDays(tx, organisationId, checkIns));
      await watch(organisationId);
      watchedAt.set(organisationId, at);
    }
    await judge(organisationId);
    await analysts.pickUp(organisationId, now);
    await analysts.work(at);
    clock.moveTo(at);
  };
  let events = 0;
  for (const shipment of history(options)) {
    clock.moveTo(shipment.at);
    const gathered = waiting.get(shipment.organisationId) ?? { arrivals: [], from: shipment.at };
    waiting.set(shipment.organisationId, gathered);
    for (const arrival of arrivalsOf(shipment)) {
      gathered.arrivals.push(arrival);
      const label = arrival.documentId === undefined ? undefined : labels.get(arrival.documentId);
      if (label) endings.set(eventIdOf(arrival.index, arrival.documentId!), endingOf(label.story));
    }
    events += shipment.documents.length;
    if (gathered.arrivals.length >= gatherEvents || shipment.at - gathered.from >= gatherMs)
      await flush(shipment.organisationId, shipment.at);
    await nextTurn();
  }
  for (const organisationId of [...waiting.keys()]) await flush(organisationId, now);
  await analysts.work(now);
  await analysts.finish(now);
  log.info({ events }, 'demo world sent');
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
