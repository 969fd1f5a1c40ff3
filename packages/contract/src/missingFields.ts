/** Fields that rules read and no event has. */
import { z } from 'zod';
import { count, instant, line, name } from './primitives.ts';

export const connectorNames = z.array(name).max(6).describe('Collectors and connectors that bring it; empty if none is known.');

export const missingField = z.object({
  field: line.describe('Field, as rules name it.'),
  logSource: line.describe('Log source.'),
  code: name.nullable().describe('Event ID or action of these events; null for all of the log source.'),
  lastSeenTime: instant.nullable().describe('Newest event with it; null if it was never seen.'),
  events: count.describe('Sampled events without it since.'),
  sinceTime: instant.describe('Start of the sampling.'),
  connectors: connectorNames,
});
export type MissingField = z.infer<typeof missingField>;
