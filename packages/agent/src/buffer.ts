/**
 * On-disk event buffer. A segment holds request bodies exactly as sent (`bulk.ts`). Events are written and synced before source
 * positions are saved, and removed after shipping; a crash at any point resends an event at most once, under the same id. When
 * the buffer is full, `append` blocks, which pauses log reading.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Block, blockParts, scanComplete, scanIntact } from './bulk.ts';
import { makePrivateFolder, readJson, writeAll } from './files.ts';

const segmentBytes = 8 * 1024 * 1024;
/** Maximum bytes in memory waiting for the disk. */
const maxPending = 1024 * 1024;
const diskRetryMs = 5_000;

export interface Batch {
  body: Buffer;
  events: number;
  segment: number;
  end: number;
}

export interface Buffered {
  /** Appends an event encoded as two lines (`encodeEvent`); resolves when there is room for the next one. */
  append(pair: string): Promise<void> | undefined;
  /**
   * Appends lines of a file; resolves when they are written, so that the caller may reuse the memory, and there is room for
   * more.
   */
  put(block: Block, event: Record<string, unknown>): Promise<void>;
  /** Flushes all appended events to disk (fdatasync). */
  sync(): Promise<void>;
  /** Oldest unshipped events; undefined when there are none. The bytes are valid until the next call. */
  next(maxBytes: number, maxEvents: number): Promise<Batch | undefined>;
  /** Removes events that were shipped or dropped. */
  done(batch: Batch): Promise<void>;
  /** Resolves when events are waiting or the signal aborts. */
  waiting(signal: AbortSignal): Promise<void>;
  figures(): { bytes: number; limitBytes: number; isFull: boolean; events: number };
  close(): Promise<void>;
}

interface Segment {
  number: number;
  bytes: number;
  /** Events in the segment, and the number of them shipped. */
  events: number;
  shipped: number;
}

