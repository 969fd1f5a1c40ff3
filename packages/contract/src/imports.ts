/** Imports: files of events for incident work, stored as if a shipper had sent them, with their own times. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { eventMapping } from './eventMapping.ts';
import { count, id, instant, line, name, nameLine, organisationId, results } from './primitives.ts';

export const importFormats = ['evtx', 'ndjson', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

const format = z
  .enum(importFormats)
  .describe('evtx: Windows events as JSON by evtx_dump or Get-WinEvent; ndjson: JSON objects; csv: rows with a header.');

export const maxImportBytes = 512 * 1024 * 1024;
export const maxImportRecords = 500_000;

export const fileImport = z.object({
  id: z.number().int().describe('Import ID.'),
  clientOrganizationID: organisationId.describe('Organisation of the events.'),
  fileName: name.describe('Name of the file.'),
  format,
  source: name.nullable().describe('Data source of events that name no host.'),
  mapping: eventMapping.nullable().describe('Mapping of the records; null where they are read as a shipper’s.'),
  state: z
    .enum(['waiting', 'running', 'done', 'failed'])
    .describe(
      'failed: the upload broke off; events up to there are stored. A second import adds the rest; events without a time, or retimed, are recognised for an hour.',
    ),
  bytes: count.describe('Bytes read so far.'),
  records: count.describe('Records read so far.'),
  stored: count.describe('Events stored.'),
  retimed: count.describe('Stored events whose time is in the future or before the retention: stored under the time of import.'),
  duplicates: count.describe('Events that were present already.'),
  refused: count.describe('Records that could not be stored.'),
  refusals: z
    .array(z.object({ line: count.describe('Line in the file.'), error: line.describe('Reason.') }))
    .max(100)
    .describe('The first refused records.'),
  failure: line.describe('Reason of the failure; empty otherwise.'),
  createdBy: name.describe('Person who imported.'),
  createdAt: instant.describe('Start.'),
  endedAt: instant.nullable().describe('End.'),
});
export type FileImport = z.infer<typeof fileImport>;

const ofClient = z.object({ client: id.describe('The client.') });

export const importsApi = {
  list: endpoint({
    id: 'imports.list',
    route: 'GET /imports/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the newest 200 imports of a client.',
    params: ofClient,
    answer: results(fileImport, 200),
  }),
  create: endpoint({
    id: 'imports.create',
    route: 'POST /imports/:client',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Prepares an import; the file follows within ten minutes.',
    params: ofClient,
    body: z.object({
      fileName: nameLine.describe('Name of the file.'),
      format,
      source: nameLine.nullable().default(null).describe('Data source of events that name no host; null for none.'),
      mapping: eventMapping.nullable().default(null).describe('Mapping of the records; required for CSV.'),
    }),
    answer: fileImport,
  }),
  upload: endpoint({
    id: 'imports.upload',
    route: 'POST /imports/:client/:import/file',
    allow: 'connections:write',
    freshness: 'none',
    summary:
      'Reads the file of a prepared import and stores its events while it arrives. Sent again, events with their own times are not doubled; others are recognised for an hour.',
    params: ofClient.extend({ import: id.describe('Import ID.') }),
    upload: {
      types: ['application/octet-stream', 'application/json', 'application/x-ndjson', 'text/csv'],
      maxBytes: maxImportBytes,
    },
    answer: fileImport,
  }),
};
