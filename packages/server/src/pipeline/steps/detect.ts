/** Finds the rules that this event alone matches. Rules over several events are evaluated by the event writer. */
import type { Event } from '../event.ts';
import { ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

export function detect(event: Event, batch: Batch): Result {
  event.matches = batch.detector.match(event.document, event.arrival.isPortals, (exceptionId) => {
    event.hiddenBy ??= [];
    event.hiddenBy.push(exceptionId);
  });
  event.shadowMatches = batch.detector.matchShadow(event.document);
  return ok;
}
