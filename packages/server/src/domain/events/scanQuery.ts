/** Searches of stored events. */
import type { TextFilter } from './block.textFilter.ts';
import type { BlockQuery } from './blockRows.ts';
import type { StoredEvent } from './storedEvent.ts';

/** The part of an event that its head holds. */
export type Head = Pick<StoredEvent, 'organisationId' | 'id' | 'at' | 'receivedAt' | 'deviceName' | 'userName'>;

export interface ScanQuery extends BlockQuery {
  /** Only events after this one in the order of the scan; without an id, those of another time. */
  before?: { at: number; id?: string | undefined } | undefined;
  /** Texts that every event contains, in lower case (contract/rules/kql/literals.ts). */
  substrings?: readonly string[] | undefined;
  /** Rules out events of blocks before they are read; those of other sources are visited all the same. */
  texts?: TextFilter | undefined;
  /** Called with the time of each event that `texts` ruled out, in the order of blocks. */
  onRuledOut?: ((at: number) => void) | undefined;
  fits?: ((head: Head) => boolean) | undefined;
  /** Without documents, which then read as null. */
  isOfHeads?: boolean | undefined;
  /** Tests events while their block is open; those that pass are visited without documents, which would hold it in memory. */
  counted?: ((event: StoredEvent) => boolean) | undefined;
  /** Default: the newest first. */
  isOldestFirst?: boolean | undefined;
  /** `performance.now()` after which the scan ends with its place, once there is one. */
  stopAt?: number | undefined;
  /** `performance.now()` after which the scan throws TookTooLongError. */
  deadline?: number | undefined;
  /** Ends the scan early. */
  signal?: AbortSignal | undefined;
}

/** The newest events of a time, of some devices by their exact names. */
export interface EventQuery {
  /** Inclusive; `end` exclusive. */
  start: number;
  end: number;
  devices?: readonly string[] | undefined;
  /** More than 200,000 in all throw TookTooLongError. */
  limit?: number | undefined;
}

/** Events over time. */
export interface EventCounts {
  /** Inclusive; `end` exclusive. */
  start: number;
  end: number;
  bucketMs: number;
}
