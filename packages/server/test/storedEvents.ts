/** Stored events as rows, and events to be searched. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Scope, Tx } from '../src/core/db/scope.ts';
import { eventStore } from '../src/domain/events/eventStore.ts';

export interface EventRow {
  organisation_id: number;
  at: Date;
  id: string;
  received_at: Date;
  clock_skew: number;
  shape: string;
  device_name: string | null;
  user_name: string | null;
  text: string;
  document: Record<string, unknown>;
}

/** Oldest first; of every organisation that the transaction sees, or of one. */
export async function eventRows(tx: Tx, organisationId?: number): Promise<EventRow[]> {
  const scope: Scope = organisationId === undefined ? 'system' : { organisationIds: [organisationId] };
  const all = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  const { rows } = await sql<EventRow>`select * from ${eventStore.table(scope, all)} e order by at, id`.execute(tx);
  return rows;
}

export type PutEvent = Partial<Omit<EventRow, 'at' | 'received_at' | 'document'>> & {
  at: Date | number;
  received_at?: Date | number;
  document?: object;
};

export async function putEvents(tx: Tx, organisationId: number, events: readonly PutEvent[]): Promise<void> {
  await eventStore.append(
    tx,
    organisationId,
    events.map(
      ({
        at,
        id = randomUUID(),
        received_at = at,
        clock_skew = 0,
        shape = 'syslog',
        text = 'something',
        document = {},
        ...names
      }) => ({
        id,
        at: Number(at),
        receivedAt: Number(received_at),
        clockSkew: clock_skew,
        shape,
        deviceName: names.device_name,
        userName: names.user_name,
        text,
        document: document as Record<string, unknown>,
      }),
    ),
  );
}
