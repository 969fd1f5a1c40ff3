/** What the world sends: bulk requests as real shippers would post them. The server takes them through the same service as the HTTP intake. */

/** A JSON object as a shipper sends it. */
export type Document = Record<string, unknown>;

/**
 * One bulk request. `documents` are sources as the shipper posts them; two keys belong to the action line of the bulk body and are
 * to be taken off before anything else: `_id` (every document has one) and, where a relay sends what several shippers gave it, `_index`
 * (it overrules the shipment's `index`, as in the Bulk API).
 */
export interface Shipment {
  /** When it is sent, in milliseconds since 1970 UTC; never before the newest of its documents. */
  at: number;
  organisationId: number;
  index: string;
  documents: Document[];
}

/** One event that has not been put into a shipment yet. */
export interface Emitted {
  /** When it happened, in milliseconds since 1970 UTC. */
  at: number;
  organisationId: number;
  index: string;
  document: Document;
}

/** Which story a document belongs to; kept apart from the documents, for tests. */
export interface StoryLabel {
  story: string;
  /** Counts the story's instances, from 1. */
  instance: number;
  organisationId: number;
}
