/** Size and growth of stored events. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { dayMs } from '../ranges.ts';

export interface EventSize {
  bytes: number;
  /** Of what arrived in the last days, or since the first event; null without events. */
  bytesPerDay: number | null;
}

const growthDays = 7;
const blockBytes = sql<number>`pg_column_size(body) + pg_column_size(ids) + pg_column_size(tokens) + pg_column_size(minutes)`;

/** Bytes as stored, without indexes and free space. */
export async function sizeOfEvents(tx: Tx, scope: Scope, now: number): Promise<EventSize> {
  const { rows } = await sql<{ bytes: number; recent: number; first: Date | null }>`
    select coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(bytes) filter (where received >= ${new Date(now - growthDays * dayMs)}), 0)::float8 as recent,
      min(first) as first
    from (
      select ${blockBytes} as bytes, last_received_at as received, first_received_at as first from event_blocks where ${within('organisation_id', scope)} and archive_file_id is null
      union all
      select pg_column_size(e), e.received_at, e.received_at from event_rows e where ${within('organisation_id', scope)}
    ) b`.execute(tx);
  const { bytes, recent, first } = rows[0] ?? { bytes: 0, recent: 0, first: null };
  if (!first) return { bytes, bytesPerDay: null };
  const days = Math.min(Math.max((now - first.getTime()) / dayMs, 1), growthDays);
  return { bytes, bytesPerDay: Math.round(recent / days) };
}
