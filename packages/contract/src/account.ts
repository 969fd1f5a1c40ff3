/** The caller's own account: sessions and API keys. */
import { z } from 'zod';
import { keyScopes } from './access.ts';
import { browserNotificationsApi } from './browserNotifications.ts';
import { chatAccountsApi } from './deliveryCallbacks.ts';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, name, results } from './primitives.ts';

export const ownSession = z.object({
  id: z.uuid().describe('Session ID.'),
  signedInAt: instant.describe('Time of sign-in.'),
  lastSeenAt: instant.describe('Time of last use, to the minute.'),
  address: line.describe('Source IP address.'),
  userAgent: line.describe('User-Agent header of the browser.'),
  method: z.enum(['password', 'mfa', 'singleSignOn']).describe('Sign-in method.'),
  isCurrent: z.boolean().describe('True for the session of this request.'),
});

const scopes = z
  .array(z.enum(keyScopes))
  .min(1, 'Select at least one scope.')
  .max(keyScopes.length)
  .describe('read, triage, respond, administer or ingest; never more than the user’s own rights.');

const range = z
  .string()
  .trim()
  .max(50)
  .refine((text) => [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()].some((schema) => schema.safeParse(text).success), {
    error: 'Enter an IP address or a range such as 203.0.113.0/24.',
  });
const addressRanges = z.array(range).max(20).describe('Allowed source addresses and CIDR ranges; empty allows any address.');

export const apiKey = z.object({
  id: id.describe('Key ID.'),
  name: name.describe('Purpose of the key.'),
  prefix: z.string().max(16).describe('First characters, for identification.'),
  scopes,
  addressRanges,
  createdAt: instant.describe('Creation time.'),
  expiresAt: instant.describe('Expiry time.'),
  lastUsedAt: instant.nullable().describe('Time of last use, to the minute; null if never used.'),
  revokedAt: instant.nullable().describe('Revocation time; null while active.'),
  minted: z.number().int().describe('Active ingest keys and enrolment tokens created with this key.'),
});

export const mintedKey = z.object({
  kind: z.enum(['ingestKey', 'enrolmentToken']).describe('Ingest key or agent enrolment token.'),
  id: id.describe('ID, unique within its kind.'),
  clientOrganizationID: id.describe('Organisation that it sends events or enrols agents for.'),
  clientOrganizationName: name.describe('Organisation name.'),
  name: name.describe('Purpose.'),
  prefix: z.string().max(16).describe('First characters.'),
  createdAt: instant.describe('Creation time.'),
  revokedAt: instant.nullable().describe('Revocation time; null while active.'),
});

export const accountApi = {
  ...chatAccountsApi,
  ...browserNotificationsApi,
  sessions: endpoint({
    id: 'account.sessions',
    route: 'GET /account/sessions',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Lists the caller’s active sessions, newest first.',
    answer: results(ownSession, 500),
  }),
  endSession: endpoint({
    id: 'account.endSession',
    route: 'DELETE /account/sessions/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends one of the caller’s sessions.',
    params: z.object({ id: z.uuid().describe('Session ID.') }),
    answer: nothing,
  }),
  endOtherSessions: endpoint({
    id: 'account.endOtherSessions',
    route: 'DELETE /account/sessions',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends all of the caller’s sessions except the current one.',
    answer: z.object({ ended: z.number().int().describe('Number of ended sessions.') }),
  }),
  apiKeys: endpoint({
    id: 'account.apiKeys',
    route: 'GET /account/apikeys',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Lists the caller’s API keys.',
    answer: results(apiKey, 200),
  }),
  createApiKey: endpoint({
    id: 'account.createApiKey',
    route: 'POST /account/apikeys',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Creates an API key. The key is returned only in this response.',
    body: z.object({
      name: name.describe('Purpose of the key.'),
      scopes: scopes.default(['read']),
      addressRanges: addressRanges.default([]),
      expiresInDays: z.number().int().min(1).max(365).default(90).describe('Days until the key expires.'),
    }),
    answer: apiKey.extend({ key: z.string().max(100).describe('The key, shown once. Send it as Authorization: Bearer <key>.') }),
  }),
  revokeApiKey: endpoint({
    id: 'account.revokeApiKey',
    route: 'DELETE /account/apikeys/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Revokes an API key immediately.',
    params: z.object({ id: id.describe('Key ID.') }),
    query: z.object({
      withMinted: z
        .enum(['true', 'false'])
        .default('false')
        .describe('true also revokes the ingest keys and enrolment tokens created with it.'),
    }),
    answer: z.object({ revoked: z.number().int().describe('Ingest keys and enrolment tokens revoked with it.') }),
  }),
  mintedByApiKey: endpoint({
    id: 'account.mintedByApiKey',
    route: 'GET /account/apikeys/:id/minted',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Lists ingest keys and enrolment tokens created with the caller’s API key, newest first.',
    params: z.object({ id: id.describe('Key ID.') }),
    answer: results(mintedKey, 1000),
  }),
};
