/** Which rules this event fulfils by itself. Rules that need several events are answered when the batch is kept. */
import type { Event } from '../event.ts';
import { ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

export function detect(event: Event, batch: Batch): Result {
  event.matches = batch.detector.match(event.document, event.arrival.isPortals);
  return ok;
}