export async function openBuffer(
  folder: string,
  limitBytes: number,
  trouble: (text: string) => void,
  troublePauseMs = diskRetryMs,
): Promise<Buffered> {
  makePrivateFolder(folder);
  const fileOf = (number: number) => join(folder, `${String(number).padStart(10, '0')}.bulk`);
  const placeFile = join(folder, 'shipped.json');
  const saved = readJson<{ segment: number; at: number; events: number }>(placeFile);
  const segments: Segment[] = [];
  for (const name of readdirSync(folder).sort()) {
    const number = Number(/^(\d{10})\.bulk$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) continue;
    if (saved && number < saved.segment) {
      await unlink(join(folder, name));
      continue;
    }
    segments.push({ number, ...(await repaired(join(folder, name))), shipped: 0 });
  }
  let place = { segment: segments[0]?.number ?? 1, at: 0 };
  const first = segments[0];
  if (first && saved?.segment === first.number && saved.at <= first.bytes) {
    place = { segment: saved.segment, at: saved.at };
    first.shipped = Math.min(saved.events, first.events);
  }
  let total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  // Each start opens a new file, so that data torn by a crash stays at the end of its segment.
  let nextNumber = Math.max(segments.at(-1)?.number ?? 0, saved?.segment ?? 0) + 1;
  let writing: { file: FileHandle; segment: Segment } | undefined;
  let reading: { file: FileHandle; number: number } | undefined;
  let pending: (string | Buffer)[] = [];
  let pendingLength = 0;
  let pendingEvents = 0;
  let work: Promise<void> | undefined;
  /** Memory shared by consecutive batches. */
  let room: Buffer | undefined;
  let isClosed = false;
  let isFull = false;
  const roomWaiters: (() => void)[] = [];
  const shipWaiters = new Set<() => void>();
  const hasUnshipped = () => {
    const last = segments.at(-1);
    return last !== undefined && (last.number > place.segment || last.bytes > place.at);
  };
  const hasRoom = () => pendingLength < maxPending && total + pendingLength < limitBytes;
  const wake = () => {
    isFull = total + pendingLength >= limitBytes;
    if (hasRoom()) for (const go of roomWaiters.splice(0)) go();
  };

  /** Writes pending data sequentially; failed writes stay pending. */
  function write(): Promise<void> {
    work ??= (async () => {
      while (pending.length > 0) {
        const batch = pending;
        const events = pendingEvents;
        const bytes = bytesOf(batch);
        pending = [];
        pendingLength = 0;
        pendingEvents = 0;
        const length = bytes.reduce((sum, part) => sum + part.length, 0);
        total += length;
        try {
          if (!writing || writing.segment.bytes >= segmentBytes) await startSegment();
          const { file, segment } = writing!;
          await writeAll(file, bytes, segment.bytes);
          segment.bytes += length;
          segment.events += events;
        } catch (error) {
          // The next attempt overwrites the partial write.
          total -= length;
          pending = [...batch, ...pending];
          pendingLength += length;
          pendingEvents += events;
          isFull = true;
          trouble(`Could not write the buffer: ${(error as Error).message}`);
          if (isClosed) throw error;
          await new Promise((resolve) => setTimeout(resolve, troublePauseMs));
        }
        wake();
        for (const go of shipWaiters) go();
      }
    })().finally(() => {
      work = undefined;
    });
    return work;
  }

  async function startSegment(): Promise<void> {
    if (writing) {
      await writing.file.datasync();
      await writing.file.close();
      writing = undefined;
    }
    const segment = { number: nextNumber, bytes: 0, events: 0, shipped: 0 };
    const file = await open(fileOf(segment.number), 'wx', 0o600);
    nextNumber++;
    writing = { file, segment };
    segments.push(segment);
    if (segments.length === 1) place = { segment: segment.number, at: 0 };
  }

  /** Not synced: losing it only resends events under the same ids. */
  async function savePlace(events: number): Promise<void> {
    await writeFile(`${placeFile}.new`, JSON.stringify({ ...place, events }), { mode: 0o600 });
    await rename(`${placeFile}.new`, placeFile);
  }

  async function removeShippedSegments(): Promise<void> {
    while (segments.length > 0) {
      const oldest = segments[0] as Segment;
      const isWhole = place.segment > oldest.number || place.at >= oldest.bytes;
      if (!isWhole || oldest === writing?.segment) return;
      if (reading?.number === oldest.number) {
        await reading.file.close();
        reading = undefined;
      }
      segments.shift();
      total -= oldest.bytes;
      place = { segment: segments[0]?.number ?? oldest.number + 1, at: 0 };
      await savePlace(0);
      await unlink(fileOf(oldest.number));
    }
  }

  /** Resolves when there is room; undefined if there is room already. */
  function waitForRoom(): Promise<void> | undefined {
    if (hasRoom()) return undefined;
    isFull = total + pendingLength >= limitBytes;
    return new Promise((resolve) => roomWaiters.push(resolve));
  }

  return {
    append(pair) {
      pending.push(pair);
      pendingLength += pair.length;
      pendingEvents++;
      if (!work) setImmediate(() => write().catch(() => {}));
      return waitForRoom();
    },
    async put(block, event) {
      const parts = blockParts(block, event);
      pending.push(...parts);
      pendingLength += parts.reduce((sum, part) => sum + part.length, 0);
      pendingEvents += block.count;
      await write();
      await waitForRoom();
    },
    async sync() {
      await write();
      await writing?.file.datasync();
    },
    async next(maxBytes, maxEvents) {
      await removeShippedSegments();
      const segment = segments[0];
      if (!segment || place.at >= segment.bytes) {
        room = undefined;
        return undefined;
      }
      const left = segment.bytes - place.at;
      if (reading?.number !== segment.number) {
        await reading?.file.close();
        reading = { file: await open(fileOf(segment.number), 'r'), number: segment.number };
      }
      for (let wanted = maxBytes; ; wanted *= 4) {
        if (!room || room.length < Math.min(wanted, left)) room = Buffer.allocUnsafe(Math.min(wanted, left));
        const bytes = room.subarray(0, Math.min(wanted, left));
        const { bytesRead } = await reading.file.read(bytes, 0, bytes.length, place.at);
        const { end, events } = scanComplete(bytes.subarray(0, bytesRead), maxEvents);
        if (events > 0) return { body: bytes.subarray(0, end), events, segment: segment.number, end: place.at + end };
        // Otherwise a single event exceeds the batch size.
        if (bytesRead < bytes.length || bytes.length === left) {
          trouble(`Segment ${segment.number} of the buffer was damaged: ${left} bytes lost.`);
          return { body: Buffer.alloc(0), events: 0, segment: segment.number, end: segment.bytes };
        }
      }
    },
    async done(batch) {
      const segment = segments[0];
      if (segment?.number !== batch.segment) return;
      place = { segment: batch.segment, at: batch.end };
      segment.shipped += batch.events;
      await savePlace(segment.shipped);
      // Close the segment being written as well, so that shipped data does not fill the disk.
      if (segment === writing?.segment && place.at >= segment.bytes && segment.bytes >= segmentBytes && !work) {
        await writing.file.close();
        writing = undefined;
      }
      await removeShippedSegments();
      wake();
    },
    waiting(signal) {
      return new Promise((resolve) => {
        const go = () => {
          shipWaiters.delete(go);
          signal.removeEventListener('abort', go);
          resolve();
        };
        if (hasUnshipped() || signal.aborted) return resolve();
        shipWaiters.add(go);
        signal.addEventListener('abort', go, { once: true });
      });
    },
    figures: () => ({
      bytes: total + pendingLength - place.at,
      limitBytes,
      isFull,
      events: segments.reduce((sum, { events, shipped }) => sum + events - shipped, 0) + pendingEvents,
    }),
    async close() {
      isClosed = true;
      await write().catch(() => {});
      await writing?.file.datasync().catch(() => {});
      await writing?.file.close();
      await reading?.file.close();
      writing = undefined;
      reading = undefined;
    },
  };
}

/** Joins adjacent strings into one buffer. */
function bytesOf(parts: readonly (string | Buffer)[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < parts.length; ) {
    const part = parts[from] as string | Buffer;
    let to = from + 1;
    if (typeof part !== 'string') pieces.push(part);
    else {
      while (typeof parts[to] === 'string') to++;
      pieces.push(Buffer.from(parts.slice(from, to).join('')));
    }
    from = to;
  }
  return pieces;
}

/** Truncates a segment at the first incomplete or corrupt entry and returns its size and event count. */
async function repaired(path: string): Promise<{ bytes: number; events: number }> {
  const { end, events } = scanIntact(readFileSync(path));
  if (end < statSync(path).size) await truncate(path, end);
  return { bytes: end, events };
}
