/**
 * Events newest first over blocks that overlap: an event is visited when no unread block can hold a newer one. Blocks are listed by windows of time
 * and opened in the order of their newest event, so that a search for few events opens few.
 */
import type { Scope, Tx } from '../../core/db/scope.ts';
import { TookTooLongError } from '../../core/db/scope.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { dayMs, hourMs } from '../ranges.ts';
import type { Documents } from './block.documents.ts';
import type { Heads } from './block.format.ts';
import { CorruptBlockError } from './block.format.ts';
import { type BlockRow, listBlocks } from './blockRows.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { listMoved } from './clickhouse/read.ts';
import { listEventRows } from './eventRows.ts';
import { openBlocks, setAside } from './openBlocks.ts';
import type { ScanQuery } from './scanQuery.ts';
import { readSplit } from './split.ts';
import { byNewest, EventInBlock, type StoredEvent } from './storedEvent.ts';

/** The newest hour before older ones; blocks are of one day, so that later windows are of whole days. */
const windowsMs = [hourMs, 6 * hourMs, dayMs, 4 * dayMs, 31 * dayMs, Number.POSITIVE_INFINITY];
const maxSubstrings = 3;
/** Bounds of an open range. */
const [earliest, latest] = [Date.UTC(-4_000, 0), Date.UTC(200_000, 0)];
const eventsPerTurn = 500;

/** Visits events until `visit` returns true. The transaction must see one state throughout, or blocks merged in between are missed. */
export async function scanEvents(tx: Tx, scope: Scope, ask: ScanQuery, visit: (event: StoredEvent) => boolean): Promise<void> {
  const start = Math.max(ask.start, earliest);
  const end = Math.min(ask.end, latest, ask.before ? ask.before.at + 1 : latest);
  if (end <= start) return;
  const moved = clickHouse();
  const split = await readSplit(tx);
  const others = [
    listEventRows(tx, scope, { ...ask, end }),
    ...(moved && split ? [listMoved(moved, scope, split, { ...ask, start, end })] : []),
  ];
  const pool: StoredEvent[] = [];
  /** Visits what is newer than everything unread. */
  const visitNewer = async (unread: number): Promise<boolean> => {
    pool.sort(byNewest);
    let index = 0;
    for (; index < pool.length && pool[index]!.at > unread; index++) if (visit(pool[index]!)) return true;
    pool.splice(0, index);
    return false;
  };
  /** Visits everything newer than what is unread of the blocks, with the events of the other sources. */
  const visitTo = async (unread: number): Promise<boolean> => {
    for (;;) {
      for (const other of others) if (other.unread > unread) pool.push(...(await other.next(unread)));
      const unreadOfOthers = Math.max(...others.map((other) => other.unread));
      if (await visitNewer(Math.max(unread, unreadOfOthers))) return true;
      if (unreadOfOthers <= unread) return false;
      checkTime(ask);
    }
  };
  let to = end;
  for (const length of windowsMs) {
    const from = Math.max(start, to - length);
    const window = await listBlocks(tx, scope, { ...ask, split, start: from, end, ...(to < end && { lastBefore: to }) });
    for (const [index, row] of window.entries()) {
      checkTime(ask);
      // Newer events of the other sources need not wait for the block.
      if (index === 0 && (await visitTo(row.lastAt))) return;
      pool.push(...(await matchesIn(tx, scope, row, { ...ask, end })));
      if (await visitTo(window[index + 1]?.lastAt ?? from - 1)) return;
    }
    if (await visitTo(from - 1)) return;
    to = from;
    if (to <= start) break;
  }
  await visitTo(Number.NEGATIVE_INFINITY);
}

function checkTime({ deadline }: ScanQuery): void {
  if (deadline !== undefined && performance.now() > deadline) throw new TookTooLongError('A search of events took too long.');
}

/** Matching events of one block. */
async function matchesIn(tx: Tx, scope: Scope, row: BlockRow, ask: ScanQuery): Promise<StoredEvent[]> {
  const [open] = await openBlocks(tx, scope, [row]);
  if (!open) return [];
  try {
    const heads = await open.block.heads();
    const places = placesIn(heads, ask, row.organisationId, open.ids);
    if (places.length === 0) return [];
    const documents = ask.isOfHeads ? undefined : await open.block.documents();
    const substrings = (ask.substrings ?? []).slice(0, maxSubstrings);
    const left = documents ? withSubstrings(heads, documents, places, substrings) : places;
    const found: StoredEvent[] = [];
    for (const [index, place] of left.entries()) {
      const event = new EventInBlock(row.organisationId, open.ids, heads, documents, place);
      if (isBehind(event, ask.before)) found.push(event);
      if (index % eventsPerTurn === eventsPerTurn - 1) await yieldToEventLoop();
    }
    return found;
  } catch (error) {
    if (!(error instanceof CorruptBlockError)) throw error;
    setAside(row, error);
    return [];
  }
}

const isBehind = ({ at, id }: StoredEvent, before: ScanQuery['before']): boolean =>
  !before || at < before.at || (at === before.at && before.id !== undefined && id < before.id);

/** Places of the events of a block whose heads match. */
function placesIn(
  heads: Heads,
  { start, end, received, devices, fits }: ScanQuery,
  organisationId: number,
  ids: Buffer,
): number[] {
  const named = devices && new Set(devices);
  const places: number[] = [];
  for (let place = 0; place < heads.at.length; place++) {
    const at = heads.at[place]!;
    if (at < start || at >= end) continue;
    const receivedAt = heads.receivedAt[place]!;
    if (received && (receivedAt < received.start || receivedAt >= received.end)) continue;
    const deviceName = heads.deviceName[place]!;
    if (named && !(deviceName !== null && named.has(deviceName))) continue;
    if (fits && !fits(new EventInBlock(organisationId, ids, heads, undefined, place))) continue;
    places.push(place);
  }
  return places;
}

function withSubstrings(heads: Heads, documents: Documents, places: number[], substrings: readonly string[]): number[] {
  let left = places;
  for (const substring of substrings) {
    if (left.length === 0) break;
    const inDocument = documents.candidates(substring);
    const has = (text: string | null) => text?.toLowerCase().includes(substring) === true;
    left = left.filter(
      (place) =>
        inDocument[place] === 1 || has(heads.text[place]!) || has(heads.deviceName[place]!) || has(heads.userName[place]!),
    );
  }
  return left;
}
