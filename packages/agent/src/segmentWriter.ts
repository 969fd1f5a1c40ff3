/** Writes appended events to segments in batches; failed writes are kept in memory and retried. */
import type { FileHandle } from 'node:fs/promises';
import { writeAll } from './files.ts';
import { addSegment, type Segment, type Segments } from './segments.ts';

const segmentBytes = 8 * 1024 * 1024;

export interface WriterDeps {
  segments: Segments;
  retryMs: number;
  onWritten: () => void;
  onFailed: (error: Error) => void;
}

export function createSegmentWriter({ segments, retryMs, onWritten, onFailed }: WriterDeps) {
  let writing: { file: FileHandle; segment: Segment } | undefined;
  let pending: (string | Buffer)[] = [];
  let pendingBytes = 0;
  let pendingEvents = 0;
  let work: Promise<void> | undefined;
  let isClosed = false;

  async function closeSegment(): Promise<void> {
    await writing?.file.close();
    writing = undefined;
  }

  async function writeBatch(): Promise<void> {
    const batch = pending;
    const events = pendingEvents;
    const bytes = bytesOf(batch);
    pending = [];
    pendingBytes = 0;
    pendingEvents = 0;
    const length = bytes.reduce((sum, part) => sum + part.length, 0);
    segments.bytes += length;
    try {
      if (writing && writing.segment.bytes >= segmentBytes) {
        await writing.file.datasync();
        await closeSegment();
      }
      writing ??= await addSegment(segments);
      const { file, segment } = writing;
      await writeAll(file, bytes, segment.bytes);
      segment.bytes += length;
      segment.events += events;
    } catch (error) {
      // The next attempt overwrites the partial write.
      segments.bytes -= length;
      pending = [...batch, ...pending];
      pendingBytes += length;
      pendingEvents += events;
      onFailed(error as Error);
      if (isClosed) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
    onWritten();
  }

  /** Resolves when all pending data is written. */
  function write(): Promise<void> {
    work ??= (async () => {
      while (pending.length > 0) await writeBatch();
    })().finally(() => {
      work = undefined;
    });
    return work;
  }

  return {
    add(part: string | Buffer, events: number): void {
      pending.push(part);
      pendingBytes += part.length;
      pendingEvents += events;
    },
    /** Bytes in memory waiting for the disk. */
    pendingBytes: () => pendingBytes,
    pendingEvents: () => pendingEvents,
    write,
    isWriting: () => work !== undefined,
    /** Flushes all added data to disk (fdatasync). */
    async sync(): Promise<void> {
      await write();
      await writing?.file.datasync();
    },
    /** Segment being written. */
    segment: () => writing?.segment,
    /** Closes the segment being written if it is full. */
    async closeFull(): Promise<void> {
      if (writing && writing.segment.bytes >= segmentBytes && !work) await closeSegment();
    },
    async close(): Promise<void> {
      isClosed = true;
      await write().catch(() => {});
      await writing?.file.datasync().catch(() => {});
      await closeSegment();
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
