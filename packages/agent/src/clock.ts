/** Host uptime for deadlines; independent of changes to the system clock. */
import { readFileSync } from 'node:fs';

export interface HostClock {
  /** Seconds since boot, including suspend. */
  uptime(): number;
  /** Seconds since this boot; in a container less than the uptime, which is the machine's. */
  sinceStart(): number;
  /** Identifies this boot of the host or container. */
  startId(): string;
}

const uptime = () => Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]);
/** Start of process 1, in hundredths of a second of the machine's uptime. */
const firstProcessAt = () => Number(/.*\) (.*)/s.exec(readFileSync('/proc/1/stat', 'utf8'))?.[1]?.split(' ')[19]);

/** Kernel boot id, as used by the journal. */
export const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

export const hostClock: HostClock = {
  uptime,
  sinceStart() {
    const up = uptime();
    const since = up - firstProcessAt() / 100;
    // Some containers have a virtualised uptime.
    return since >= 0 ? since : up;
  },
  // In some containers the boot id is the machine's and does not change on restart.
  startId: () => `${bootId()} ${firstProcessAt()}`,
};

/** Resolves after `ms`, or without an error when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

export interface Backoff {
  /** Next delay in ms: exponential with jitter. */
  next(atLeastMs?: number): number;
  reset(): void;
}

export function createBackoff(firstMs: number, maxMs: number, random: () => number = Math.random): Backoff {
  let tries = 0;
  return {
    next(atLeastMs = 0) {
      const limitMs = Math.min(maxMs, firstMs * 2 ** Math.min(tries++, 30));
      return Math.max(atLeastMs, limitMs / 2 + (random() * limitMs) / 2);
    },
    reset() {
      tries = 0;
    },
  };
}
