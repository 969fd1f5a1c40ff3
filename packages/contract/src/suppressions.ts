/** Suppressions: exceptions by rule, entity and organisation, with an owner, a reason and an end (issue: nothing is hidden for ever). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, page, results } from './primitives.ts';

const what = {
  clientOrganizationID: id.describe('The client.'),
  ruleID: z.string().max(64).nullable().default(null).describe('Only alerts of this rule; null for every rule.'),
  deviceName: z.string().trim().max(255).nullable().default(null).describe('Only alerts of this device; null for every device.'),
  userName: z.string().trim().max(255).nullable().default(null).describe('Only alerts of this user; null for every user.'),
};
/** What whoever makes one says of it. */
export const because = {
  reason: z.string().trim().min(5, 'Say why, so that whoever reads it later can judge it.').max(2000).describe('Why.'),
  endTime: instant.describe('When it ends; at most a year from now.'),
};
const needsOne = 'Choose a rule, a device or a user: a suppression of everything would blind the portal.';
const isSpecific = (it: { ruleID: string | null; deviceName: string | null; userName: string | null }) =>
  Boolean(it.ruleID || it.deviceName || it.userName);

export const suppressionRow = z.object({
  id: z.number().int().describe('Names the suppression.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Its name.'),
  ruleID: z.string().max(64).nullable().describe('The rule; null for every rule.'),
  rule: line.nullable().describe('The rule’s title.'),
  deviceName: line.nullable().describe('The device; null for every device.'),
  userName: line.nullable().describe('The user; null for every user.'),
  reason: line.describe('Why.'),
  owner: line.describe('Who answers for it.'),
  createdTime: instant.describe('When it was made.'),
  endTime: instant.describe('When it ends.'),
  isActive: z.boolean().describe('Whether it holds now.'),
  hidden: count.describe('Alerts that it has kept out of cases.'),
});
export type SuppressionRow = z.infer<typeof suppressionRow>;

export const suppressionsApi = {
  list: endpoint({
    id: 'suppressions.list',
    method: 'GET',
    path: '/suppressions/:client',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'Suppressions of a client, those that hold first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({ ...page }),
    answer: results(suppressionRow, 200),
  }),
  preview: endpoint({
    id: 'suppressions.preview',
    method: 'POST',
    path: '/suppressions/preview',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'What it would have hidden in the last 90 days.',
    body: z.object(what).refine(isSpecific, { message: needsOne, path: ['ruleID'] }),
    answer: z.object({
      hidden: count.describe('Alerts of the last 90 days that it would have kept out of cases.'),
      inMalicious: count.describe('Those of them that stand in malicious cases.'),
    }),
  }),
  create: endpoint({
    id: 'suppressions.create',
    method: 'POST',
    path: '/suppressions',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'Keeps matching alerts out of cases until its end, and excludes open cases of which it covers every alert.',
    body: z.object({ ...what, ...because }).refine(isSpecific, { message: needsOne, path: ['ruleID'] }),
    answer: suppressionRow,
  }),
  end: endpoint({
    id: 'suppressions.end',
    method: 'DELETE',
    path: '/suppressions/:id',
    allow: 'suppressions:write',
    freshness: 'none',
    summary: 'Ends a suppression now; what it kept out stays out, what comes now does not.',
    params: z.object({ id: id.describe('The suppression.') }),
    answer: nothing,
  }),
};
