/** Agents and shippers: what collects, how it enrols, its packages and their staged roll-out. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, listOf, name, organisationId, page, results } from './primitives.ts';
import { deviceTypes } from './rules/values.ts';

/** agent: ours; beat: Elastic’s shippers; syslog: lines from rsyslog and devices; other: what says nothing of itself. */
export const collectorKinds = ['agent', 'beat', 'syslog', 'other'] as const;
export const collectorStates = ['online', 'stale', 'silent', 'revoked'] as const;
/** An agent checks in each minute: after three it is stale; after a day it is silent. Shippers are judged by what is expected of them. */
export const staleAfterMs = 3 * 60_000;
export const silentAfterMs = 24 * 3_600_000;

export const collector = z.object({
  agentID: z.number().int().nullable().describe('The agent, where it is ours.'),
  deviceUuid: z.uuid().describe('The device it runs on.'),
  deviceName: line.describe('That device’s name.'),
  deviceType: z.enum(deviceTypes).describe('That device’s type.'),
  clientOrganizationID: organisationId.describe('The organisation.'),
  clientOrganizationName: name.describe('Its name.'),
  kind: z.enum(collectorKinds).describe('agent, beat, syslog or other.'),
  version: line.nullable().describe('As it says; null when it does not.'),
  isOutdated: z.boolean().describe('Whether a newer version of the same kind is known.'),
  state: z.enum(collectorStates).describe('online, stale, silent or revoked.'),
  lastSeenAt: instant.nullable().describe('Its last check-in or event.'),
  enrolledAt: instant.nullable().describe('When the agent enrolled.'),
  events24h: count.describe('Events of the last 24 hours.'),
  expected24h: count.nullable().describe('What is usual for it; null while that is being learnt.'),
  bufferBytes: count.nullable().describe('What waits on the agent’s disk.'),
  isBufferFull: z.boolean().describe('Whether the agent’s buffer is full.'),
  dropped: z
    .array(z.object({ reason: line.describe('Why.'), count: count.describe('How many events.') }))
    .max(50)
    .describe('What the agent could not ship, by reason, since it started.'),
  errors: z.array(line).max(20).describe('What went wrong lately on the agent.'),
  isIsolated: z.boolean().describe('Whether the agent says that its host is isolated.'),
  upgrade: z
    .object({
      version: line.describe('To which version.'),
      state: z
        .enum(['staged', 'offered', 'done', 'failed', 'instructed'])
        .describe('How far it is; instructed: a person does it.'),
      detail: line.describe('What was said of it.'),
    })
    .nullable()
    .describe('The upgrade under way, or the last one.'),
});
export type Collector = z.infer<typeof collector>;

export const enrolmentToken = z.object({
  id: z.number().int().describe('Names the token.'),
  clientOrganizationID: organisationId.describe('The organisation that agents enrol into.'),
  name: name.describe('What it is for.'),
  prefix: z.string().max(16).describe('Its first characters.'),
  maxUses: count.describe('How many agents may enrol with it.'),
  uses: count.describe('How many have.'),
  createdAt: instant.describe('When it was made.'),
  expiresAt: instant.describe('Until when it works.'),
  revokedAt: instant.nullable().describe('When it was revoked.'),
});
export type EnrolmentToken = z.infer<typeof enrolmentToken>;

export const agentRelease = z.object({
  version: line.describe('Its version, such as 1.4.0.'),
  platform: line.describe('linux-x64 or linux-arm64.'),
  sha256: z.string().length(64).describe('Of the package.'),
  size: count.describe('In bytes.'),
  createdAt: instant.describe('When it was given to the portal.'),
});
export type AgentRelease = z.infer<typeof agentRelease>;

/** Names a package, as the pages ask for it too. */
export const releaseName = z.object({
  version: z
    .string()
    .max(20)
    .regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, 'A version is three numbers, such as 1.4.0.')
    .describe('Its version.'),
  platform: z.enum(['linux-x64', 'linux-arm64']).describe('For which hosts.'),
});

const client = id.describe('The client.');

