/**
 * An event on its road from a shipper to the store. Each step of the pipeline adds what it learned; nothing is taken away, so that
 * an analyst can always see what was sent.
 */

import type { SigmaRule } from '@parapet/sigma/rules.ts';

/** A JSON object as a shipper sent it, or as we shaped it. */
export type Document = Record<string, unknown>;

/** The shapes we know; `unknown` is kept and can be found by its text. */
export type Shape =
  | 'winlogbeat'
  | 'evtx'
  | 'auditbeat'
  | 'filebeat'
  | 'packetbeat'
  | 'syslog'
  | 'm365'
  | 'entra'
  | 'ecs'
  | 'unknown';

/** What one call of `normalise` makes of one document. */
export interface Normalised {
  shape: Shape;
  /** The time that the event claims for itself, in milliseconds since 1970 UTC; undefined when it names none that can be read. */
  claimedAt: number | undefined;
  /** Elastic Common Schema, nested (`{ process: { name: … } }`); fields that ECS does not know are kept where the shipper put them. */
  document: Document;
  /** `host.name` (or the cloud service) that the event speaks of, as shown to people; undefined when it names none. */
  deviceName: string | undefined;
  /** The user that the event is about (`user.name`, with its domain where there is one: `DOMAIN\name`, `name@domain`). */
  userName: string | undefined;
  /** One line for people: what happened, for lists and for search by text. At most 1,000 characters. */
  text: string;
}

/** What a shipper handed over: one event, still unread. */
export interface Arrival {
  /** The event as text, one line of JSON; or already an object, from a source that has no text of its own (syslog). */
  raw: string | Document;
  /** The index that the shipper wanted to write to; part of a document id's meaning. */
  index: string;
  /** The shipper's own id of the event, when it gave one. */
  documentId: string | undefined;
  /** When it arrived, where that is not now: the demo world sends many shipments of its year at once. */
  receivedAt?: number;
  /** Of which device it is, where the sender’s key says so; what the event claims does not count then. */
  deviceName?: string;
  /** The portal says it itself; no shipper can. */
  isPortals?: true;
}

/** An arrival on its way through the steps; each step fills in what it is for. */
export interface Event {
  readonly arrival: Arrival;
  readonly organisationId: number;
  readonly receivedAt: number;
  document: Document;
  /** A hash of the document id, or of the content: the same event sent twice has the same id. */
  id: string;
  /** When it happened, as far as its own clock can be believed; else when it arrived. */
  at: number;
  /** 0 believed, 1 its clock was ahead, -1 behind what is kept. */
  clockSkew: 0 | 1 | -1;
  /** Whether `at` is the event's own: then its id and time are unique together. */
  hasOwnTime: boolean;
  shape: Shape;
  deviceName: string | undefined;
  userName: string | undefined;
  text: string;
  /** Rules that the event alone fulfils. */
  matches: readonly SigmaRule[];
}
