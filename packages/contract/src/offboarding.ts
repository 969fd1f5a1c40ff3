/** Ends the service of a client: hand-over archive, agents that leave, and the end of every access. Its data is kept until it is erased (retention.ts). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, name } from './primitives.ts';

const ofClient = z.object({ client: id.describe('The client.') });

export const offboardingApi = {
  get: endpoint({
    id: 'offboarding.get',
    route: 'GET /offboarding/:client',
    allow: 'clients:manage',
    freshness: 'none',
    summary: 'Returns how far the offboarding of a client has come.',
    params: ofClient,
    answer: z.object({
      archivedAt: instant.nullable().describe('Last download of the hand-over archive; null before.'),
      agents: z
        .object({
          working: count.describe('Agents with a valid key that were not notified of their removal.'),
          told: count.describe('Agents notified of their removal that have not confirmed it.'),
          left: count.describe('Agents that confirmed their removal.'),
        })
        .describe('Agents of the client.'),
      ingestKeys: count.describe('Valid ingest keys.'),
      enrolmentTokens: count.describe('Valid enrolment tokens.'),
      users: count.describe('Active users.'),
      endedAt: instant.nullable().describe('End of access; null while the client is active.'),
    }),
  }),
  archive: endpoint({
    id: 'offboarding.archive',
    route: 'GET /offboarding/:client/archive',
    allow: 'clients:manage',
    freshness: 'fresh',
    sensitive: 'archive',
    summary:
      'Returns the hand-over archive of a client as ZIP: details, users, devices, alerts, cases with their shared notes, and raw events, each as NDJSON, with a manifest.',
    params: ofClient,
    answers: 'file',
    answer: nothing,
  }),
  dismissAgents: endpoint({
    id: 'offboarding.dismissAgents',
    route: 'POST /offboarding/:client/agents',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary:
      'Tells every agent of a client to leave: it ends isolation, removes itself, and confirms before. Agents that are offline are told within 30 days.',
    params: ofClient,
    answer: z.object({ told: count.describe('Agents told now.') }),
  }),
  end: endpoint({
    id: 'offboarding.end',
    route: 'POST /offboarding/:client/end',
    allow: 'clients:manage',
    freshness: 'freshSecondFactor',
    summary: 'Deactivates a client and revokes its ingest keys, enrolment tokens, agents’ keys and users’ API keys and sessions.',
    params: ofClient,
    body: z.object({ name: name.describe('Name of the client, as a confirmation.') }),
    answer: nothing,
  }),
};
