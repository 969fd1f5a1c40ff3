/** Lines of one organisation that wait to be stored, for transports without acknowledgement. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import type { Arrival } from '../../pipeline/event.ts';
import type { IngestService } from './ingest.service.ts';

export interface QueueDeps {
  ingest: IngestService;
  /** True for an active organisation; lines of deactivated ones are not stored. */
  isTakingIn: (organisationId: number) => Promise<boolean>;
  log: Log;
  isClosing: boolean;
}

export interface QueueHooks {
  /** Called before storing and after it. */
  busy?: () => void;
  free?: () => void;
  deactivated?: () => void;
  stored?: (count: number) => void;
}

const maxLinesABatch = 1_000;
const gatherMs = 100;

export type LineQueue = ReturnType<typeof createQueue>;

/** @param deps read again at each attempt, because `isClosing` ends the attempts */
export function createQueue(deps: QueueDeps, organisationId: number, { busy, free, deactivated, stored }: QueueHooks = {}) {
  const { ingest, log } = deps;
  let waiting: { arrival: Arrival; length: number }[] = [];
  /** Characters. */
  let waitingLength = 0;
  /** Dropped lines by reason; counted with the next batch. */
  let dropped = new Map<string, number>();
  let storing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const drop = (reason: string, count: number) => {
    dropped.set(reason, (dropped.get(reason) ?? 0) + count);
    soon();
  };
  const soon = () => {
    if (waiting.length >= maxLinesABatch) void store();
    else if (!timer && !storing) timer = setTimeout(() => void store(), gatherMs);
  };
  const storeAll = async () => {
    busy?.();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxLinesABatch);
      waiting = waiting.slice(maxLinesABatch);
      const outcome = await storeBatch(
        deps,
        organisationId,
        batch.map(({ arrival }) => arrival),
      );
      if (outcome === 'closing') return;
      waitingLength -= batch.reduce((sum, { length }) => sum + length, 0);
      if (outcome === 'stored') stored?.(batch.length);
      if (outcome === 'deactivated') {
        drop('deactivated organisation', batch.length);
        deactivated?.();
      }
    }
    if (dropped.size > 0) {
      const counts = dropped;
      dropped = new Map();
      await ingest.drop(organisationId, counts).catch((error) => {
        for (const [reason, count] of counts) dropped.set(reason, (dropped.get(reason) ?? 0) + count);
        log.warn({ err: error, organisationId }, 'dropped syslog lines could not be counted; trying again');
      });
    }
    free?.();
  };
  const store = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    storing ??= storeAll().finally(() => {
      storing = undefined;
      if (!deps.isClosing && waiting.length + dropped.size > 0) soon();
    });
    return storing;
  };

  return {
    add(arrival: Arrival, length: number): void {
      waiting.push({ arrival, length });
      waitingLength += length;
      soon();
    },
    drop,
    /** Stores what waits; resolves when nothing does. */
    store,
    waitingLength: () => waitingLength,
  };
}

/** Repeats until the lines are stored, unless their organisation is deactivated or the listener closes. */
async function storeBatch(
  deps: QueueDeps,
  organisationId: number,
  batch: readonly Arrival[],
): Promise<'stored' | 'deactivated' | 'closing'> {
  const { ingest, log } = deps;
  for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
    try {
      if (!(await deps.isTakingIn(organisationId))) return 'deactivated';
      await ingest.inTurn(() => ingest.take(organisationId, batch), organisationId);
      return 'stored';
    } catch (error) {
      if (deps.isClosing) return 'closing';
      log.warn({ err: error, organisationId }, 'syslog lines could not be stored; trying again');
      await pause(wait);
    }
  }
}
