/**
 * Drops events repeated within a batch, as after a shipper’s retry. Duplicates of earlier batches are found by the event
 * writer.
 */
import type { Event } from '../event.ts';
import { drop, ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

export function dedupe(event: Event, batch: Batch): Result {
  if (batch.ids.has(event.id)) return drop('duplicate');
  batch.ids.add(event.id);
  return ok;
}
