/** Output of the world: bulk requests as posted by real shippers. The server processes them by the service of the HTTP intake. */

/** A JSON object as a shipper sends it. */
export type Document = Record<string, unknown>;

/**
 * Bulk request. `documents` are sources as posted by the shipper; two keys belong to the action line of the bulk body and must be removed
 * first: `_id` (on every document) and, where a relay forwards several shippers, `_index` (overrides the shipment's
 * `index`, as in the Bulk API).
 */
export interface Shipment {
  /** Time of sending in milliseconds since 1970 UTC; never before the newest of its documents. */
  at: number;
  organisationId: number;
  index: string;
  documents: Document[];
}

/** Event that is not part of a shipment yet. */
export interface Emitted {
  /** Event time in milliseconds since 1970 UTC. */
  at: number;
  organisationId: number;
  index: string;
  document: Document;
}

/** Story of a document; kept apart from the documents, for tests. */
export interface StoryLabel {
  story: string;
  /** Counts the story's instances, from 1. */
  instance: number;
  organisationId: number;
}
