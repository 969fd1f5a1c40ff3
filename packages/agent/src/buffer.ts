/**
 * On-disk event buffer. Events are written and synced before source positions are saved, and removed after shipping; a crash at
 * any point resends an event at most once, under the same id. When the buffer is full, `append` blocks, which pauses log
 * reading.
 */
import { type Block, blockParts } from './bulk.ts';
import { type Batch, createSegmentReader, loadSegments, removeOldest, savePlace } from './segments.ts';
import { createSegmentWriter } from './segmentWriter.ts';

/** Maximum bytes in memory waiting for the disk. */
const maxPending = 1024 * 1024;
const diskRetryMs = 5_000;

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

export async function openBuffer(
  folder: string,
  limitBytes: number,
  trouble: (text: string) => void,
  retryMs = diskRetryMs,
): Promise<Buffered> {
  const segments = await loadSegments(folder);
  const reader = createSegmentReader(segments, trouble);
  const writer = createSegmentWriter({ segments, retryMs, onWritten, onFailed });
  let isFull = false;
  const roomWaiters: (() => void)[] = [];
  const shipWaiters = new Set<() => void>();
  const exceedsLimit = () => segments.bytes + writer.pendingBytes() >= limitBytes;
  const hasRoom = () => writer.pendingBytes() < maxPending && !exceedsLimit();
  const hasUnshipped = () => {
    const last = segments.list.at(-1);
    return last !== undefined && (last.number > segments.place.segment || last.bytes > segments.place.at);
  };

  function wake(): void {
    isFull = exceedsLimit();
    if (hasRoom()) for (const go of roomWaiters.splice(0)) go();
  }

  function onWritten(): void {
    wake();
    for (const go of shipWaiters) go();
  }

  function onFailed(error: Error): void {
    isFull = true;
    trouble(`Could not write the buffer: ${error.message}`);
  }

  /** Resolves when there is room; undefined if there is room already. */
  function waitForRoom(): Promise<void> | undefined {
    if (hasRoom()) return undefined;
    isFull = exceedsLimit();
    return new Promise((resolve) => roomWaiters.push(resolve));
  }

  async function removeShippedSegments(): Promise<void> {
    for (let oldest = segments.list[0]; oldest && oldest !== writer.segment(); oldest = segments.list[0]) {
      if (segments.place.segment <= oldest.number && segments.place.at < oldest.bytes) return;
      await reader.close(oldest.number);
      await removeOldest(segments);
    }
  }

  return {
    append(pair) {
      writer.add(pair, 1);
      if (!writer.isWriting()) setImmediate(() => writer.write().catch(() => {}));
      return waitForRoom();
    },
    async put(block, event) {
      const [first, ...others] = blockParts(block, event);
      writer.add(first as Buffer, block.count);
      for (const part of others) writer.add(part, 0);
      await writer.write();
      await waitForRoom();
    },
    sync: writer.sync,
    async next(maxBytes, maxEvents) {
      await removeShippedSegments();
      return reader.next(maxBytes, maxEvents);
    },
    async done(batch) {
      const segment = segments.list[0];
      if (segment?.number !== batch.segment) return;
      segments.place = { segment: batch.segment, at: batch.end };
      segment.shipped += batch.events;
      await savePlace(segments, segment.shipped);
      // Close the segment being written as well, so that shipped data does not fill the disk.
      if (segment === writer.segment() && batch.end >= segment.bytes) await writer.closeFull();
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
      bytes: segments.bytes + writer.pendingBytes() - segments.place.at,
      limitBytes,
      isFull,
      events: segments.list.reduce((sum, { events, shipped }) => sum + events - shipped, 0) + writer.pendingEvents(),
    }),
    async close() {
      await writer.close();
      await reader.close();
    },
  };
}
