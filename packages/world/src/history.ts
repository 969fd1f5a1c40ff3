/**
 * A year of shipments in order of sending. Days are planned one by one, so that a history of any size needs the memory of a few days; stories
 * extend into the days after their start. Events of one client within one window are shipped together, as behind a relay, and each names
 * its own index.
 */
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { eventsOn, type Horizon, reportingOn, signsOfLife } from './plan.ts';
import { dayOf, windowMs } from './rhythm.ts';
import { storiesStartingOn, type ToldStory } from './stories/schedule.ts';
import type { Silence } from './stories/story.ts';
import type { Document, Emitted, Shipment, StoryLabel } from './types.ts';

export interface HistoryOptions {
  seed: string;
  /** End of the history in milliseconds since 1970 UTC; truncated to the minute. */
  now: number;
  /** Length in months of 30.4 days. */
  months?: number;
  /** Multiplies the number of events. */
  scale?: number;
}

const monthMs = 30.4 * dayMs;

function horizonOf({ seed, now, scale = 1 }: HistoryOptions): Horizon {
  return { seed, scale, now: Math.floor(now / minuteMs) * minuteMs };
}

/** Start of the history. */
export const startOf = (options: HistoryOptions): number => horizonOf(options).now - (options.months ?? 12) * monthMs;

/** Days on which a client's devices were active without background events, which are generated for the last 30 days only. */
export function checkInsBetween(
  from: number,
  to: number,
  organisationId: number,
  options: HistoryOptions,
): { name: string; at: number }[] {
  const horizon = horizonOf(options);
  const found: { name: string; at: number }[] = [];
  for (let day = dayOf(from) + 1; day <= dayOf(to); day++)
    for (const device of reportingOn(day, organisationId, horizon)) found.push({ name: device.name, at: day * dayMs });
  return found;
}

/** Oldest first; also the documents within a shipment. */
export function* history(options: HistoryOptions): Generator<Shipment> {
  const horizon = horizonOf(options);
  const { now } = horizon;
  const start = startOf(options);
  const carried = new Map<number, Emitted[]>();
  let silences: Silence[] = [];
  for (let day = dayOf(start); day <= dayOf(now); day++) {
    silences = silences.filter(({ until }) => until > day * dayMs);
    for (const story of storiesStartingOn(day, horizon)) {
      carry(story, carried);
      silences.push(...story.silences);
    }
    const isHeard = (event: Emitted) => !silences.some((silence) => isSilenced(event, silence));
    const events = [...eventsOn(day, horizon).filter(isHeard), ...(carried.get(day) ?? [])];
    if (day >= dayOf(now) - 1) events.push(...signsOfLife(now).filter((event) => dayOf(event.at) === day));
    carried.delete(day);
    yield* shipmentsOf(
      events.filter((event) => event.at >= start && event.at < now),
      now,
    );
  }
}

function carry(story: ToldStory, carried: Map<number, Emitted[]>) {
  for (const event of story.events) {
    const day = dayOf(event.at);
    const list = carried.get(day);
    if (list) list.push(event);
    else carried.set(day, [event]);
  }
}

const isSilenced = (event: Emitted, { device, from, until }: Silence) =>
  event.at >= from &&
  event.at < until &&
  event.organisationId === device.organisationId &&
  (event.document.host as { name?: string } | undefined)?.name === device.name;

interface Bundle {
  at: number;
  events: Emitted[];
}

/** Windows never cross midnight UTC, so the shipments of a day all leave before the next day's first. */
function* shipmentsOf(events: Emitted[], now: number): Generator<Shipment> {
  const bundles = new Map<string, Bundle>();
  for (const event of events) {
    const window = windowMs(now - Math.floor(event.at / dayMs) * dayMs);
    const end = Math.min((Math.floor(event.at / window) + 1) * window, now);
    const key = `${end}/${event.organisationId}`;
    const bundle = bundles.get(key);
    if (bundle) bundle.events.push(event);
    else bundles.set(key, { at: end, events: [event] });
  }
  const ordered = [...bundles.values()].sort((a, b) => a.at - b.at || a.events[0]!.organisationId - b.events[0]!.organisationId);
  for (const { at, events: gathered } of ordered) yield shipment(at, gathered);
}

/** Bulk request with the events of one client. */
export function shipment(at: number, events: Emitted[]): Shipment {
  events.sort((a, b) => a.at - b.at);
  const { index, organisationId } = events[0]!;
  return { at, organisationId, index, documents: events.map((event) => labelled(event, index)) };
}

const labelled = (event: Emitted, index: string): Document =>
  event.index === index ? event.document : { _index: event.index, ...event.document };

/** Returns the documents that belong to a story in the history of the same options, by `_id`. */
export function storyLabels(options: HistoryOptions): Map<string, StoryLabel> {
  const horizon = horizonOf(options);
  const labels = new Map<string, StoryLabel>();
  const start = horizon.now - (options.months ?? 12) * monthMs;
  for (let day = dayOf(start); day <= dayOf(horizon.now); day++)
    for (const { label, events } of storiesStartingOn(day, horizon))
      for (const event of events) if (event.at >= start && event.at < horizon.now) labels.set(String(event.document._id), label);
  return labels;
}
