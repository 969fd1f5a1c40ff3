/** Number, age, size and growth of stored events by organisation, without those brought back from the archive. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { bytesPerEvent, sizesMoved } from './clickhouse/read.ts';
import { andHere, readSplit } from './split.ts';

export interface EventSize {
  events: number;
  oldest: string | null;
  /** As stored, without indexes and free space. */
  bytes: number;
  /** Of what arrived in the last days, or since the first event; null without events. */
  bytesPerDay: number | null;
}

export const noEvents: EventSize = { events: 0, oldest: null, bytes: 0, bytesPerDay: null };

const growthDays = 7;
const blockBytes = sql<number>`pg_column_size(body) + pg_column_size(ids) + pg_column_size(tokens) + pg_column_size(minutes)`;

interface Row {
  id: number;
  events: number;
  bytes: number;
  recent: number;
  oldest: Date;
  first: Date;
}

/** Organisations without events are missing. */
export async function sizesOfEvents(tx: Tx, scope: Scope, now: number): Promise<Map<number, EventSize>> {
  const moved = clickHouse();
  const split = await readSplit(tx);
  const { rows } = await sql<Row>`
    select organisation_id as id, sum(count)::float8 as events, sum(bytes)::float8 as bytes, min(oldest) as oldest, min(first) as first,
      coalesce(sum(bytes) filter (where received >= ${new Date(now - growthDays * dayMs)}), 0)::float8 as recent
    from (
      select organisation_id, count, ${blockBytes} as bytes, first_at as oldest, last_received_at as received, first_received_at as first
      from event_blocks b where ${within('organisation_id', scope)} and archive_file_id is null${andHere(split)}
      union all
      select organisation_id, 1, pg_column_size(e), e.at, e.received_at, e.received_at from event_rows e where ${within('organisation_id', scope)}
    ) b group by organisation_id`.execute(tx);
  const all = new Map(
    rows.map(({ oldest, first, ...row }) => [row.id, { ...row, oldest: oldest.getTime(), first: first.getTime() }]),
  );
  if (moved && split) {
    const past = await sizesMoved(moved, scope, split, now - growthDays * dayMs);
    const bytesOfEvent = past.length > 0 ? await bytesPerEvent(moved) : 0;
    for (const { organisationId: id, events, oldest, firstReceived, recent } of past) {
      const own = all.get(id) ?? { id, events: 0, bytes: 0, recent: 0, oldest, first: firstReceived };
      all.set(id, {
        id,
        events: own.events + events,
        bytes: own.bytes + Math.round(events * bytesOfEvent),
        recent: own.recent + Math.round(recent * bytesOfEvent),
        oldest: Math.min(own.oldest, oldest),
        first: Math.min(own.first, firstReceived),
      });
    }
  }
  return new Map(
    [...all.values()].map(({ id, events, bytes, recent, oldest, first }) => {
      const days = Math.min(Math.max((now - first) / dayMs, 1), growthDays);
      return [id, { events, oldest: new Date(oldest).toISOString(), bytes, bytesPerDay: Math.round(recent / days) }];
    }),
  );
}
