/** The newest events of several times and devices at once. */
import { type Scope, TookTooLongError, type Tx } from '../../core/db/scope.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { CorruptBlockError } from './block.format.ts';
import { listBlocks } from './blockRows.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { newestMoved } from './clickhouse/read.ts';
import { hasEventRows, readEventRows } from './eventRows.ts';
import { valueAt } from './fields.ts';
import { type OpenBlock, openListed, setAside } from './openBlocks.ts';
import type { EventQuery } from './scanQuery.ts';
import { readSplit } from './split.ts';
import { EventInBlock, type StoredEvent } from './storedEvent.ts';

/** An event that some ask may select. */
interface Candidate {
  at: number;
  deviceName: string | null;
  /** Block and place in it, or the event itself. */
  open?: OpenBlock;
  place: number;
  event?: StoredEvent;
}

/** Limit over all queries together. */
export const maxEvents = 200_000;
const maxCandidates = 2_000_000;

/** Events of each ask, newest first; without documents, which are null, if heads suffice. */
export async function newestEvents(
  tx: Tx,
  scope: Scope,
  queries: readonly EventQuery[],
  { isOfHeads = false } = {},
): Promise<StoredEvent[][]> {
  if (queries.length === 0) return [];
  const candidates = await candidatesOf(tx, scope, queries, isOfHeads);
  const selected = queries.map((query) => selectedBy(query, candidates));
  const all = new Set(selected.flat());
  if (all.size > maxEvents) throw new TookTooLongError(`More than ${maxEvents} events were asked for at once.`);
  await readAll(all, isOfHeads);
  return selected.map((each) => each.flatMap(({ event }) => event ?? []));
}

/** Values of one string field, by its names from the top, in the events of each ask, newest first, without those that lack it. */
export async function newestTexts(
  tx: Tx,
  scope: Scope,
  queries: readonly EventQuery[],
  path: readonly string[],
): Promise<string[][]> {
  if (queries.length === 0) return [];
  const candidates = await candidatesOf(tx, scope, queries);
  const columns = new Map<OpenBlock, (string | undefined)[]>();
  for (const { open } of candidates) {
    if (!open || columns.has(open)) continue;
    columns.set(
      open,
      await open.block.column(path).catch((error: unknown) => {
        if (!(error instanceof CorruptBlockError)) throw error;
        setAside(open, error);
        return [];
      }),
    );
  }
  const textOf = ({ open, place, event }: Candidate) => {
    if (open) return columns.get(open)?.[place];
    const value = valueAt(event?.document, ...path);
    return typeof value === 'string' ? value : undefined;
  };
  return queries.map((query) => selectedBy(query, candidates).flatMap((candidate) => textOf(candidate) ?? []));
}

async function candidatesOf(tx: Tx, scope: Scope, queries: readonly EventQuery[], isOfHeads = false): Promise<Candidate[]> {
  const moved = clickHouse();
  const split = await readSplit(tx);
  const start = Math.min(...queries.map((query) => query.start));
  const end = Math.max(...queries.map((query) => query.end));
  const named = queries.every(({ devices }) => devices) ? new Set(queries.flatMap(({ devices = [] }) => devices)) : undefined;
  const query = { start, end, devices: named && [...named], split };
  const candidates: Candidate[] = [];
  if (await hasEventRows(tx))
    for (const event of await readEventRows(tx, scope, query, maxEvents))
      candidates.push({ at: event.at, deviceName: event.deviceName, place: 0, event });
  const blocks = await openListed(tx, scope, async () => {
    const rows = (await listBlocks(tx, scope, query)).filter(({ firstAt, lastAt }) =>
      queries.some((each) => firstAt < each.end && lastAt >= each.start),
    );
    const total = rows.reduce((sum, { count }) => sum + count, 0);
    if (total > maxCandidates) throw new TookTooLongError(`Up to ${total} events would be read at once.`);
    return rows;
  });
  for (const open of blocks) {
    try {
      const heads = await open.block.heads();
      for (const [place, at] of heads.at.entries()) {
        const deviceName = heads.deviceName[place]!;
        if (at >= start && at < end && (!named || (deviceName !== null && named.has(deviceName))))
          candidates.push({ at, deviceName, open, place });
      }
    } catch (error) {
      if (!(error instanceof CorruptBlockError)) throw error;
      setAside(open, error);
    }
  }
  if (moved && split)
    for (const event of await newestMoved(moved, scope, split, queries, { isOfHeads, limit: maxEvents }))
      candidates.push({ at: event.at, deviceName: event.deviceName, place: 0, event });
  return candidates.sort((a, b) => b.at - a.at);
}

/** Of candidates newest first. */
function selectedBy(
  { start, end, devices, limit = Number.POSITIVE_INFINITY }: EventQuery,
  candidates: readonly Candidate[],
): Candidate[] {
  const selected: Candidate[] = [];
  for (let index = firstBefore(candidates, end); index < candidates.length && selected.length < limit; index++) {
    const candidate = candidates[index]!;
    if (candidate.at < start) break;
    if (!devices || (candidate.deviceName !== null && devices.includes(candidate.deviceName))) selected.push(candidate);
  }
  return selected;
}

/** Position of the first candidate before a time. */
function firstBefore(candidates: readonly Candidate[], end: number): number {
  let [from, to] = [0, candidates.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (candidates[middle]!.at >= end) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Fills in the events of candidates in blocks; those of corrupt ones stay empty. */
async function readAll(selected: ReadonlySet<Candidate>, isOfHeads: boolean): Promise<void> {
  const inBlock = new Map<OpenBlock, Candidate[]>();
  for (const candidate of selected) {
    if (!candidate.open) continue;
    const known = inBlock.get(candidate.open);
    if (known) known.push(candidate);
    else inBlock.set(candidate.open, [candidate]);
  }
  for (const [open, candidates] of inBlock) {
    try {
      const heads = await open.block.heads();
      const documents = isOfHeads ? undefined : await open.block.documents();
      for (const candidate of candidates)
        candidate.event = new EventInBlock(open.organisationId, open.ids, heads, documents, candidate.place);
      await yieldToEventLoop();
    } catch (error) {
      if (!(error instanceof CorruptBlockError)) throw error;
      setAside(open, error);
    }
  }
}
