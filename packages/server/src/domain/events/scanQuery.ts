/** Search of a scan. */
import type { BlockQuery } from './blockRows.ts';
import type { StoredEvent } from './storedEvent.ts';

/** The part of an event that its head holds. */
export type Head = Pick<StoredEvent, 'organisationId' | 'id' | 'at' | 'receivedAt' | 'deviceName' | 'userName'>;

export interface ScanQuery extends BlockQuery {
  /** Only events after this one in the order of the scan; without an id, those of an earlier time. */
  before?: { at: number; id?: string | undefined } | undefined;
  /** Texts that every event contains, in lower case (contract/rules/kql/literals.ts). */
  substrings?: readonly string[] | undefined;
  fits?: ((head: Head) => boolean) | undefined;
  /** Without documents, which then read as null. */
  isOfHeads?: boolean | undefined;
  /** `performance.now()` after which the scan throws TookTooLongError. */
  deadline?: number | undefined;
}
