/** Threat intelligence: lists of addresses, domains and hashes with their reputation, shared by all clients of the portal. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, name, results } from './primitives.ts';

export const indicatorKinds = ['ip', 'domain', 'hash'] as const;
export type IndicatorKind = (typeof indicatorKinds)[number];
export const intelligenceFormats = ['csv', 'misp', 'stix'] as const;

export const intelligenceList = z.object({
  id: z.number().int().describe('List ID.'),
  name: name.describe('List name.'),
  format: z.enum(intelligenceFormats).describe('Import format: CSV, MISP JSON or a STIX 2.1 bundle.'),
  count: count.describe('Number of indicators.'),
  importedTime: instant.describe('Time of the last import, or of the last successful read of its feed.'),
  isOfFeed: z.boolean().describe('True for the list of a feed, which is neither imported nor removed alone.'),
});
export type IntelligenceList = z.infer<typeof intelligenceList>;

export const intelligenceApi = {
  list: endpoint({
    id: 'intelligence.list',
    route: 'GET /intelligence',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Lists the threat intelligence lists.',
    answer: results(intelligenceList, 1000),
  }),
  import: endpoint({
    id: 'intelligence.import',
    route: 'POST /intelligence/:name/:format',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Imports a list, replacing an existing list of the same name.',
    params: z.object({
      name: name.describe('List name.'),
      format: z.enum(intelligenceFormats).describe('csv (value, reputation, kind), misp or stix.'),
    }),
    upload: {
      types: ['text/csv', 'application/octet-stream', 'application/stix+json', 'text/plain'],
      maxBytes: 32 * 1024 * 1024,
    },
    answer: z.object({
      list: intelligenceList.describe('The list.'),
      skipped: count.describe('Skipped entries that are not an address, domain or hash.'),
      faults: z.array(line).max(20).describe('Reasons of the first skipped rows.'),
    }),
  }),
  remove: endpoint({
    id: 'intelligence.remove',
    route: 'DELETE /intelligence/:id',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Deletes a list.',
    params: z.object({ id: id.describe('List ID.') }),
    answer: nothing,
  }),
};
