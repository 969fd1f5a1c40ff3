/** Limits of memory of the server's process: Node's flags, and settings of the C library that it reads when a process starts (docs/decisions/0123-bounded-memory.md). */

/**
 * A small young generation: under intake each collection copies the live part of a batch; with the default size pauses reached 40 ms and memory grew by 100 MiB.
 * The old one may grow by 25% between collections, not to its double.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=25'];

/** Of a first start, which creates the demo: fewer collections matter more than their pauses, until the next start. */
export const firstStartFlags: readonly string[] = ['--max-semi-space-size=64'];

/** Blocks of 128 KiB and more return to the system when they are freed; each thread that compresses would otherwise hold on to tens of MiB. Other C libraries ignore it. */
export const memoryEnvironment: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