export const agentsApi = {
  list: endpoint({
    id: 'agents.list',
    method: 'GET',
    path: '/agents/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'What collects for a client: agents and shippers, those with trouble first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Part of a device’s name.'),
      kind: listOf(z.enum(collectorKinds)).describe('Only these kinds.'),
      state: listOf(z.enum(collectorStates)).describe('Only in these states.'),
    }),
    answer: results(collector, 200).extend({
      states: z
        .array(z.object({ state: z.enum(collectorStates).describe('The state.'), count: count.describe('How many.') }))
        .max(10)
        .describe('How many there are in each state.'),
      intake: z
        .array(z.object({ reason: line.describe('What became of it.'), count: count.describe('How many events.') }))
        .max(100)
        .describe(
          'What the portal took in and did not, by reason, yesterday and today (UTC): stored, duplicate, and why the others were dropped.',
        ),
    }),
  }),
  revoke: endpoint({
    id: 'agents.revoke',
    method: 'DELETE',
    path: '/agents/:client/:agent',
    allow: 'ingestKeys:write',
    freshness: 'fresh',
    summary: 'Revokes an agent: its key no longer works. The host keeps what holds on it until its dead man’s release.',
    params: z.object({ client, agent: id.describe('The agent.') }),
    answer: nothing,
  }),
  listTokens: endpoint({
    id: 'agents.listTokens',
    method: 'GET',
    path: '/enrolmenttokens/:client',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'The enrolment tokens of a client.',
    params: z.object({ client }),
    answer: results(enrolmentToken),
  }),
  createToken: endpoint({
    id: 'agents.createToken',
    method: 'POST',
    path: '/enrolmenttokens/:client',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Makes an enrolment token; its text is in this answer and nowhere else.',
    params: z.object({ client }),
    body: z.object({
      name: name.describe('What it is for.'),
      maxUses: z.number().int().min(1).max(10_000).default(1).describe('How many agents may enrol with it.'),
      hours: z
        .number()
        .int()
        .min(1)
        .max(24 * 90)
        .default(24)
        .describe('For how many hours it works.'),
    }),
    answer: enrolmentToken.extend({ token: z.string().max(100).describe('The token itself, shown once.') }),
  }),
  revokeToken: endpoint({
    id: 'agents.revokeToken',
    method: 'DELETE',
    path: '/enrolmenttokens/:client/:token',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Revokes an enrolment token: no further agent enrols with it. Those enrolled stay.',
    params: z.object({ client, token: id.describe('The token.') }),
    answer: nothing,
  }),
  listReleases: endpoint({
    id: 'agents.listReleases',
    method: 'GET',
    path: '/agentreleases',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'The agent’s packages that this portal gives out, newest first.',
    answer: results(agentRelease, 1_000),
  }),
  addRelease: endpoint({
    id: 'agents.addRelease',
    method: 'POST',
    path: '/agentreleases/:version/:platform',
    allow: 'agentReleases:write',
    freshness: 'freshSecondFactor',
    summary: 'Gives the portal a package. Its signature must be by the installation’s release key; a version is given once.',
    params: releaseName,
    query: z.object({ signature: z.string().max(200).describe('Ed25519 over "version platform sha256 size", base64url.') }),
    upload: { types: ['application/octet-stream'], maxBytes: 32 * 1024 * 1024 },
    answer: agentRelease,
  }),
  rollout: endpoint({
    id: 'agents.rollout',
    method: 'PUT',
    path: '/agentrollout/:client',
    allow: 'devices:write',
    freshness: 'none',
    summary: 'Offers a version to 1, 10 or 100 of 100 agents of a client; the same ones stay first. 0 stops offering it.',
    params: z.object({ client }),
    body: z.object({
      version: z.string().max(40).describe('A version that this portal gives out.'),
      percent: z.union([z.literal(0), z.literal(1), z.literal(10), z.literal(100)]).describe('Of the agents.'),
    }),
    answer: z.object({
      version: line.describe('The version.'),
      percent: count.describe('Of the agents.'),
      agents: count.describe('How many agents that is.'),
    }),
  }),
  getRollout: endpoint({
    id: 'agents.getRollout',
    method: 'GET',
    path: '/agentrollout/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'The roll-out under way of a client.',
    params: z.object({ client }),
    answer: z.object({
      version: line.nullable().describe('The version; null when none is rolled out.'),
      percent: count.describe('Of the agents.'),
      agents: count.describe('How many agents are offered it.'),
      done: count.describe('How many have it.'),
      failed: count.describe('How many refused it or failed.'),
    }),
  }),
};
