/** Suppressions: expiring exceptions by rule, entity and organisation, with an owner and a reason. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, page, results } from './primitives.ts';
import { queryParam } from './query.ts';
import { isSpecific, needsMatch, suppressionMatch } from './rulePreviews.ts';

/** Fields of a new suppression. */
export const because = {
  reason: z.string().trim().min(5, 'Enter a justification of at least 5 characters.').max(2000).describe('Reason.'),
  endTime: instant.describe('Expiry time, at most a year from now.'),
};
export const suppressionRow = z.object({
  id: z.number().int().describe('Suppression ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  ruleID: z.string().max(64).nullable().describe('Rule; null for every rule.'),
  rule: line.nullable().describe('Rule title.'),
  deviceName: line.nullable().describe('Device; null for every device.'),
  userName: line.nullable().describe('User; null for every user.'),
  reason: line.describe('Reason.'),
  owner: line.describe('Owner.'),
  createdTime: instant.describe('Creation time.'),
  endTime: instant.describe('Expiry time.'),
  isActive: z.boolean().describe('True while active.'),
  hidden: count.describe('Number of suppressed alerts.'),
});
export type SuppressionRow = z.infer<typeof suppressionRow>;

export const suppressionsApi = {
  list: endpoint({
    id: 'suppressions.list',
    route: 'GET /suppressions/:client',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'Lists the suppressions of a client, active ones first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({ ...page, query: queryParam('suppression') }),
    answer: results(suppressionRow, 200),
  }),
  create: endpoint({
    id: 'suppressions.create',
    route: 'POST /suppressions',
    allow: 'suppressions:write',
    freshness: 'none',
    summary:
      'Creates a suppression. It keeps matching alerts out of cases until it expires, and excludes open cases that it covers completely.',
    body: z
      .object({
        ...suppressionMatch,
        ...because,
        previewID: id
          .nullable()
          .default(null)
          .describe('Preview of this suppression by another person; required if it hides alerts of malicious cases.'),
      })
      .refine(isSpecific, { message: needsMatch, path: ['ruleID'] }),
    answer: suppressionRow,
  }),
  end: endpoint({
    id: 'suppressions.end',
    route: 'DELETE /suppressions/:id',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'Ends a suppression. Alerts already suppressed stay out of cases.',
    params: z.object({ id: id.describe('Suppression ID.') }),
    answer: nothing,
  }),
};
