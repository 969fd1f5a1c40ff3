/**
 * Memory of collected pages, returned to the system. V8 13.6 puts pages that a collection freed into a pool, which only a collection of last resort
 * empties: without one a process holds for good what its busiest minute needed (docs/decisions/0180-pooled-pages.md).
 */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Log } from './log.ts';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const everyMs = 60_000;
const mib = 2 ** 20;
/** Bytes beside the heap and buffers that are in use, before the first collection: the program's file and the C library's heap. */
const initialFloor = 96 * mib;
/** Bytes worth a pause of some 300 ms: of a process at rest, and of any. */
const worth = { atRest: 32 * mib, atWork: 256 * mib };
const restingShare = 0.2;

const unused = ({ rss, heapUsed, external }: NodeJS.MemoryUsage): number => rss - heapUsed - external;

/** Collects garbage and empties V8's pool of pages. Blocks for some 300 ms. */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Decides whether memory is to be released.
 * @param floor bytes that the last release left unused
 * @param load share of the last minute in which the event loop was busy
 */
export const isWorthReleasing = (usage: NodeJS.MemoryUsage, floor: number, load: number): boolean =>
  unused(usage) - floor > (load < restingShare ? worth.atRest : worth.atWork);

/** Looks each minute and releases memory where it is worth the pause. Returns how to stop. */
export function watchMemory(log: Log): () => void {
  let floor = initialFloor;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const before = process.memoryUsage();
    if (!isWorthReleasing(before, floor, utilization)) return;
    const began = performance.now();
    try {
      releaseMemory();
    } catch (error) {
      log.warn({ err: error }, 'freed memory cannot be returned to the system');
      return clearInterval(timer);
    }
    const after = process.memoryUsage();
    floor = Math.max(initialFloor, unused(after));
    log.info(
      { before: before.rss, after: after.rss, ms: Math.round(performance.now() - began) },
      'memory returned to the system',
    );
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
