/** State of the demo world, stored beside the installation’s secrets: begun, how far, done. */
import type { Brand } from '@parapet/contract/brand.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { readStoredState, writeStoredState } from '../../domain/storedState.ts';

const stateName = 'demo.world';
const writeEveryMs = 1_000;
/** Older progress is of a process that stopped: its estimate no longer holds. */
const staleMs = 15_000;

export interface DemoState {
  /** End of the history. */
  now: number;
  isDone: boolean;
  progress?: StoredProgress;
}

interface StoredProgress {
  stage: string;
  /** 0 to 1. */
  part: number;
  /** Milliseconds, from the time that the part took. */
  msLeft: number;
  /** Time of writing. */
  at: number;
}

export const readState = (tx: Tx): Promise<DemoState | undefined> => readStoredState<DemoState>(tx, stateName);
export const writeState = (tx: Tx, state: DemoState): Promise<void> => writeStoredState(tx, stateName, state);

type ShownProgress = NonNullable<NonNullable<Brand['demo']>['progress']>;

/** Progress for pages; null when the world is complete. Its people exist with the first state. */
export function shownProgress(state: DemoState | undefined, now: number): ShownProgress | null {
  if (state?.isDone) return null;
  const { progress } = state ?? {};
  if (!progress)
    return { stage: 'Creating organisations and people', percent: 0, secondsLeft: null, canSignIn: state !== undefined };
  const age = now - progress.at;
  const isKnown = age < staleMs && Number.isFinite(progress.msLeft);
  return {
    stage: progress.stage,
    percent: Math.min(99, Math.floor(progress.part * 100)),
    secondsLeft: isKnown ? Math.max(1, Math.ceil((progress.msLeft - age) / 1000)) : null,
    canSignIn: true,
  };
}

interface ProgressDeps {
  db: Database;
  wallClock: Clock;
  log: Log;
}

/** Stores the progress at most once per second. A failed write is logged: the next one follows. */
export function createProgress({ db, wallClock, log }: ProgressDeps, state: DemoState) {
  const startedAt = wallClock.now();
  let writtenAt = 0;
  let writing = Promise.resolve();
  let isWriting = false;
  return {
    note(stage: string, part: number): void {
      const at = wallClock.now();
      if (isWriting || at - writtenAt < writeEveryMs) return;
      writtenAt = at;
      isWriting = true;
      const progress = { stage, part, msLeft: part > 0 ? ((at - startedAt) * (1 - part)) / part : Number.MAX_SAFE_INTEGER, at };
      writing = scoped(db, 'system', (tx) => writeState(tx, { ...state, progress }), { isForgettable: true })
        .catch((error) => log.warn({ err: error }, 'could not store the progress of the demo world'))
        .finally(() => {
          isWriting = false;
        });
    },
    /** Resolves when no write is under way. */
    settled: () => writing,
  };
}
