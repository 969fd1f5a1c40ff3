/**
 * Events in the order of time over blocks that overlap: newest first, an event is visited when no unread block can hold a newer one. Blocks are
 * listed by windows of time and opened in the order of their newest event (of their oldest, oldest first), so that a search for few events opens few.
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { TookTooLongError } from '../../core/db/scope.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';
import type { Documents } from './block.documents.ts';
import type { Heads } from './block.format.ts';
import { CorruptBlockError } from './block.format.ts';
import { LayoutViews } from './block.objects.ts';
import { eventsWithTexts } from './block.textFilter.ts';
import { type BlockQuery, type BlockRow, listBlocks } from './blockRows.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { listMoved } from './clickhouse/read.ts';
import { listEventRows } from './eventRows.ts';
import { openBlocks, setAside } from './openBlocks.ts';
import type { ScanQuery } from './scanQuery.ts';
import { readSplit } from './split.ts';
import { byNewest, byOldest, EventInBlock, headOf, type StoredEvent } from './storedEvent.ts';

/** The nearest hour before others; blocks are of one day, so that later windows are of whole days. */
const windowsMs = [hourMs, 6 * hourMs, dayMs, 4 * dayMs, 31 * dayMs, Number.POSITIVE_INFINITY];
const maxSubstrings = 3;
/** Bounds of an open range. */
const [earliest, latest] = [Date.UTC(-4_000, 0), Date.UTC(200_000, 0)];
const eventsPerTurn = 500;

/** Visits events until `visit` returns true. The transaction must see one state throughout, or blocks merged in between are missed. */
export async function scanEvents(
  tx: Tx,
  scope: Scope,
  query: ScanQuery,
  visit: (event: StoredEvent) => boolean,
): Promise<number | undefined> {
  const direction = query.isOldestFirst ? oldestFirst : newestFirst;
  const all = { ...query, ...rangeOf(query) };
  if (all.end <= all.start) return undefined;
  const moved = clickHouse();
  const split = await readSplit(tx);
  const others = [listEventRows(tx, scope, all), ...(moved && split ? [listMoved(moved, scope, split, all)] : [])];
  const found = new Found(direction, visit);
  const layouts = new LayoutViews();
  /** Visits everything before what is unread of the blocks, with the events of the other sources; returns how that ended the scan. */
  const visitTo = async (unread: number): Promise<Ended | undefined> => {
    for (;;) {
      for (const other of others)
        if (direction.isRead(other.unread, unread)) found.add(withoutDocuments(query, await other.next(unread)));
      const place = others.reduce((nearest, other) => direction.first(nearest, other.unread), unread);
      if (found.visitBefore(place)) return { rest: undefined };
      if (place === unread) return undefined;
      checkTime(query);
      if (isOver(query, direction.isBehind(place, all))) return { rest: direction.restOf(place) };
    }
  };
  for (const window of windowsOf(all, direction)) {
    const blocks = await listBlocks(tx, scope, { ...all, split, ...window.blocks });
    const edges = [...blocks.map(direction.edgeOf), window.unread];
    // Events of the other sources that come before a block need not wait for it.
    let ended = await visitTo(edges[0]!);
    for (const [index, row] of blocks.entries()) {
      if (ended) return ended.rest;
      checkTime(query);
      const edge = edges[index]!;
      if (isOver(query, direction.isBehind(edge, all))) return direction.restOf(edge);
      found.add(await matchesIn(tx, scope, row, { ...all, layouts }));
      ended = await visitTo(edges[index + 1]!);
    }
    if (ended) return ended.rest;
  }
  return (await visitTo(direction.none))?.rest;
}

/** The end of a scan: the time to go on from, undefined where the visitor had enough. */
interface Ended {
  rest: number | undefined;
}

const withoutDocuments = ({ counted }: ScanQuery, events: readonly StoredEvent[]): readonly StoredEvent[] =>
  counted ? events.filter(counted).map(headOf) : events;

interface Bounds {
  start: number;
  end: number;
}

/** Order of a scan. A place is a time at and behind which events are unread. */
interface Direction {
  isOldestFirst: boolean;
  /** The nearer one of two places. */
  first: (a: number, b: number) => number;
  /** True if an event comes before a place. */
  isRead: (at: number, place: number) => boolean;
  /** True if a place lies behind the beginning of a scan. */
  isBehind: (place: number, bounds: Bounds) => boolean;
  /** Time of the nearest event of a block. */
  edgeOf: (row: BlockRow) => number;
  /** Time of a cursor without id that goes on from a place. */
  restOf: (place: number) => number;
  compare: (a: StoredEvent, b: StoredEvent) => number;
  none: number;
}
const newestFirst: Direction = {
  isOldestFirst: false,
  first: Math.max,
  isRead: (at, place) => at > place,
  isBehind: (place, { end }) => place < end - 1,
  edgeOf: ({ lastAt }) => lastAt,
  restOf: (place) => place + 1,
  compare: byNewest,
  none: Number.NEGATIVE_INFINITY,
};
const oldestFirst: Direction = {
  isOldestFirst: true,
  first: Math.min,
  isRead: (at, place) => at < place,
  isBehind: (place, { start }) => place > start,
  edgeOf: ({ firstAt }) => firstAt,
  restOf: (place) => place - 1,
  compare: byOldest,
  none: Number.POSITIVE_INFINITY,
};

