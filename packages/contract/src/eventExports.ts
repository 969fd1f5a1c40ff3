/** Exports of all events that match a search, written by a job and kept for a day. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { eventFilters } from './events.ts';
import { clientId, count, id, instant, line, startBeforeEnd, timeRange } from './primitives.ts';

export const exportFormats = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];
/** Events of one export at most, the newest. */
export const maxExportedEvents = 1_000_000;

const eventExport = z.object({
  id: id.describe('ID of the export.'),
  client: clientId.describe('The client; 0 for all in scope.'),
  start: instant.describe('Start of the range.'),
  end: instant.describe('End of the range, exclusive.'),
  search: z.string().max(4_000).describe('Search in Kibana’s query language.'),
  format: z.enum(exportFormats).describe('Format of the file.'),
  state: z
    .enum(['waiting', 'running', 'done', 'failed', 'cancelled'])
    .describe('waiting before a job takes it up, running while the file is written, done when it can be downloaded.'),
  events: count.describe('Events written so far.'),
  isCut: z.boolean().describe('true when the file ends at 1,000,000 events.'),
  searchedTo: instant.nullable().describe('Time that the job has come to, from the newest; null before.'),
  bytes: count.describe('Size of the finished file.'),
  failure: line.describe('Reason of a failure; empty without one.'),
  createdAt: instant.describe('Time of the request.'),
  expiresAt: instant.describe('Time after which the file is deleted.'),
});
export type EventExport = z.infer<typeof eventExport>;

const one = z.object({ id: id.describe('ID of the export.') });

export const eventExportsApi = {
  start: endpoint({
    id: 'eventExports.start',
    route: 'POST /event-exports',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Exports all events that match a search over at most 31 days, by a job. The request and each download are audited.',
    body: startBeforeEnd(
      z.object({
        client: clientId.describe('The client; 0 for all in scope.'),
        ...timeRange,
        by: z.enum(['happened', 'arrived']).default('happened').describe('Time axis of start and end.'),
        ...eventFilters,
        format: z.enum(exportFormats).describe('Format of the file.'),
      }),
    ),
    answer: eventExport,
  }),
  list: endpoint({
    id: 'eventExports.list',
    route: 'GET /event-exports',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Lists the caller’s own exports of the last day, newest first.',
    answer: z.object({ results: z.array(eventExport).max(50) }),
  }),
  cancel: endpoint({
    id: 'eventExports.cancel',
    route: 'POST /event-exports/:id/cancel',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Cancels an export that is not finished, or deletes its file.',
    params: one,
    answer: nothing,
  }),
  file: endpoint({
    id: 'eventExports.file',
    route: 'GET /event-exports/:id/file',
    allow: 'events:read',
    freshness: 'none',
    sensitive: 'eventFiles',
    summary: 'Downloads the file of a finished export, while the caller may see every client in it.',
    params: one,
    answer: nothing,
    answers: 'file',
  }),
};
