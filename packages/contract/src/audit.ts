/** The audit log: every change, denied call, sign-in and export. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, listOf, organisationId, page, results, startBeforeEnd, timeRange } from './primitives.ts';
import { queryParam } from './query.ts';

export const auditRow = z.object({
  id: z.number().int().describe('Entry ID.'),
  at: instant.describe('Event time.'),
  clientOrganizationID: organisationId.describe('Affected organisation.'),
  clientOrganizationName: line.describe('Organisation name.'),
  action: line.describe('Action in the past tense, for example user.updated or call.denied.'),
  target: line.describe('Target of the action, as sent by the caller.'),
  actorName: line.describe('Name of the actor; empty if unknown.'),
  actorEmail: line.describe('Email address of the actor.'),
  actorOrganizationName: line.describe('Organisation of the actor.'),
  address: line.describe('Source IP address; the chat for what was pressed there.'),
  before: z.string().max(20_000).nullable().describe('State before, as JSON; null if it did not exist.'),
  after: z.string().max(20_000).nullable().describe('State after, as JSON; null if it no longer exists.'),
});
export type AuditRow = z.infer<typeof auditRow>;

const filter = {
  action: listOf(line).describe('Filter by action.'),
  actor: listOf(id).describe('Filter by actor.'),
  search: line.optional().describe('Substring of the action, target, address or actor’s email address.'),
  query: queryParam('audit'),
};
const params = startBeforeEnd(z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.'), ...timeRange }));

export const auditApi = {
  list: endpoint({
    id: 'audit.list',
    route: 'GET /audit/:client/:start/:end',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Lists audit log entries, newest first.',
    params,
    query: z.object({ ...filter, ...page }),
    answer: results(auditRow, 200),
  }),
  actions: endpoint({
    id: 'audit.actions',
    route: 'GET /auditactions/:client/:start/:end',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Lists the actions and actors of the audit log, with counts, for filtering.',
    params,
    answer: z.object({
      actions: z
        .array(z.object({ action: line.describe('Action.'), count: z.number().int().describe('Number of entries.') }))
        .max(500)
        .describe('Actions, most frequent first.'),
      actors: z
        .array(
          z.object({
            id: id.describe('User ID.'),
            name: line.describe('First and last name.'),
            count: z.number().int().describe('Number of entries.'),
          }),
        )
        .max(200)
        .describe('Actors, most active first.'),
    }),
  }),
  seal: endpoint({
    id: 'audit.seal',
    route: 'GET /auditseal/:client',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Returns the sealing state of the log and the time of its last verification.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    answer: z.object({
      sealed: z.number().int().describe('Position of the last sealed entry; for all organisations, the sum.'),
      checkpointAt: instant.nullable().describe('Time of the newest signed checkpoint; null without one.'),
      verifiedAt: instant
        .nullable()
        .describe('Time of the last verification, the oldest for several organisations; null if never verified.'),
      broken: z
        .array(
          z.object({
            clientOrganizationID: organisationId.describe('Organisation of the log.'),
            text: line.describe('Description of the defect.'),
          }),
        )
        .max(200)
        .describe('Defects found by the last verification; empty when intact.'),
    }),
  }),
  exportLines: endpoint({
    id: 'audit.exportLines',
    route: 'GET /audit/:client/:start/:end/lines',
    allow: 'audit:read',
    freshness: 'none',
    sensitive: 'auditFiles',
    summary: 'Exports entries as JSON lines with hashes and checkpoints for offline verification. The export is itself audited.',
    params,
    query: z.object(filter),
    answer: nothing,
    answers: 'file',
  }),
  exportList: endpoint({
    id: 'audit.exportList',
    route: 'GET /audit/:client/:start/:end/export',
    allow: 'audit:read',
    freshness: 'none',
    sensitive: 'auditFiles',
    summary: 'Exports entries as CSV, up to 50,000. The export is itself audited.',
    params,
    query: z.object(filter),
    answer: nothing,
    answers: 'file',
  }),
};
