/** What a step is: it looks at one event, may ask its batch, and says what becomes of the event. */
import type { Detector } from './detector.ts';
import type { Event } from './event.ts';
import type { Result } from './result.ts';

/** What every step may ask of its batch. */
export interface Batch {
  organisationId: number;
  receivedAt: number;
  /** How long raw events are kept: an older clock is not believed. */
  eventRetentionMs: number;
  detector: Pick<Detector, 'match'>;
  /** Ids already met in this batch. */
  ids: Set<string>;
  /** How often a content was met in this batch. */
  contents: Map<string, number>;
}

export type Step = (event: Event, batch: Batch) => Result;
