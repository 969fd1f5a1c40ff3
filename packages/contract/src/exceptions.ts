/** Everything that hides alerts in one list: exceptions of rules, and suppressions of alerts. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, instant, line, listOf, name, organisationId, page, results } from './primitives.ts';
import { queryParam } from './query.ts';

export const hidingKinds = ['exception', 'suppression'] as const;
export type HidingKind = (typeof hidingKinds)[number];

export const hidingRow = z.object({
  kind: z
    .enum(hidingKinds)
    .describe('exception: the rule does not match, so that no alert is raised. suppression: the alert is kept out of cases.'),
  id: z.number().int().describe('ID, of exceptions and suppressions together.'),
  organisationID: organisationId.describe('Owner: the client, or an organisation above it whose exception holds for all below.'),
  organisation: name.describe('Organisation name.'),
  ruleID: z.string().max(64).nullable().describe('Rule; null for every rule.'),
  rule: line.nullable().describe('Rule title.'),
  deviceName: line.nullable().describe('Device of a suppression; null for every device.'),
  userName: line.nullable().describe('User of a suppression; null for every user.'),
  filter: z.string().max(16_384).nullable().describe('Sigma filter of an exception.'),
  reason: line.describe('Reason.'),
  owner: line.describe('Owner.'),
  createdTime: instant.describe('Creation time.'),
  endTime: instant.describe('Expiry time.'),
  isActive: z.boolean().describe('True while active.'),
  hidden: count.describe(
    'Hidden in the last 30 days: matches of an exception, alerts of a suppression. Of the clients in scope.',
  ),
  lastTime: instant.nullable().describe('Time of the last one; null without any.'),
});
export type HidingRow = z.infer<typeof hidingRow>;

export const exceptionsApi = {
  list: endpoint({
    id: 'exceptions.list',
    route: 'GET /exceptions/:client',
    allow: 'suppressions:write',
    freshness: 'none',
    summary:
      'Lists exceptions of rules and suppressions of alerts together, active ones first. Those of a client include those above it.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      ...page,
      kind: listOf(z.enum(hidingKinds)).describe('Kinds; empty for all.'),
      state: listOf(z.enum(['active', 'ended'])).describe('States; empty for all.'),
      query: queryParam('suppression'),
    }),
    answer: results(hidingRow, 200),
  }),
};
