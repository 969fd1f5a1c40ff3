/** Times that decide are taken from the kernel's own count since the start, which no change of the clock moves. */
import { readFileSync } from 'node:fs';

export interface HostClock {
  /** Seconds since the host started, times of sleep included. */
  uptime(): number;
  /** Names this start of the host. */
  bootId(): string;
}

export const hostClock: HostClock = {
  uptime: () => Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]),
  bootId: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
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

export function createBackoff(firstMs: number, mostMs: number, random: () => number = Math.random): Backoff {
  let tries = 0;
  return {
    next(atLeastMs = 0) {
      const most = Math.min(mostMs, firstMs * 2 ** Math.min(tries++, 30));
      return Math.max(atLeastMs, most / 2 + (random() * most) / 2);
    },
    reset() {
      tries = 0;
    },
  };
}
