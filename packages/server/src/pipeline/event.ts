/**
 * An event between shipper and store. Each pipeline step adds fields and removes none, so that analysts can always see the
 * original.
 */

import type { SigmaRule } from '@parapet/sigma/rules.ts';

/** A JSON object as sent by a shipper or as normalised. */
export type Document = Record<string, unknown>;

/** Recognised document shapes; `unknown` is stored and searchable by text. */
export type Shape =
  | 'winlogbeat'
  | 'evtx'
  | 'auditbeat'
  | 'filebeat'
  | 'packetbeat'
  | 'syslog'
  | 'm365'
  | 'entra'
  | 'okta'
  | 'github'
  | 'google'
  | 'cloudtrail'
  | 'guardduty'
  | 'defender'
  | 'defenderxdr'
  | 'crowdstrike'
  | 'sentinelone'
  | 'ecs'
  | 'unknown';

/** Result of normalising one document. */
export interface Normalised {
  shape: Shape;
  /** Time claimed by the event, in milliseconds since 1970 UTC; undefined when it has no readable time. */
  claimedAt: number | undefined;
  /** Elastic Common Schema, nested (`{ process: { name: … } }`); fields outside ECS stay where the shipper put them. */
  document: Document;
  /** Display form of `host.name` or the cloud service; undefined when absent. */
  deviceName: string | undefined;
  /**
   * User that the event is about (`user.name`, with its domain where present: `DOMAIN\
   * ame`, `name@domain`).
   */
  userName: string | undefined;
  /** One-line summary for lists and text search. At most 1,000 characters. */
  text: string;
}

/** One event as received, not yet parsed. */
export interface Arrival {
  /** One line of JSON, or an object from a source without text of its own (syslog). */
  raw: string | Document;
  /** Index that the shipper addressed; part of the document id’s identity. */
  index: string;
  /** The shipper’s own event id, if any. */
  documentId: string | undefined;
  /** Arrival time, when it differs from now: the demo world sends a whole year of shipments at once. */
  receivedAt?: number;
  /** Device fixed by the sender’s key; overrides the device named in the event. */
  deviceName?: string;
  /** Marks the portal’s own events; shippers cannot set it. */
  isPortals?: true;
}

/** A match of a version of a rule in shadow. */
export interface ShadowMatch {
  key: string;
  version: number;
}

/** An arrival on its way through the pipeline; each step fills in its own fields. */
export interface Event {
  readonly arrival: Arrival;
  readonly organisationId: number;
  readonly receivedAt: number;
  document: Document;
  /** Hash of the document id or the content: an event sent twice has the same id. */
  id: string;
  /** Time of the event if its clock is plausible, otherwise its arrival. */
  at: number;
  /** 0 plausible, 1 ahead, -1 older than the retention. */
  clockSkew: 0 | 1 | -1;
  /** True if `at` comes from the event itself: id and time are then unique together. */
  hasOwnTime: boolean;
  /** Time that an event ahead of the clock has of itself; the clock may be what is wrong. */
  aheadAt?: number;
  shape: Shape;
  deviceName: string | undefined;
  userName: string | undefined;
  text: string;
  /** Rules that this event alone matches. */
  matches: readonly SigmaRule[];
  /** Exceptions that hid a match; undefined without any. */
  hiddenBy?: number[];
  /** Versions of rules in shadow that it matches. */
  shadowMatches: readonly ShadowMatch[];
}