/** Range that is left behind the cursor. */
function rangeOf({ start, end, before, isOldestFirst = false }: ScanQuery): Bounds {
  const bounds = { start: Math.max(start, earliest), end: Math.min(end, latest) };
  if (!before) return bounds;
  const isWithin = before.id !== undefined;
  return isOldestFirst
    ? { ...bounds, start: Math.max(bounds.start, isWithin ? before.at : before.at + 1) }
    : { ...bounds, end: Math.min(bounds.end, isWithin ? before.at + 1 : before.at) };
}

/** Events that were read and not yet visited. */
class Found {
  readonly #events: StoredEvent[] = [];
  readonly #direction: Direction;
  readonly #visit: (event: StoredEvent) => boolean;

  constructor(direction: Direction, visit: (event: StoredEvent) => boolean) {
    this.#direction = direction;
    this.#visit = visit;
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) this.#events.push(event);
  }

  /** Visits what comes before a place; true if that ended the scan. */
  visitBefore(place: number): boolean {
    this.#events.sort(this.#direction.compare);
    let index = 0;
    for (; index < this.#events.length && this.#direction.isRead(this.#events[index]!.at, place); index++)
      if (this.#visit(this.#events[index]!)) return true;
    this.#events.splice(0, index);
    return false;
  }
}

/** True past the time of a slice that got on: one that did not would end at the same place each time. */
const isOver = ({ signal, stopAt }: ScanQuery, hasMoved: boolean): boolean =>
  signal?.aborted === true || (hasMoved && stopAt !== undefined && performance.now() > stopAt);

/** Parts of a range in the order of a scan: the blocks that begin in each, and the time at which the unread rest begins. */
function* windowsOf(
  { start, end }: Bounds,
  { isOldestFirst }: Direction,
): Generator<{ blocks: Partial<BlockQuery>; unread: number }> {
  let at = isOldestFirst ? start : end;
  for (const length of windowsMs) {
    if (isOldestFirst) {
      const to = Math.min(end, at + length);
      yield { blocks: { end: to, ...(at > start && { firstFrom: at }) }, unread: to };
      at = to;
    } else {
      const from = Math.max(start, at - length);
      yield { blocks: { start: from, ...(at < end && { lastBefore: at }) }, unread: from - 1 };
      at = from;
    }
    if (isOldestFirst ? at >= end : at <= start) return;
  }
}

function checkTime({ deadline }: ScanQuery): void {
  if (deadline !== undefined && performance.now() > deadline) throw new TookTooLongError('A search of events took too long.');
}

/** Matching events of one block. */
async function matchesIn(
  tx: Tx,
  scope: Scope,
  row: BlockRow,
  query: ScanQuery & { layouts: LayoutViews },
): Promise<StoredEvent[]> {
  const [open] = await openBlocks(tx, scope, [row]);
  if (!open) return [];
  try {
    // Most blocks lack the texts of a rule: their heads are then hardly read.
    const heads = await (query.texts ? open.block.lazyHeads() : open.block.heads());
    const places = placesIn(heads, query, row.organisationId, open.ids);
    if (places.length === 0) return [];
    const documents = query.isOfHeads ? undefined : await open.block.documents(query.layouts);
    const substrings = (query.substrings ?? []).slice(0, maxSubstrings);
    const left = documents ? withTexts(heads, documents, withSubstrings(heads, documents, places, substrings), query) : places;
    const found: StoredEvent[] = [];
    for (const [index, place] of left.entries()) {
      const event = new EventInBlock(row.organisationId, open.ids, heads, documents, place);
      if (isBehind(event, query) && (!query.counted || query.counted(event))) found.push(query.counted ? headOf(event) : event);
      if (index % eventsPerTurn === eventsPerTurn - 1) await yieldToEventLoop();
    }
    return found;
  } catch (error) {
    if (!(error instanceof CorruptBlockError)) throw error;
    setAside(row, error);
    return [];
  }
}

const isBehind = ({ at, id }: StoredEvent, { before, isOldestFirst = false }: ScanQuery): boolean => {
  if (!before) return true;
  if (at !== before.at) return isOldestFirst ? at > before.at : at < before.at;
  return before.id !== undefined && (isOldestFirst ? id > before.id : id < before.id);
};

const isWithin = (at: number, { start, end }: Bounds): boolean => at >= start && at < end;

/** Places of the events of a block whose heads match. */
function placesIn(
  heads: Heads,
  { start, end, received, devices, fits }: ScanQuery,
  organisationId: number,
  ids: Buffer,
): number[] {
  const named = devices && new Set<string | null>(devices);
  const places: number[] = [];
  for (let place = 0; place < heads.at.length; place++) {
    const at = heads.at[place]!;
    if (at < start || at >= end) continue;
    if (received && !isWithin(heads.receivedAt[place]!, received)) continue;
    if (named && !named.has(heads.deviceName[place]!)) continue;
    if (fits && !fits(new EventInBlock(organisationId, ids, heads, undefined, place))) continue;
    places.push(place);
  }
  return places;
}

function withSubstrings(heads: Heads, documents: Documents, places: number[], substrings: readonly string[]): number[] {
  let left = places;
  for (const substring of substrings) {
    if (left.length === 0) break;
    const found = documents.candidates(substring);
    const has = (text: string | null) => text?.toLowerCase().includes(substring) === true;
    left = left.filter((place) => found[place] === 1 || has(heads.deviceName[place]!) || has(heads.userName[place]!));
  }
  return left;
}

function withTexts(heads: Heads, documents: Documents, places: number[], { texts, onRuledOut }: ScanQuery): number[] {
  if (!texts) return places;
  const found = eventsWithTexts(documents.parts(), texts);
  if (onRuledOut) for (const place of places) if (found?.[place] !== 1) onRuledOut(heads.at[place]!);
  return found ? places.filter((place) => found[place] === 1) : [];
}
