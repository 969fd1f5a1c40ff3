/** The access log: reads of a client’s data by people of the provider and the partner, with their reasons. */
import { z } from 'zod';
import { allClients } from './access.ts';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, listOf, organisationId, page, results, startBeforeEnd, timeRange } from './primitives.ts';
import { accessChannels, accessKinds, accessReasons, maxReasonText, sensitiveViews } from './rules/client-access-log.ts';

const reason = z.enum(accessReasons);
const view = z.enum(sensitiveViews);

export const accessRow = z.object({
  id: z.number().int().describe('Entry ID.'),
  clientOrganizationID: organisationId.describe('Organisation whose data was read.'),
  clientOrganizationName: line.describe('Organisation name.'),
  personName: line.describe('Name of the person, as the reader may know it.'),
  personOrganizationName: line.describe('Organisation of the person; empty where the reader doesn’t see the person by name.'),
  firstAt: instant.describe('Time of the first request.'),
  lastAt: instant.describe('Time of the last request.'),
  requests: z.number().int().describe('Number of requests.'),
  view: view.nullable().describe('Sensitive view, which has entries of its own; null for all others of a shift.'),
  kinds: z.array(z.enum(accessKinds)).max(accessKinds.length).describe('Kinds of data that were read.'),
  channels: z
    .array(z.enum(accessChannels))
    .max(accessChannels.length)
    .describe('portal: pages. export: files. apiKey: an API key of the person. assistant: an AI assistant with such a key.'),
  isOpened: z.boolean().describe('True when the client or an object of it was opened; false for lists over all clients only.'),
  reason: reason.nullable().describe('Reason; null if none was given.'),
  reasonText: z.string().max(maxReasonText).describe('Details of the reason; may be empty.'),
});
export type AccessRow = z.infer<typeof accessRow>;

/** Value of the filter for entries without a reason. */
const filterReasons = [...accessReasons, 'none'] as const;
const filter = {
  person: listOf(id).describe('Filter by user ID of the person.'),
  reason: listOf(z.enum(filterReasons)).describe('Filter by reason; none for entries without one.'),
  view: listOf(view).describe('Filter by sensitive view.'),
};
const params = startBeforeEnd(z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.'), ...timeRange }));

export const giveReasonBody = z
  .object({
    reason: reason.describe('Reason.'),
    text: z.string().trim().max(maxReasonText).default('').describe('Details; required for other. The client sees them.'),
    view: view.optional().describe('Sensitive view that the reason is for, for 15 minutes; without it, for the shift.'),
    clientOrganizationID: clientId
      .default(allClients)
      .describe('Client of the sensitive view, for later requests too; 0 for all clients whose view lacks a reason.'),
  })
  .refine((body) => body.reason !== 'other' || body.text !== '', { path: ['text'], message: 'Enter the reason.' });

export const clientAccessLogApi = {
  list: endpoint({
    id: 'looks.list',
    route: 'GET /accesslog/:client/:start/:end',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Lists accesses of provider and partner staff to the data of a client, newest first.',
    params,
    query: z.object({ ...filter, ...page }),
    answer: results(accessRow, 200).extend({
      withoutReason: z.number().int().describe('Number of entries without a reason, beyond this page.'),
    }),
  }),
  people: endpoint({
    id: 'looks.people',
    route: 'GET /accesslog/:client/:start/:end/people',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Lists the people of the access log whom the caller sees by name, for filtering.',
    params,
    answer: z.object({
      people: z
        .array(
          z.object({
            id: id.describe('User ID.'),
            name: line.describe('First and last name.'),
            count: z.number().int().describe('Number of entries.'),
          }),
        )
        .max(200)
        .describe('People, those with many entries first.'),
    }),
  }),
  exportList: endpoint({
    id: 'looks.exportList',
    route: 'GET /accesslog/:client/:start/:end/export',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Exports the access log as CSV, up to 50,000 entries. The export is audited.',
    params,
    query: z.object(filter),
    answer: nothing,
    answers: 'file',
  }),
  getReason: endpoint({
    id: 'looks.getReason',
    route: 'GET /accessreason',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'Returns the caller’s shift with its reason, and the sensitive views of the last 15 minutes without one.',
    answer: z.object({
      until: instant.nullable().describe('End of the shift; null before its first access.'),
      reason: reason.nullable().describe('Reason of the shift; null if none was given.'),
      reasonText: z.string().max(maxReasonText).describe('Details of the reason; may be empty.'),
      missing: z.array(view).max(sensitiveViews.length).describe('Sensitive views opened within 15 minutes without a reason.'),
    }),
  }),
  giveReason: endpoint({
    id: 'looks.giveReason',
    route: 'POST /accessreason',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'Gives the reason of the caller’s shift, or of a sensitive view for 15 minutes. Another reason begins a new shift.',
    body: giveReasonBody,
    answer: nothing,
  }),
};
