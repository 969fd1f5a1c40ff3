/** Keys by which shippers send events for one organisation. Shown once, stored as a hash. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, name, organisationId, results } from './primitives.ts';

export const ingestKey = z.object({
  id: z.number().int().describe('Names the key.'),
  clientOrganizationID: organisationId.describe('The organisation that its events belong to.'),
  name: name.describe('What the key is for.'),
  prefix: z.string().max(16).describe('The first characters of the key, to tell keys apart.'),
  createdAt: instant.describe('When it was made.'),
  lastUsedAt: instant.nullable().describe('When it was last used, to the minute.'),
  revokedAt: instant.nullable().describe('When it was revoked; null while it works.'),
});

export const ingestKeysApi = {
  list: endpoint({
    id: 'ingestKeys.list',
    method: 'GET',
    path: '/ingestkeys/:client',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'The ingest keys of a client.',
    params: z.object({ client: id.describe('The client.') }),
    answer: results(ingestKey),
  }),
  create: endpoint({
    id: 'ingestKeys.create',
    method: 'POST',
    path: '/ingestkeys/:client',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Makes an ingest key; its text is in this answer and nowhere else.',
    params: z.object({ client: id.describe('The client.') }),
    body: z.object({ name: name.describe('What the key is for.') }),
    answer: ingestKey.extend({ key: z.string().max(100).describe('The key itself, shown once.') }),
  }),
  revoke: endpoint({
    id: 'ingestKeys.revoke',
    method: 'DELETE',
    path: '/ingestkeys/:client/:key',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Revokes an ingest key: what is sent with it from now on is refused.',
    params: z.object({ client: id.describe('The client.'), key: id.describe('The key.') }),
    answer: nothing,
  }),
};
