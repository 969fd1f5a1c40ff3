/** Numbered events, and what a store did wrong with them. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn, uuidColumn } from '../src/core/db/bulk.ts';
import type { Database } from '../src/core/db/connect.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import type { AlertRef } from '../src/domain/alertEvents.ts';
import { eventStore, type NewEvent } from '../src/domain/events/eventStore.ts';

export const batchSize = 40;
const start = Date.UTC(2026, 10, 20);

/** Of several days, in no order of time. */
export function numbered(number: number): NewEvent {
  const hex = hash('md5', `event ${number}`, 'hex');
  const at = start + (Number.parseInt(hex.slice(0, 6), 16) % (3 * 86_400)) * 1_000;
  return {
    id: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    at,
    receivedAt: at,
    clockSkew: 0,
    shape: 'ecs',
    text: `event ${number}`,
    // In the order of jsonb.
    document: { name: hex, number },
  };
}

/** Acknowledged numbers (all below one) that are missing or changed, and numbers that are stored twice. */
export function faultsOf(
  acknowledged: number,
  stored: readonly { text: string; json: string }[],
): { lost: number[]; double: number[] } {
  const counts = new Map<string, number>();
  for (const { text, json } of stored) {
    const key = `${text} ${json}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const keyOf = (number: number) => `event ${number} ${JSON.stringify(numbered(number).document)}`;
  const lost = Array.from({ length: acknowledged }, (_, number) => number).filter((number) => !counts.has(keyOf(number)));
  const double = [...counts].flatMap(([key, count]) => (count > 1 ? [Number(/^event (\d+)/.exec(key)?.[1])] : []));
  return { lost, double };
}

const eventsAnAlert = 8;
/** Alert of a numbered event; neighbours are of several days. */
export function alertOf(number: number): AlertRef {
  const id = Math.floor(number / eventsAnAlert) + 1;
  return { id, at: new Date(start + (id % 3) * 86_400_000 + id * 1_000) };
}

/** Writes a copy of each event to its alert, as raising does. */
export async function copyToAlerts(tx: Tx, organisationId: number, numbers: readonly number[]): Promise<void> {
  const events = numbers.map(numbered);
  const alerts = numbers.map(alertOf);
  await sql`
    insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document, is_recent)
    select ${organisationId}, alert_id, alert_at, event_id, event_at, text, '{"condition":"","items":[]}', document::jsonb, true
    from unnest(${integerColumn(alerts.map(({ id }) => id))}, ${timeColumn(alerts.map(({ at }) => at.getTime()))},
      ${uuidColumn(events.map(({ id }) => id))}, ${timeColumn(events.map(({ at }) => at))}, ${textColumn(events.map(({ text }) => text))},
      ${textColumn(events.map(({ document }) => JSON.stringify(document)))}) as c (alert_id, alert_at, event_id, event_at, text, document)`.execute(
    tx,
  );
}

/** Stores numbered events without end, from a number on; prints a number when the events below it are stored. */
export async function storeNumbered(
  db: Database,
  organisationId: number,
  from: number,
  alongside?: (tx: Tx, organisationId: number, fresh: readonly number[]) => Promise<void>,
): Promise<never> {
  for (let first = from; ; first += batchSize) {
    const numbers = Array.from({ length: batchSize }, (_, n) => first + n);
    await scoped(db, { organisationIds: [organisationId] }, async (tx) => {
      const stored = await eventStore.append(tx, organisationId, numbers.map(numbered));
      const fresh = numbers.filter((number) => stored.has(numbered(number).id));
      if (fresh.length > 0) await alongside?.(tx, organisationId, fresh);
    });
    process.stdout.write(`${first + batchSize}\n`);
  }
}
