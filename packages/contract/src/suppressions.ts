/** Suppressions: expiring exceptions by rule, entity and organisation, with an owner and a reason. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, page, results, severity } from './primitives.ts';
import { queryParam } from './query.ts';

const what = {
  clientOrganizationID: id.describe('The client.'),
  ruleID: z.string().max(64).nullable().default(null).describe('Rule to match; null for every rule.'),
  deviceName: z.string().trim().max(255).nullable().default(null).describe('Device to match; null for every device.'),
  userName: z.string().trim().max(255).nullable().default(null).describe('User to match; null for every user.'),
};
/** Fields of a new suppression. */
export const because = {
  reason: z.string().trim().min(5, 'Enter a justification of at least 5 characters.').max(2000).describe('Reason.'),
  endTime: instant.describe('Expiry time, at most a year from now.'),
};
const needsOne = 'Select a rule, a device or a user. A suppression can’t cover all alerts.';
const isSpecific = (it: { ruleID: string | null; deviceName: string | null; userName: string | null }) =>
  Boolean(it.ruleID || it.deviceName || it.userName);

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
  preview: endpoint({
    id: 'suppressions.preview',
    route: 'POST /suppressions/preview',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'Previews the effect of a suppression on the last 90 days.',
    body: z.object(what).refine(isSpecific, { message: needsOne, path: ['ruleID'] }),
    answer: z.object({
      hidden: count.describe('Alerts of the last 90 days that would have been suppressed.'),
      inMalicious: count.describe('Alerts among them in malicious cases.'),
      start: instant.describe('Start of the range.'),
      end: instant.describe('End of the range.'),
      oldestTime: instant.nullable().describe('Oldest alert of the client in the range; null without alerts.'),
      days: z
        .array(z.object({ day: z.iso.date().max(10).describe('Day (UTC).'), lost: count.describe('Alerts hidden.') }))
        .max(91)
        .describe('Days with hidden alerts.'),
      maliciousCases: z
        .array(z.object({ caseID: id.describe('Case ID.'), alerts: count.describe('Alerts of it hidden.') }))
        .max(100)
        .describe('Malicious cases whose alerts would have been hidden.'),
      examples: z
        .array(
          z.object({
            alertID: id.describe('Alert ID.'),
            at: instant.describe('Time.'),
            criticality: severity,
            summary: line.describe('Summary.'),
          }),
        )
        .max(10)
        .describe('The newest ones.'),
    }),
  }),
  create: endpoint({
    id: 'suppressions.create',
    route: 'POST /suppressions',
    allow: 'suppressions:write',
    freshness: 'none',
    summary:
      'Creates a suppression. It keeps matching alerts out of cases until it expires, and excludes open cases that it covers completely.',
    body: z.object({ ...what, ...because }).refine(isSpecific, { message: needsOne, path: ['ruleID'] }),
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
