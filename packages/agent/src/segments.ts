/** Segment files of the event buffer. A segment holds request bodies exactly as sent (`bulk.ts`). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scanComplete, scanIntact } from './bulk.ts';
import { makePrivateFolder, readJson } from './files.ts';

export interface Segment {
  number: number;
  bytes: number;
  /** Events in the segment, and the number of them shipped. */
  events: number;
  shipped: number;
}

export interface Segments {
  folder: string;
  /** Oldest first. */
  list: Segment[];
  /** Bytes of all segments, including data being written. */
  bytes: number;
  /** First unshipped byte. */
  place: { segment: number; at: number };
  nextNumber: number;
}

const pathOf = (folder: string, number: number) => join(folder, `${String(number).padStart(10, '0')}.bulk`);
const placeFile = (folder: string) => join(folder, 'shipped.json');

/** Loads the segments of a previous run, truncated to their intact part. */
export async function loadSegments(folder: string): Promise<Segments> {
  makePrivateFolder(folder);
  const saved = readJson<{ segment: number; at: number; events: number }>(placeFile(folder));
  const list: Segment[] = [];
  for (const name of readdirSync(folder).sort()) {
    const number = Number(/^(\d{10})\.bulk$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) continue;
    if (saved && number < saved.segment) await unlink(join(folder, name));
    else list.push({ number, ...(await repaired(join(folder, name))), shipped: 0 });
  }
  const first = list[0];
  const place = { segment: first?.number ?? 1, at: 0 };
  if (first && saved?.segment === first.number && saved.at <= first.bytes) {
    place.at = saved.at;
    first.shipped = Math.min(saved.events, first.events);
  }
  const bytes = list.reduce((sum, segment) => sum + segment.bytes, 0);
  // Each start opens a new file, so that data torn by a crash stays at the end of its segment.
  return { folder, list, bytes, place, nextNumber: Math.max(list.at(-1)?.number ?? 0, saved?.segment ?? 0) + 1 };
}

/** Truncates a segment at the first incomplete or corrupt entry and returns its size and event count. */
async function repaired(path: string): Promise<{ bytes: number; events: number }> {
  const { end, events } = scanIntact(readFileSync(path));
  if (end < statSync(path).size) await truncate(path, end);
  return { bytes: end, events };
}

export async function addSegment(segments: Segments): Promise<{ file: FileHandle; segment: Segment }> {
  const segment = { number: segments.nextNumber, bytes: 0, events: 0, shipped: 0 };
  const file = await open(pathOf(segments.folder, segment.number), 'wx', 0o600);
  segments.nextNumber++;
  segments.list.push(segment);
  if (segments.list.length === 1) segments.place = { segment: segment.number, at: 0 };
  return { file, segment };
}

export async function removeOldest(segments: Segments): Promise<void> {
  const oldest = segments.list.shift() as Segment;
  segments.bytes -= oldest.bytes;
  segments.place = { segment: segments.list[0]?.number ?? oldest.number + 1, at: 0 };
  await savePlace(segments, 0);
  await unlink(pathOf(segments.folder, oldest.number));
}

/** Not synced: losing it only resends events under the same ids. */
export async function savePlace({ folder, place }: Segments, events: number): Promise<void> {
  const file = placeFile(folder);
  await writeFile(`${file}.new`, JSON.stringify({ ...place, events }), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export interface Batch {
  body: Buffer;
  events: number;
  segment: number;
  end: number;
}

export function createSegmentReader(segments: Segments, trouble: (text: string) => void) {
  let reading: { file: FileHandle; number: number } | undefined;
  /** Memory shared by consecutive batches. */
  let room: Buffer | undefined;
  return {
    async next(maxBytes: number, maxEvents: number): Promise<Batch | undefined> {
      const segment = segments.list[0];
      const { at } = segments.place;
      if (!segment || at >= segment.bytes) {
        room = undefined;
        return undefined;
      }
      const left = segment.bytes - at;
      if (reading?.number !== segment.number) {
        await reading?.file.close();
        reading = { file: await open(pathOf(segments.folder, segment.number), 'r'), number: segment.number };
      }
      for (let wanted = maxBytes; ; wanted *= 4) {
        if (!room || room.length < Math.min(wanted, left)) room = Buffer.allocUnsafe(Math.min(wanted, left));
        const bytes = room.subarray(0, Math.min(wanted, left));
        const { bytesRead } = await reading.file.read(bytes, 0, bytes.length, at);
        const { end, events } = scanComplete(bytes.subarray(0, bytesRead), maxEvents);
        if (events > 0) return { body: bytes.subarray(0, end), events, segment: segment.number, end: at + end };
        // Otherwise a single event exceeds the batch size.
        if (bytesRead < bytes.length || bytes.length === left) {
          trouble(`Segment ${segment.number} of the buffer was damaged: ${left} bytes lost.`);
          return { body: Buffer.alloc(0), events: 0, segment: segment.number, end: segment.bytes };
        }
      }
    },
    /** Closes the segment being read if it has this number; without a number any. */
    async close(number = reading?.number): Promise<void> {
      if (reading?.number !== number) return;
      await reading?.file.close();
      reading = undefined;
    },
  };
}
