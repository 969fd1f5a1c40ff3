/** Heartbeat of this process: a row with its figures every fifteen seconds, and once a minute the size of the installation. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isDatabaseAway, scoped } from '../../core/db/scope.ts';
import type { Close, Platform } from '../../core/feature.ts';
import { portalVersion } from '../../core/version.ts';
import { disksOf, readSizes } from './operations.measure.ts';
import { createFigures } from './processes.figures.ts';
import * as store from './processes.store.ts';

const everyMs = 15_000;
const capacityEach = 4;

export type HeartbeatDeps = Pick<Platform, 'config' | 'db' | 'clock' | 'metrics' | 'log'>;

export function createHeartbeat(deps: HeartbeatDeps) {
  const { config, db, clock, log } = deps;
  const figures = createFigures(deps);
  const own = {
    id: randomUUID(),
    host: hostname().slice(0, 200),
    pid: process.pid,
    roles: [...config.roles],
    version: portalVersion,
    node: process.versions.node,
    isSafeMode: config.isSafeMode,
    startedAt: new Date(clock.now() - performance.now()),
  };
  let count = 0;
  return {
    async beat(): Promise<void> {
      const row = { ...own, figures: figures.read() };
      const isMeasuring = config.roles.includes('worker') && count++ % capacityEach === 0;
      const [disk] = isMeasuring ? await disksOf(deps) : [];
      await scoped(db, 'system', async (tx) => {
        await store.saveProcess(tx, row);
        if (!isMeasuring) return;
        const now = new Date(clock.now());
        const { databaseBytes } = await readSizes(tx, now);
        const sizes = { freeBytes: disk?.freeBytes ?? 0, sizeBytes: disk?.sizeBytes ?? 0 };
        await store.saveCapacity(tx, { day: now.toISOString().slice(0, 10), databaseBytes, ...sizes });
      });
    },
    async end(): Promise<void> {
      figures.close();
      await scoped(db, 'system', (tx) => store.removeProcess(tx, own.id)).catch((error) => {
        if (!isDatabaseAway(error)) log.warn({ err: error }, 'the entry of this process could not be removed');
      });
    },
  };
}

export function startHeartbeat(deps: HeartbeatDeps): Close {
  const heartbeat = createHeartbeat(deps);
  let beating: Promise<void> = Promise.resolve();
  const beat = () => {
    beating = heartbeat.beat().catch((error) => {
      if (!isDatabaseAway(error)) deps.log.warn({ err: error }, 'the entry of this process could not be saved');
    });
  };
  const timer = setInterval(beat, everyMs).unref();
  beat();
  return async () => {
    clearInterval(timer);
    await beating;
    await heartbeat.end();
  };
}
