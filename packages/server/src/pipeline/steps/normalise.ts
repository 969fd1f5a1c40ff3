/**
 * Converts the event to ECS and determines its time. A timestamp ahead of now, or so old that retention would delete the
 * event at once, is implausible: such an event is stored under its arrival time and marked; the claimed time stays in the
 * document.
 */
import type { Event } from '../event.ts';
import { normalise } from '../normalise/normalise.ts';
import { ok, type Result } from '../result.ts';
import type { Batch } from '../step.ts';

/** Tolerated clock skew; timestamps further ahead are implausible. */
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
  if (claimed > event.receivedAt + toleranceMs) {
    event.clockSkew = 1;
    event.aheadAt = claimed;
  } else if (claimed < event.receivedAt - batch.eventRetentionMs) event.clockSkew = -1;
  else {
    event.at = claimed;
    event.hasOwnTime = true;
  }
  return ok;
}
