/** Pulls without news, stored together: a transaction for each would be a third of the cost of an idle connection. */
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, scoped } from '../../core/db/scope.ts';
import { type Progress, saveProgress, saveQuiet } from './connections.work.store.ts';

/** The end of a turn that brought no event and no warning. */
export type Quiet = Progress & { nextAt: Date; stored: 0; warning: null };

export const isQuiet = (progress: Progress): progress is Quiet =>
  progress.nextAt !== undefined && progress.stored === 0 && progress.warning === null;

interface Waiting {
  progress: Quiet;
  settle(saved: boolean | Promise<boolean>): void;
}

/** Returns a save like `saveProgress`, of which those that come while one is under way share a transaction. */
export function createQuietSaves(db: Database): (progress: Quiet) => Promise<boolean> {
  let waiting: Waiting[] = [];
  let isSaving = false;

  const saveTogether = async (batch: readonly Waiting[]) => {
    const progresses = batch.map(({ progress }) => progress);
    const organisationIds = [...new Set(progresses.map(({ organisationId }) => organisationId))];
    try {
      const saved = await scoped(db, { organisationIds }, (tx) => saveQuiet(tx, progresses));
      for (const { progress, settle } of batch) settle(saved.has(progress.id));
    } catch (error) {
      // A value of one vendor is no error of the others.
      const alone = (progress: Quiet) =>
        scoped(db, { organisationIds: [progress.organisationId] }, (tx) => saveProgress(tx, progress));
      for (const { progress, settle } of batch) settle(isDatabaseAway(error) ? Promise.reject(error) : alone(progress));
    }
  };
  const saveAll = async () => {
    isSaving = true;
    for (let batch = waiting; batch.length > 0; batch = waiting) {
      waiting = [];
      await saveTogether(batch);
    }
    isSaving = false;
  };
  return (progress) =>
    new Promise((settle) => {
      waiting.push({ progress, settle });
      if (!isSaving) void saveAll();
    });
}
