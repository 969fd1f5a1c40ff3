/** Order of concurrent work without clocks: a statement that waits for a lock has reached it. */
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import type { Database } from '../src/core/db/connect.ts';

const waiting = sql`select from pg_locks where not granted
  and pid in (select pid from pg_stat_activity where datname = current_database())`;

/** Resolves once a statement of this database waits for a lock. */
export const untilLocked = (db: Database): Promise<void> =>
  vi.waitFor(async () => expect((await waiting.execute(db.kysely)).rows.length).toBeGreaterThan(0), { timeout: 20_000 });
