/** Processes, queues, operations, failures and capacity as the operations page shows them. */

import { type QueueName, queueNames } from '@parapet/contract/operations.processes.ts';
import type { OperationsState } from '@parapet/contract/operations.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { RecentOperation } from '../../core/recent.ts';
import { portalVersion } from '../../core/version.ts';
import { readMoveState } from '../../domain/events/clickhouse/move.ts';
import { daysLeft, growthOf } from './capacity.rules.ts';
import { disksOf, type MeasureDeps, readQueues, readSizes } from './operations.measure.ts';
import { readSourceWarnings } from './operations.sources.ts';
import * as store from './processes.store.ts';

/** Four heartbeats. */
const liveMs = 60_000;
const shown = 20;

type Installation = Omit<OperationsState, 'backup' | 'restoration' | 'isSafeMode'>;

/** `clickHouseLagSeconds`: read before the transaction (`clickHouseLag`). */
export async function readInstallation(tx: Tx, deps: MeasureDeps, clickHouseLagSeconds: number | null): Promise<Installation> {
  const now = new Date(deps.clock.now());
  const rows = await store.listProcesses(tx);
  const isLive = ({ seenAt }: store.ProcessRow) => now.getTime() - seenAt.getTime() < liveMs;
  const queues = await readQueues(tx, now);
  return {
    version: portalVersion,
    databaseVersion: await store.databaseVersion(tx),
    processes: rows.map((row) => ({ ...processOf(row), isLive: isLive(row) })),
    queues: queues.filter((queue): queue is typeof queue & { name: QueueName } => queueNames.includes(queue.name as QueueName)),
    operations: slowestOf(rows.filter(isLive).flatMap(({ figures }) => figures.operations)),
    sources: await readSourceWarnings(tx, now),
    failures: rows
      .flatMap(({ figures }) => figures.failures)
      .sort((one, other) => other.at.localeCompare(one.at))
      .slice(0, shown),
    capacity: { ...(await capacityOf(tx, deps, now)), clickHouseLagSeconds },
  };
}

const processOf = ({ figures, id: _, startedAt, seenAt, roles, ...row }: store.ProcessRow) => {
  return {
    ...row,
    cpuPercent: figures.cpuPercent,
    residentBytes: figures.residentBytes,
    heapBytes: figures.heapBytes,
    eventLoopMs: figures.eventLoopMs,
    poolBusy: figures.poolBusy,
    poolSize: figures.poolSize,
    poolWaiting: figures.poolWaiting,
    roles: roles as ('api' | 'ingest' | 'worker')[],
    startedAt: startedAt.toISOString(),
    seenAt: seenAt.toISOString(),
  };
};

/** Of several processes: the worst of each, which an average would hide. */
function slowestOf(operations: readonly RecentOperation[]): RecentOperation[] {
  const found = new Map<string, RecentOperation>();
  for (const each of operations) {
    const other = found.get(each.operation);
    found.set(
      each.operation,
      other
        ? {
            operation: each.operation,
            count: each.count + other.count,
            medianMs: Math.max(each.medianMs, other.medianMs),
            p95Ms: Math.max(each.p95Ms, other.p95Ms),
            maxMs: Math.max(each.maxMs, other.maxMs),
          }
        : each,
    );
  }
  return [...found.values()].sort((one, other) => other.p95Ms - one.p95Ms).slice(0, shown);
}

async function capacityOf(
  tx: Tx,
  deps: MeasureDeps,
  now: Date,
): Promise<Omit<OperationsState['capacity'], 'clickHouseLagSeconds'>> {
  const { databaseBytes, online, total, silent } = await readSizes(tx, now);
  const days = await store.listCapacity(tx);
  const databaseGrowth = growthOf(days.map(({ day, databaseBytes: bytes }) => ({ day, bytes })));
  // A disk that was replaced or enlarged begins a series of its own.
  const size = days.at(-1)?.sizeBytes;
  const used = growthOf(
    days
      .filter(({ sizeBytes }) => sizeBytes === size)
      .map(({ day, freeBytes, sizeBytes }) => ({ day, bytes: sizeBytes - freeBytes })),
  );
  const disks = (await disksOf(deps)) as OperationsState['capacity']['disks'];
  return {
    databaseBytes,
    bytesPerDay: databaseGrowth ?? null,
    disks: disks.map((disk) => ({ ...disk, daysLeft: disk.volume === 'data' ? (daysLeft(disk.freeBytes, used) ?? null) : null })),
    agentsOnline: online,
    agents: total,
    silentSources: silent,
  };
}

/** In a transaction of its own: within another it would wait for a second connection, which a busy pool lacks. */
export async function clickHouseLag({ config, db, clock }: MeasureDeps): Promise<number | null> {
  if (!config.clickHouse) return null;
  const { since } = await readMoveState(db);
  return since === null ? 0 : Math.max(0, (clock.now() - since) / 1_000);
}
