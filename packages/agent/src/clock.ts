/** Times that decide are taken from the kernel's own count since the start, which no change of the clock moves. */
import { readFileSync } from 'node:fs';

export interface HostClock {
  /** Seconds since the host started, times of sleep included. */
  uptime(): number;
  /** Seconds since this start of the host: in a container that is less than the uptime, which is its machine's. */
  sinceStart(): number;
  /** Names this start of the host, or of the container. */
  startId(): string;
}

const uptime = () => Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]);
/** When the host's first process began, in hundredths of a second of its machine's uptime. */
const firstProcessAt = () => Number(/.*\) (.*)/s.exec(readFileSync('/proc/1/stat', 'utf8'))?.[1]?.split(' ')[19]);

/** The kernel's name of its start, by which the journal knows it. */
export const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

export const hostClock: HostClock = {
  uptime,
  sinceStart() {
    const up = uptime();
    const since = up - firstProcessAt() / 100;
    // Some containers are told an uptime of their own.
    return since >= 0 ? since : up;
  },
  // And some have the machine's own name of its start, however often they are started.
  startId: () => `${bootId()} ${firstProcessAt()}`,
};

/** A pause that ends with the signal, without an error. */
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
  /** How long to wait now; longer each time, and never quite the same for two hosts. */
  next(atLeastMs?: number): number;
  reset(): void;
}

export function createBackoff(firstMs: number, maxMs: number, random: () => number = Math.random): Backoff {
  let tries = 0;
  return {
    next(atLeastMs = 0) {
      const most = Math.min(maxMs, firstMs * 2 ** Math.min(tries++, 30));
      return Math.max(atLeastMs, most / 2 + (random() * most) / 2);
    },
    reset() {
      tries = 0;
    },
  };
}
