/**
 * Derives the event id: a hash of the shipper’s own id if present, otherwise of the content. Equal contents in one batch are
 * numbered, so that two equal lines are two events and a batch sent again yields the same ids. SHA-256, so that collisions
 * cannot be constructed.
 */
import { hash } from 'node:crypto';
import type { Event } from '../event.ts';
import { ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

export function identify(event: Event, batch: Batch): Result {
  const { documentId, index, raw } = event.arrival;
  if (documentId !== undefined) {
    event.id = eventIdOf(index, documentId);
    return ok;
  }
  const content = hash('sha256', typeof raw === 'string' ? raw : JSON.stringify(raw), 'hex');
  const before = batch.contents.get(content) ?? 0;
  batch.contents.set(content, before + 1);
  event.id = before === 0 ? asUuid(content) : uuidOf(`${content}\u0000${before}`);
  return ok;
}

/** Id of an event that its shipper named. */
export const eventIdOf = (index: string, documentId: string): string => uuidOf(`id\u0000${index}\u0000${documentId}`);

const uuidOf = (text: string): string => asUuid(hash('sha256', text, 'hex'));

const asUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
