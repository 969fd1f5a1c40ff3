/** A lock that one process of an installation holds for as long as it lives, by a session of its own: it ends with the process. */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isDatabaseAway } from './failures.ts';

export interface HeldLock {
  release(): Promise<void>;
}

/** Undefined when another process holds it. `onLost` is called when the lock is lost without being released. */
export async function holdLock(url: string, key: number, onLost: () => void): Promise<HeldLock | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'portal lock', keepAlive: true });
  let isReleased = false;
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(7303, $1) as taken', [key]);
  if (!rows[0]?.taken) {
    await client.end();
    return undefined;
  }
  client.on('end', () => {
    if (!isReleased) onLost();
  });
  return {
    async release() {
      isReleased = true;
      await client.end().catch(() => undefined);
    },
  };
}

const seekAgainMs = 3_000;

/**
 * Runs `work` in one process of the installation at a time, the holder of the lock; `until` aborts when the lock is lost or `closing` aborts.
 * Waits while another process holds it, and seeks it again when the database was away. Throws what `work` throws for any other reason.
 */
export async function withExclusiveLock(
  url: string,
  key: number,
  closing: AbortSignal,
  work: (until: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!closing.aborted) {
    const lost = new AbortController();
    let lock: HeldLock | undefined;
    try {
      lock = await holdLock(url, key, () => lost.abort());
      const until = AbortSignal.any([closing, lost.signal]);
      // Closed or lost while the lock was requested.
      if (lock && !until.aborted) await work(until);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
    } finally {
      await lock?.release();
    }
    await pause(seekAgainMs, undefined, { signal: closing }).catch(() => {});
  }
}
