/** Data held of an organisation, as stored now. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { eventStore } from '../../domain/events/eventStore.ts';

interface Held {
  count: number;
  oldest: string | null;
}

async function heldIn(tx: Tx, table: string, column: string, id: number): Promise<Held> {
  const { rows } = await sql<{ count: number; oldest: Date | null }>`
    select count(*)::float8 as count, min(${sql.ref(column)}) as oldest from ${sql.table(table)} where organisation_id = ${id}`.execute(
    tx,
  );
  return { count: rows[0]?.count ?? 0, oldest: rows[0]?.oldest?.toISOString() ?? null };
}

export async function findHeld(tx: Tx, id: number): Promise<Record<'events' | 'alerts' | 'cases', Held>> {
  const [events, alerts, cases] = await Promise.all([
    eventStore.held(tx, id),
    heldIn(tx, 'alerts', 'at', id),
    heldIn(tx, 'cases', 'created_at', id),
  ]);
  return { events, alerts, cases };
}
