/** A lock that one process of an installation holds for as long as it lives, by a session of its own: it ends with the process. */
import pg from 'pg';

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
