/** Identities of a client: user names that are one person, and the rules that join them. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, line, page } from './primitives.ts';

const account = z.string().trim().min(1).max(300);
const reason = z.string().trim().min(1, 'Enter a reason.').max(500).describe('Reason; internal to the client’s analysts.');
const client = id.describe('The client.');

export const identityRuleKinds = ['domain', 'suffix', 'account', 'host', 'shared', 'bare', 'sid'] as const;

export const identityRule = z.object({
  id: z.number().int().describe('Rule ID.'),
  kind: z
    .enum(identityRuleKinds)
    .describe('domain, account and host: name is sameAs; suffix: hosts below it; shared: joins nothing; bare and sid.'),
  name: line.describe('Name; empty for bare and sid.'),
  sameAs: line.describe('Name that it equals; empty for kinds without one.'),
  origin: z.enum(['default', 'learnt', 'manual']).describe('Origin.'),
  reason: line.describe('Reason.'),
  isActive: z.boolean().describe('False when switched off.'),
});
export type IdentityRule = z.infer<typeof identityRule>;

export const identity = z.object({
  identity: line.describe('One of the names, for people to read: an email address before other spellings.'),
  names: z.array(line).max(100).describe('User names as reported, the most frequent first.'),
  nameCount: count.describe('Number of user names.'),
  alerts: count.describe('Alerts of all names.'),
});
export type Identity = z.infer<typeof identity>;

export const identitiesApi = {
  list: endpoint({
    id: 'identities.list',
    route: 'GET /identities/:client',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Lists the identities of a client, the one with the most alerts first, and the rules that join names.',
    params: z.object({ client }),
    query: z.object({
      text: z.string().trim().max(200).default('').describe('Substring of a name.'),
      page: page.page,
      pageSize: page.pageSize,
    }),
    answer: z.object({
      results: z.array(identity).max(200).describe('Identities of the page.'),
      total: count.describe('Number of identities.'),
      rules: z.array(identityRule).max(1000).describe('Rules, manual ones first.'),
    }),
  }),
  merge: endpoint({
    id: 'identities.merge',
    route: 'POST /identities/merge',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Makes two user names one identity, and correlates the open cases again that it changes.',
    body: z.object({
      clientOrganizationID: client,
      name: account.describe('User name.'),
      sameAs: account.describe('User name of the same person.'),
      reason,
    }),
    answer: nothing,
  }),
  switchRule: endpoint({
    id: 'identities.switchRule',
    route: 'POST /identities/rule',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Switches an identity rule off or on: undoes a merge, or joins again.',
    body: z.object({
      clientOrganizationID: client,
      kind: z.enum(identityRuleKinds).describe('Kind of the rule.'),
      name: z.string().trim().max(300).describe('Name of the rule; empty for bare and sid.'),
      isActive: z.boolean().describe('False to switch off.'),
      reason,
    }),
    answer: nothing,
  }),
};
