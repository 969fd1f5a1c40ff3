/** Webhook sources: addresses to which a client’s products post events, with a mapping of their bodies to ECS fields. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { eventMapping, mappingPreview, sample } from './eventMapping.ts';
import { clientId, count, id, instant, line, name, nameLine, organisationId, results } from './primitives.ts';

export const webhookAuthentications = ['header', 'hmac', 'standard'] as const;
export type WebhookAuthentication = (typeof webhookAuthentications)[number];

const authentication = z
  .enum(webhookAuthentications)
  .describe('header: the secret itself; hmac: HMAC-SHA256 of the body; standard: Standard Webhooks.');
const header = z
  .string()
  .trim()
  .toLowerCase()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'Enter the name of a header: letters, digits and hyphens.')
  .describe('Header of the secret or the signature; ignored by standard.');

export const webhookSource = z.object({
  id: z.number().int().describe('Source ID.'),
  clientOrganizationID: organisationId.describe('Organisation of its events.'),
  name: name.describe('Name given by people.'),
  source: line.describe('Data source of events that name no host.'),
  address: z.string().max(500).describe('Address to post to.'),
  authentication,
  header,
  state: z.enum(['waiting', 'receiving', 'refusing', 'paused']).describe('refusing: the newest request was refused.'),
  mapping: eventMapping,
  version: count.describe('Version of the mapping.'),
  events: count.describe('Events stored so far.'),
  refused: count.describe('Records and requests that were refused so far.'),
  lastEventAt: instant.nullable().describe('Arrival of the newest event.'),
  refusal: line.nullable().describe('Newest refusal in words; null after a request without one.'),
  refusedAt: instant.nullable().describe('Time of the newest refusal.'),
  createdAt: instant.describe('Creation time.'),
});
export type WebhookSource = z.infer<typeof webhookSource>;

const withSecret = webhookSource.extend({ secret: z.string().max(100).describe('The secret, shown once.') });
const version = z.object({
  version: count.describe('Version number.'),
  mapping: eventMapping,
  savedBy: name.describe('Author.'),
  savedAt: instant.describe('Time of saving.'),
});

const ofClient = z.object({ client: id.describe('The client.') });
const ofSource = ofClient.extend({ source: id.describe('Source ID.') });

export const webhookSourcesApi = {
  list: endpoint({
    id: 'webhookSources.list',
    route: 'GET /webhooksources/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the webhook sources of a client, or of all clients in scope.',
    params: z.object({ client: clientId.describe('The client; 0 for all.') }),
    answer: results(webhookSource),
  }),
  preview: endpoint({
    id: 'webhookSources.preview',
    route: 'POST /webhooksources/:client/preview',
    allow: 'connections:write',
    freshness: 'none',
    summary: 'Maps a sample as the intake would, without storing it.',
    params: ofClient,
    body: z.object({ sample, mapping: eventMapping }),
    answer: mappingPreview,
  }),
  create: endpoint({
    id: 'webhookSources.create',
    route: 'POST /webhooksources/:client',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Creates a webhook source. Its secret is returned only in this response.',
    params: ofClient,
    body: z.object({ name: nameLine.describe('Name for people.'), authentication, header, mapping: eventMapping }),
    answer: withSecret,
  }),
  saveMapping: endpoint({
    id: 'webhookSources.saveMapping',
    route: 'PUT /webhooksources/:client/:source/mapping',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Saves a new version of the mapping. Stored events stay as they are.',
    params: ofSource,
    body: z.object({ mapping: eventMapping, version: count.describe('Version that it is based on; another one gives 409.') }),
    answer: webhookSource,
  }),
  versions: endpoint({
    id: 'webhookSources.versions',
    route: 'GET /webhooksources/:client/:source/versions',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the newest 50 versions of the mapping.',
    params: ofSource,
    answer: results(version, 50),
  }),
  pause: endpoint({
    id: 'webhookSources.pause',
    route: 'PUT /webhooksources/:client/:source',
    allow: 'connections:write',
    freshness: 'none',
    summary: 'Pauses or resumes a webhook source. Requests to a paused one get 403.',
    params: ofSource,
    body: z.object({ isPaused: z.boolean().describe('True to pause, false to resume.') }),
    answer: nothing,
  }),
  replaceSecret: endpoint({
    id: 'webhookSources.replaceSecret',
    route: 'POST /webhooksources/:client/:source/secret',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Replaces the secret at once. The new one is returned only in this response.',
    params: ofSource,
    answer: withSecret,
  }),
  remove: endpoint({
    id: 'webhookSources.remove',
    route: 'DELETE /webhooksources/:client/:source',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Removes a webhook source with its secret and mapping. Its events stay.',
    params: ofSource,
    answer: nothing,
  }),
};
