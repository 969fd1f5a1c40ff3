/** Figures of this process between two heartbeats. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Platform } from '../../core/feature.ts';
import type { Failure, RecentOperation } from '../../core/recent.ts';

export interface Figures {
  /** Of one processor, since the last heartbeat. */
  cpuPercent: number;
  residentBytes: number;
  heapBytes: number;
  /** p99 of the delay of the event loop since the last heartbeat. */
  eventLoopMs: number;
  poolBusy: number;
  poolSize: number;
  poolWaiting: number;
  operations: RecentOperation[];
  failures: Failure[];
}

const maxOperations = 15;
const resolutionMs = 20;

export function createFigures({ db: { pool }, metrics }: Pick<Platform, 'db' | 'metrics'>): { read(): Figures; close(): void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let cpu = process.cpuUsage();
  let at = performance.now();
  return {
    read() {
      const { user, system } = process.cpuUsage(cpu);
      const elapsedMs = Math.max(1, performance.now() - at);
      [cpu, at] = [process.cpuUsage(), performance.now()];
      // The timer itself takes its resolution.
      const p99 = delay.percentile(99) / 1e6 - resolutionMs;
      delay.reset();
      const { rss, heapUsed } = process.memoryUsage();
      return {
        cpuPercent: Math.round((user + system) / 10 / elapsedMs),
        residentBytes: rss,
        heapBytes: heapUsed,
        eventLoopMs: Number.isFinite(p99) ? Math.max(0, Math.round(p99)) : 0,
        poolBusy: pool.totalCount - pool.idleCount,
        poolSize: pool.options.max ?? 0,
        poolWaiting: pool.waitingCount,
        operations: metrics.recent.slowest(maxOperations),
        failures: metrics.recent.failures(),
      };
    },
    close: () => delay.disable(),
  };
}
