/** Slowest operations and last failures of this process, in memory. */
import { storable } from './db/like.ts';

export interface Failure {
  at: string;
  /** Endpoint, route, or `job` and its name. */
  operation: string;
  /** HTTP status; null for jobs. */
  status: number | null;
  requestId: string;
  /** Empty without tracing. */
  traceId: string;
  /** Error of a job; empty for requests, whose error is in the log under its id. */
  text: string;
}

export interface RecentOperation {
  operation: string;
  count: number;
  medianMs: number;
  p95Ms: number;
  maxMs: number;
}

const windowMs = 15 * 60_000;
/** Durations kept by operation; of more frequent ones the latest. */
const maxDurations = 200;
const maxOperations = 600;
const maxFailures = 20;

interface Timed {
  at: number;
  ms: number;
}

export type Recent = ReturnType<typeof createRecent>;

export function createRecent(now: () => number = Date.now) {
  const durations = new Map<string, Timed[]>();
  const failures: Failure[] = [];
  return {
    timed(operation: string, ms: number): void {
      let list = durations.get(operation);
      if (!list) {
        if (durations.size >= maxOperations) return;
        list = [];
        durations.set(operation, list);
      }
      list.push({ at: now(), ms });
      if (list.length > 2 * maxDurations) list.splice(0, list.length - maxDurations);
    },

    failed(failure: Omit<Failure, 'at'>): void {
      failures.unshift({ at: new Date(now()).toISOString(), ...failure, text: storable(failure.text.slice(0, 200)) });
      failures.length = Math.min(failures.length, maxFailures);
    },

    failures: (): Failure[] => [...failures],

    /** Of the last quarter of an hour, slowest first by p95. */
    slowest(count: number): RecentOperation[] {
      const since = now() - windowMs;
      const found: RecentOperation[] = [];
      for (const [operation, list] of durations) {
        const times = list
          .filter(({ at }) => at >= since)
          .slice(-maxDurations)
          .map(({ ms }) => ms)
          .sort((one, other) => one - other);
        if (times.length === 0) {
          durations.delete(operation);
          continue;
        }
        const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0);
        found.push({ operation, count: times.length, medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1) });
      }
      return found.sort((one, other) => other.p95Ms - one.p95Ms).slice(0, count);
    },
  };
}
