/** Ingest keys: credentials of shippers for one organisation. Returned once, stored as a hash. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, name, organisationId, results } from './primitives.ts';

export const ingestKey = z.object({
  id: z.number().int().describe('Key ID.'),
  clientOrganizationID: organisationId.describe('Organisation of its events.'),
  name: name.describe('Purpose of the key.'),
  prefix: z.string().max(16).describe('First characters of the key, for identification.'),
  createdAt: instant.describe('Creation time.'),
  lastUsedAt: instant.nullable().describe('Time of last use, to the minute.'),
  revokedAt: instant.nullable().describe('Revocation time; null while active.'),
});

export const ingestKeysApi = {
  list: endpoint({
    id: 'ingestKeys.list',
    route: 'GET /ingestkeys/:client',
    allow: 'ingestKeys:write',
    freshness: 'none',
    summary: 'Lists the ingest keys of a client.',
    params: z.object({ client: id.describe('The client.') }),
    answer: results(ingestKey),
  }),
  create: endpoint({
    id: 'ingestKeys.create',
    route: 'POST /ingestkeys/:client',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Creates an ingest key. The key is returned only in this response.',
    params: z.object({ client: id.describe('The client.') }),
    body: z.object({ name: name.describe('Purpose of the key.') }),
    answer: ingestKey.extend({ key: z.string().max(100).describe('The key, shown once.') }),
  }),
  revoke: endpoint({
    id: 'ingestKeys.revoke',
    route: 'DELETE /ingestkeys/:client/:key',
    allow: 'ingestKeys:write',
    freshness: 'freshOrKey',
    summary: 'Revokes an ingest key immediately.',
    params: z.object({ client: id.describe('The client.'), key: id.describe('Key ID.') }),
    answer: nothing,
  }),
};
