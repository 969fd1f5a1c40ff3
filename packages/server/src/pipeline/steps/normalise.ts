/**
 * The event in ECS, and when it happened. A clock that is ahead of ours, or so far behind that the event would be gone at once, is not
 * believed: such an event is kept under the time of its arrival and marked; what it claimed stays in the document.
 */
import type { Event } from '../event.ts';
import { normalise } from '../normalise/normalise.ts';
import { ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

/** Clocks differ a little; more than this ahead is not believed. */
const toleranceMs = 5 * 60_000;

export function normaliseStep(event: Event, batch: Batch): Result {
  const normalised = normalise(event.document, event.receivedAt);
  event.document = normalised.document;
  event.shape = normalised.shape;
  event.deviceName = event.arrival.deviceName ?? normalised.deviceName;
  event.userName = normalised.userName;
  event.text = normalised.text;
  const claimed = normalised.claimedAt;
  if (claimed === undefined || !Number.isFinite(claimed)) return ok;
  if (claimed > event.receivedAt + toleranceMs) event.clockSkew = 1;
  else if (claimed < event.receivedAt - batch.eventRetentionMs) event.clockSkew = -1;
  else {
    event.at = claimed;
    event.hasOwnTime = true;
  }
  return ok;
}
