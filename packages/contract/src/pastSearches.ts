/** Searches of stored events that new indicators, rules of a pack and known exploited vulnerabilities start. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line, listOf, name, organisationId, results } from './primitives.ts';

export const pastSearchKinds = ['indicators', 'rules', 'exploited'] as const;
export type PastSearchKind = (typeof pastSearchKinds)[number];
export const pastHitKinds = ['ip', 'domain', 'hash', 'cve', 'finding', 'rule'] as const;
export type PastHitKind = (typeof pastHitKinds)[number];

export const pastSearch = z.object({
  id: z.number().int().describe('Search ID.'),
  kind: z.enum(pastSearchKinds).describe('Indicators of lists, rules of a pack, or known exploited vulnerabilities.'),
  name: line.describe('Lists, or the pack with its version.'),
  packID: id.nullable().describe('The pack; null for others, and once it is removed.'),
  terms: count.describe('Indicators, rules or vulnerabilities searched for.'),
  leftOut: count.describe('New ones that were not searched for, beyond the limit of one search.'),
  state: z.enum(['waiting', 'running', 'done', 'failed']).describe('failed: it ended before all clients were searched.'),
  failure: line.describe('Reason of failed.'),
  requestedTime: instant.describe('Time at which they became known.'),
  finishedTime: instant.nullable().describe('Time at which it ended.'),
  start: instant.nullable().describe('Start of the range; null while it waits.'),
  end: instant.nullable().describe('End of the range; null while it waits.'),
  clients: count.describe('Clients in scope.'),
  searched: count.describe('Clients whose events were read as far as they can be searched.'),
  incomplete: count.describe('Clients of which a part of the range could not be searched.'),
  events: count.describe('Events read.'),
  hits: count.describe('Distinct finds: an indicator, rule or vulnerability at a client.'),
});
export type PastSearch = z.infer<typeof pastSearch>;

export const pastSearchClient = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  state: z.enum(['waiting', 'done', 'failed']).describe('waiting: not searched to the end.'),
  events: count.describe('Events read.'),
  searchedTo: instant.describe('Events from this time on were read.'),
  oldestTime: instant.nullable().describe('Oldest event that was read; null without events.'),
  isPartial: z.boolean().describe('True if the events do not cover the range.'),
  archivedDays: count.describe('Days of the range that lie in the archive and were not searched.'),
  missingKinds: listOf(z.enum(['ip', 'domain', 'hash', 'cve'])).describe('Kinds searched for that no event read has.'),
  scannedDevices: count.describe('Devices whose packages are known.'),
  lost: count.describe('Alerts that the rules no longer raise.'),
  hits: count.describe('Distinct finds.'),
});
export type PastSearchClient = z.infer<typeof pastSearchClient>;

export const pastSearchHit = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  kind: z.enum(pastHitKinds).describe('finding: a device has the vulnerability. rule: alerts that the rule would have raised.'),
  value: line.describe('Indicator, CVE or rule ID.'),
  label: line.describe('Rule title, or name of the vulnerability.'),
  reputation: line.nullable().describe('Reputation of an indicator.'),
  source: line.describe('List of an indicator.'),
  count: count.describe('Events; devices of a finding; alerts of a rule.'),
  firstTime: instant.describe('First one.'),
  lastTime: instant.describe('Last one.'),
  examples: z
    .array(
      z.object({
        at: instant.describe('Time.'),
        deviceName: line.nullable().describe('Device.'),
        userName: line.nullable().describe('User.'),
        field: line.describe('Field that has the value; empty where it stands in a text.'),
        text: line.describe('Package and alerts of a device; empty for events.'),
      }),
    )
    .max(5)
    .describe('The newest ones.'),
});
export type PastSearchHit = z.infer<typeof pastSearchHit>;

export const pastSearchesApi = {
  list: endpoint({
    id: 'pastSearches.list',
    route: 'GET /past-searches/:client',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Lists searches of the past, newest first. Figures are those of the clients in scope.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(pastSearch, 100),
  }),
  get: endpoint({
    id: 'pastSearches.get',
    route: 'GET /past-searches/:client/:pastSearch',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Returns a search of the past: clients with what could not be searched, and finds.',
    params: z.object({
      client: clientId.describe('The client; 0 for all in scope.'),
      pastSearch: id.describe('Search ID.'),
    }),
    answer: z.object({
      search: pastSearch.describe('The search.'),
      clients: z.array(pastSearchClient).max(1000).describe('Clients in scope, those with finds first.'),
      hits: z.array(pastSearchHit).max(500).describe('Finds, the newest first.'),
    }),
  }),
};
