/** Searches of events at once, of one person and of this process: each holds a connection to the database while it reads. */
import { problem } from '@parapet/contract/problem.ts';
import type { Actor } from '../../core/http/actor.ts';

/** A page needs up to three. */
const maxOfPerson = 4;
/** Half of the connections (application.ts). */
const maxOfProcess = 10;
const retrySeconds = 2;

export type SearchLimits = ReturnType<typeof createSearchLimits>;

export function createSearchLimits() {
  const running = new Map<number, number>();
  let total = 0;
  return {
    /** Throws tooManyRequests above the limits. */
    async run<T>({ userId }: Pick<Actor, 'userId'>, search: () => Promise<T>): Promise<T> {
      const own = running.get(userId) ?? 0;
      if (own >= maxOfPerson)
        throw problem.tooManyRequests(
          `You have ${maxOfPerson} event searches running. Wait until one has ended, or cancel one, and search again.`,
          retrySeconds,
        );
      if (total >= maxOfProcess)
        throw problem.tooManyRequests('Too many event searches are running. Search again in a few seconds.', retrySeconds);
      running.set(userId, own + 1);
      total++;
      try {
        return await search();
      } finally {
        total--;
        const left = (running.get(userId) ?? 1) - 1;
        if (left > 0) running.set(userId, left);
        else running.delete(userId);
      }
    },
  };
}
