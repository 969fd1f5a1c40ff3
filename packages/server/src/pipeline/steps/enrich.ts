/** Adds what the shipper cannot supply: organisation, id, arrival time, plausibility of the clock, country and network of addresses. */
import type { Event } from '../event.ts';
import { fillPlaces } from '../places.ts';
import { ok, type Result } from '../result.ts';

/** Numbers that JavaScript cannot represent exactly: the original line is then stored with the parsed document. */
const losesDigits = /[:[,]\s*-?(?:\d{16}|[\d.]+[eE]\+?\d{3})/;

export function enrich(event: Event): Result {
  const { document } = event;
  document.organization = { id: String(event.organisationId) };
  const inner = document.event;
  const ecsEvent: Record<string, unknown> =
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Record<string, unknown>) : {};
  if (inner !== undefined && inner !== ecsEvent) ecsEvent.original = inner;
  ecsEvent.id ??= event.id;
  ecsEvent.ingested = new Date(event.receivedAt).toISOString();
  const { raw } = event.arrival;
  if (typeof raw === 'string' && losesDigits.test(raw)) ecsEvent.original ??= raw;
  document.event = ecsEvent;
  fillPlaces(document);
  if (event.clockSkew !== 0) document.clock_skew = event.clockSkew === 1 ? 'future' : 'past';
  return ok;
}
