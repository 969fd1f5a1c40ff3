/** Agents and shippers: collectors, enrolment, releases and staged roll-out. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, listOf, name, organisationId, page, results } from './primitives.ts';
import { queryParam } from './query.ts';
import { dayMs } from './rules/duration.ts';
import { deviceTypes } from './rules/values.ts';

/** agent: the Parapet agent; beat: Elastic's shippers; syslog: lines from rsyslog and devices; other: unidentified. */
export const collectorKinds = ['agent', 'beat', 'syslog', 'other'] as const;
export const collectorStates = ['online', 'stale', 'silent', 'revoked'] as const;
/** An agent checks in every minute: stale after three, silent after a day. Shippers are judged by their baseline. */
export const staleAfterMs = 3 * 60_000;
export const silentAfterMs = dayMs;

export const collector = z.object({
  agentID: z.number().int().nullable().describe('Agent ID; null for third-party collectors.'),
  deviceUuid: z.uuid().describe('Device that it runs on.'),
  deviceName: line.describe('Device name.'),
  deviceType: z.enum(deviceTypes).describe('Device type.'),
  clientOrganizationID: organisationId.describe('Organisation ID.'),
  clientOrganizationName: name.describe('Organisation name.'),
  kind: z.enum(collectorKinds).describe('agent, beat, syslog or other.'),
  version: line.nullable().describe('Reported version; null if not reported.'),
  isOutdated: z.boolean().describe('True when a newer version of the same kind is known.'),
  state: z.enum(collectorStates).describe('online, stale, silent or revoked.'),
  lastSeenAt: instant.nullable().describe('Time of the last check-in or event.'),
  enrolledAt: instant.nullable().describe('Enrolment time.'),
  events24h: count.describe('Events in the last 24 hours.'),
  expected24h: count.nullable().describe('Expected events; null while the baseline is being learnt.'),
  bufferBytes: count.nullable().describe('Bytes buffered on the agent’s disk.'),
  isBufferFull: z.boolean().describe('True when the agent’s buffer is full.'),
  dropped: z
    .array(z.object({ reason: line.describe('Reason.'), count: count.describe('Number of events.') }))
    .max(50)
    .describe('Events dropped by the agent since its start, by reason.'),
  errors: z.array(line).max(20).describe('Recent errors of the agent.'),
  isIsolated: z.boolean().describe('True when the agent reports its host as isolated.'),
  upgrade: z
    .object({
      version: line.describe('Target version.'),
      state: z
        .enum(['staged', 'offered', 'done', 'failed', 'instructed'])
        .describe('State of the upgrade; instructed: a user has to perform it.'),
      detail: line.describe('Detail of the state.'),
    })
    .nullable()
    .describe('Current upgrade, or the last one.'),
});
export type Collector = z.infer<typeof collector>;

export const enrolmentToken = z.object({
  id: z.number().int().describe('Token ID.'),
  clientOrganizationID: organisationId.describe('Organisation that agents enrol into.'),
  name: name.describe('Purpose.'),
  prefix: z.string().max(16).describe('First characters.'),
  maxUses: count.describe('Maximum number of enrolments.'),
  uses: count.describe('Number of enrolments so far.'),
  createdAt: instant.describe('Creation time.'),
  expiresAt: instant.describe('Expiry time.'),
  revokedAt: instant.nullable().describe('Revocation time; null while active.'),
});
export type EnrolmentToken = z.infer<typeof enrolmentToken>;

export const agentRelease = z.object({
  version: line.describe('Version, for example 1.4.0.'),
  platform: line.describe('linux-x64 or linux-arm64.'),
  sha256: z.string().length(64).describe('SHA-256 of the package.'),
  size: count.describe('Size in bytes.'),
  createdAt: instant.describe('Upload time.'),
});
export type AgentRelease = z.infer<typeof agentRelease>;

/** Path parameters of a package, shared with the web. */
export const releaseName = z.object({
  version: z
    .string()
    .max(20)
    .regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, 'A version is three numbers, such as 1.4.0.')
    .describe('Version.'),
  platform: z.enum(['linux-x64', 'linux-arm64']).describe('Target platform.'),
});

const client = id.describe('The client.');

