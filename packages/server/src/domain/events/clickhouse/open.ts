/** Connects the process to ClickHouse if it is configured. */
import { sql } from 'kysely';
import type { Database } from '../../../core/db/connect.ts';
import { readScoped } from '../../../core/db/scope.ts';
import type { ClickHouseSettings } from './client.ts';
import { useClickHouse } from './connected.ts';

/** Returns how to close it. Throws where events were moved to one that is not configured: every search would miss them. */
export async function openClickHouse(db: Database, settings: ClickHouseSettings | undefined): Promise<() => Promise<void>> {
  if (!settings) {
    const { rows } = await readScoped(db, 'system', (tx) =>
      sql<{ moves: number }>`select number::float8 as moves from event_moves_last where trimmed_before > '-infinity'`.execute(tx),
    );
    if (rows[0]?.moves)
      throw new Error(
        'CLICKHOUSE_URL is not set, but past events were moved to ClickHouse and are nowhere else. Set it to the address that was used before.',
      );
    useClickHouse(undefined);
    return async () => {};
  }
  const { connectClickHouse } = await import('./client.ts');
  const connection = connectClickHouse(settings);
  useClickHouse(connection);
  return async () => {
    useClickHouse(undefined);
    await connection.close();
  };
}
