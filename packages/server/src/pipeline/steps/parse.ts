/** Text to object, within limits; whatever PostgreSQL could not store is made storable here, before anything is derived from it. */

import type { Document, Event } from '../event.ts';
import { checkLimits, cleanForStorage, greatestDepth, maxFields, needsCleaning } from '../normalise/limits.ts';
import { dead, ok, type Result } from '../result.ts';

export const maxEventBytes = 256 * 1024;

const faults = {
  'too-many-fields': `The event has more than ${maxFields} fields. Send fewer, or leave out what nobody looks for.`,
  'too-deep': `The event is nested more than ${greatestDepth} levels deep. Flatten it before sending.`,
};

export function parse(event: Event): Result {
  const { raw } = event.arrival;
  if (typeof raw === 'string') {
    if (raw.length > maxEventBytes)
      return dead('too-large', `The event is larger than ${maxEventBytes / 1024} KiB. Cut it before sending.`);
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch (error) {
      return dead('not-json', `The line is not JSON: ${(error as Error).message.slice(0, 200)}`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return dead('not-an-object', 'The event is not a JSON object.');
    event.document = value as Document;
    const fault = checkLimits(event.document);
    if (fault !== 'ok') return dead(fault, faults[fault]);
    if (needsCleaning(raw)) cleanForStorage(event.document);
    return ok;
  }
  event.document = raw;
  const fault = checkLimits(event.document);
  if (fault !== 'ok') return dead(fault, faults[fault]);
  cleanForStorage(event.document);
  return ok;
}
