/** Threat intelligence: lists of addresses, domains and hashes with what is known of them. The portal's own, for all clients. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, name, results } from './primitives.ts';

export const indicatorKinds = ['ip', 'domain', 'hash'] as const;
export type IndicatorKind = (typeof indicatorKinds)[number];
export const intelligenceFormats = ['csv', 'misp', 'stix'] as const;

export const intelligenceList = z.object({
  id: z.number().int().describe('Names the list.'),
  name: name.describe('What it is called.'),
  format: z.enum(intelligenceFormats).describe('What it was imported from: CSV, MISP JSON or a STIX 2.1 bundle.'),
  count: count.describe('Indicators in it.'),
  importedTime: instant.describe('When it was imported last.'),
});
export type IntelligenceList = z.infer<typeof intelligenceList>;

export const intelligenceApi = {
  list: endpoint({
    id: 'intelligence.list',
    method: 'GET',
    path: '/intelligence',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Lists of threat intelligence.',
    answer: results(intelligenceList, 1000),
  }),
  import: endpoint({
    id: 'intelligence.import',
    method: 'POST',
    path: '/intelligence/:name/:format',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Imports a list; one of the same name is replaced whole.',
    params: z.object({
      name: name.describe('What the list is called.'),
      format: z.enum(intelligenceFormats).describe('csv (value, reputation, kind), misp or stix.'),
    }),
    upload: {
      types: ['text/csv', 'application/octet-stream', 'application/stix+json', 'text/plain'],
      maxBytes: 32 * 1024 * 1024,
    },
    answer: z.object({
      list: intelligenceList.describe('The list.'),
      skipped: count.describe('Entries that are no address, domain or hash.'),
      faults: z.array(line).max(20).describe('Why, for the first of them.'),
    }),
  }),
  remove: endpoint({
    id: 'intelligence.remove',
    method: 'DELETE',
    path: '/intelligence/:id',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Takes a list away.',
    params: z.object({ id: id.describe('The list.') }),
    answer: nothing,
  }),
};
