/** The audit log (decision 30): every change, denied call, sign-in and export. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, listOf, organisationId, page, results, startBeforeEnd, timeRange } from './primitives.ts';

export const auditRow = z.object({
  id: z.number().int().describe('Names the entry.'),
  at: instant.describe('When it happened.'),
  clientOrganizationID: organisationId.describe('The organisation that it concerns.'),
  clientOrganizationName: line.describe('That organisation’s name.'),
  action: line.describe('What happened, in the past tense: user.updated, call.denied.'),
  target: line.describe('To what; text of the one who called.'),
  actorName: line.describe('Who did it; empty for nobody that is known.'),
  actorEmail: line.describe('That user’s address.'),
  actorOrganizationName: line.describe('The organisation of who did it.'),
  address: line.describe('Where it came from.'),
  before: z.string().max(20_000).nullable().describe('As it was, as JSON; null where nothing was there.'),
  after: z.string().max(20_000).nullable().describe('As it is since, as JSON; null where nothing is there any more.'),
});
export type AuditRow = z.infer<typeof auditRow>;

const filter = {
  action: listOf(line).describe('Only these actions.'),
  actor: listOf(id).describe('Only what these users did.'),
  search: line.optional().describe('Part of the action, the target, the address or the actor’s email address.'),
};
const params = startBeforeEnd(z.object({ client: clientId.describe('The organisation; 0 for all in scope.'), ...timeRange }));

export const auditApi = {
  list: endpoint({
    id: 'audit.list',
    method: 'GET',
    path: '/audit/:client/:start/:end',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Entries of the audit log, newest first.',
    params,
    query: z.object({ ...filter, ...page }),
    answer: results(auditRow, 200),
  }),
  actions: endpoint({
    id: 'audit.actions',
    method: 'GET',
    path: '/auditactions/:client/:start/:end',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Which actions and which users there are, with counts, to filter by.',
    params,
    answer: z.object({
      actions: z
        .array(z.object({ action: line.describe('The action.'), count: z.number().int().describe('How often.') }))
        .max(500)
        .describe('Actions, most frequent first.'),
      actors: z
        .array(
          z.object({
            id: id.describe('The user.'),
            name: line.describe('First and last name.'),
            count: z.number().int().describe('How often.'),
          }),
        )
        .max(200)
        .describe('Users, most active first.'),
    }),
  }),
  seal: endpoint({
    id: 'audit.seal',
    method: 'GET',
    path: '/auditseal/:client',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'How far the log is sealed against changes, and when that was last verified.',
    params: z.object({ client: clientId.describe('The organisation; 0 for all in scope.') }),
    answer: z.object({
      sealed: z.number().int().describe('The last sealed entry’s position; for all organisations their sum.'),
      checkpointAt: instant.nullable().describe('When the newest signed checkpoint was made; null for none.'),
      verifiedAt: instant.nullable().describe('When the log was last verified, for several the longest ago; null for never.'),
      broken: z
        .array(z.object({ clientOrganizationID: organisationId.describe('Whose log.'), text: line.describe('What is broken.') }))
        .max(200)
        .describe('What the last verification found; empty where all is intact.'),
    }),
  }),
  exportLines: endpoint({
    id: 'audit.exportLines',
    method: 'GET',
    path: '/audit/:client/:start/:end/lines',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'The entries as JSON lines with their hashes and checkpoints, to be verified offline; leaves an entry itself.',
    params,
    query: z.object(filter),
    answer: nothing,
    answers: 'file',
  }),
  exportList: endpoint({
    id: 'audit.exportList',
    method: 'GET',
    path: '/audit/:client/:start/:end/export',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'The entries as a CSV file, at most 50,000; leaves an entry itself.',
    params,
    query: z.object(filter),
    answer: nothing,
    answers: 'file',
  }),
};
