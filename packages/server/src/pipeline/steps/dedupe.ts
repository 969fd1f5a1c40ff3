/** Shippers send again after a failure, some two or three times in one batch. What other batches brought is found when the batch is kept. */
import type { Event } from '../event.ts';
import { drop, ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

export function dedupe(event: Event, batch: Batch): Result {
  if (batch.ids.has(event.id)) return drop('duplicate');
  batch.ids.add(event.id);
  return ok;
}