export const agentsApi = {
  list: endpoint({
    id: 'agents.list',
    route: 'GET /agents/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the collectors of a client, agents and shippers, with unhealthy ones first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object({
      ...page,
      text: z.string().trim().max(200).default('').describe('Substring of the device name.'),
      kind: listOf(z.enum(collectorKinds)).describe('Filter by kind.'),
      state: listOf(z.enum(collectorStates)).describe('Filter by state.'),
      query: queryParam('collector'),
    }),
    answer: results(collector, 200).extend({
      states: z
        .array(z.object({ state: z.enum(collectorStates).describe('State.'), count: count.describe('Number of collectors.') }))
        .max(10)
        .describe('Number per state.'),
      intake: z
        .array(z.object({ reason: line.describe('Outcome.'), count: count.describe('Number of events.') }))
        .max(100)
        .describe('Intake by outcome, yesterday and today (UTC): stored, duplicate, and the reasons of dropped events.'),
    }),
  }),
  revoke: endpoint({
    id: 'agents.revoke',
    route: 'DELETE /agents/:client/:agent',
    allow: 'ingestKeys:write',
    freshness: 'fresh',
    summary: 'Revokes an agent: its key stops working. An isolation on the host stays until its automatic release.',
    params: z.object({ client, agent: id.describe('Agent ID.') }),
    answer: nothing,
  }),
  listTokens: endpoint({
    id: 'agents.listTokens',
    route: 'GET /enrolmenttokens/:client',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Lists the enrolment tokens of a client.',
    params: z.object({ client }),
    answer: results(enrolmentToken),
  }),
  createToken: endpoint({
    id: 'agents.createToken',
    route: 'POST /enrolmenttokens/:client',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Creates an enrolment token. The token is returned only in this response.',
    params: z.object({ client }),
    body: z.object({
      name: name.describe('Purpose.'),
      maxUses: z.number().int().min(1).max(10_000).default(1).describe('Maximum number of enrolments.'),
      hours: z
        .number()
        .int()
        .min(1)
        .max(24 * 90)
        .default(24)
        .describe('Lifetime in hours.'),
    }),
    answer: enrolmentToken.extend({ token: z.string().max(100).describe('The token, shown once.') }),
  }),
  revokeToken: endpoint({
    id: 'agents.revokeToken',
    route: 'DELETE /enrolmenttokens/:client/:token',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Revokes an enrolment token. Agents already enrolled are unaffected.',
    params: z.object({ client, token: id.describe('Token ID.') }),
    answer: nothing,
  }),
  listReleases: endpoint({
    id: 'agents.listReleases',
    route: 'GET /agentreleases',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the agent releases of this portal, newest first.',
    answer: results(agentRelease, 1_000),
  }),
  addRelease: endpoint({
    id: 'agents.addRelease',
    route: 'POST /agentreleases/:version/:platform',
    allow: 'agentReleases:write',
    freshness: 'freshSecondFactor',
    summary: 'Uploads an agent package, signed with the installation’s release key. A version can be uploaded once.',
    params: releaseName,
    query: z.object({
      signature: z.string().max(200).describe('Ed25519 signature over "version platform sha256 size", base64url.'),
    }),
    upload: { types: ['application/octet-stream'], maxBytes: 32 * 1024 * 1024 },
    answer: agentRelease,
  }),
  rollout: endpoint({
    id: 'agents.rollout',
    route: 'PUT /agentrollout/:client',
    allow: 'devices:write',
    freshness: 'none',
    summary:
      'Rolls out a version to 1, 10 or 100 per cent of a client’s agents, always starting with the same ones; 0 stops the roll-out.',
    params: z.object({ client }),
    body: z.object({
      version: z.string().max(40).describe('A released version.'),
      percent: z.union([z.literal(0), z.literal(1), z.literal(10), z.literal(100)]).describe('Share of agents in per cent.'),
    }),
    answer: z.object({
      version: line.describe('Version.'),
      percent: count.describe('Share of agents in per cent.'),
      agents: count.describe('Number of agents.'),
    }),
  }),
  getRollout: endpoint({
    id: 'agents.getRollout',
    route: 'GET /agentrollout/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Returns the current roll-out of a client.',
    params: z.object({ client }),
    answer: z.object({
      version: line.nullable().describe('Version; null without a roll-out.'),
      percent: count.describe('Share of agents in per cent.'),
      agents: count.describe('Agents included in the roll-out.'),
      done: count.describe('Agents that have installed it.'),
      failed: count.describe('Agents that refused it or failed.'),
    }),
  }),
};
