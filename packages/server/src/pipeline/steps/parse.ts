/**
 * Parses text into an object within limits, and replaces whatever PostgreSQL cannot store before anything is derived from
 * it.
 */

import type { Document, Event } from '../event.ts';
import { checkLimits, cleanForStorage, greatestDepth, maxFields, needsCleaning } from '../normalise/limits.ts';
import { dead, ok, type Result } from '../result.ts';

export const maxEventBytes = 256 * 1024;

const messages = {
  'too-many-fields': `The event has more than ${maxFields} fields. Remove fields that are not needed.`,
  'too-deep': `The event is nested more than ${greatestDepth} levels deep. Flatten it before sending.`,
};

export function parse(event: Event): Result {
  const { raw } = event.arrival;
  if (typeof raw === 'string') {
    if (raw.length > maxEventBytes)
      return dead('too-large', `The event is larger than ${maxEventBytes / 1024} KiB. Truncate it before sending.`);
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch (error) {
      return dead('not-json', `The line is not JSON: ${(error as Error).message.slice(0, 200)}`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return dead('not-an-object', 'The event is not a JSON object.');
    event.document = value as Document;
    const violation = checkLimits(event.document);
    if (violation !== 'ok') return dead(violation, messages[violation]);
    if (needsCleaning(raw)) cleanForStorage(event.document);
    return ok;
  }
  event.document = raw;
  const violation = checkLimits(event.document);
  if (violation !== 'ok') return dead(violation, messages[violation]);
  cleanForStorage(event.document);
  return ok;
}
