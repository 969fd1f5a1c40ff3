/** Numbered events, and what a store did wrong with them. */
import { hash } from 'node:crypto';
import type { Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
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
    document: { number, name: hex },
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

/** Stores numbered events without end, from a number on; prints a number when the events below it are stored. */
export async function storeNumbered(db: Database, organisationId: number, from: number): Promise<never> {
  for (let first = from; ; first += batchSize) {
    const events = Array.from({ length: batchSize }, (_, n) => numbered(first + n));
    await scoped(db, { organisationIds: [organisationId] }, (tx) => eventStore.append(tx, organisationId, events));
    process.stdout.write(`${first + batchSize}\n`);
  }
}
