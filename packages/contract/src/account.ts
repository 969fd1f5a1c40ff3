/** One's own account: where one is signed in, and keys for programs that act with one's own rights. */
import { z } from 'zod';
import { keyScopes } from './access.ts';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, name, results } from './primitives.ts';

export const ownSession = z.object({
  id: z.uuid().describe('Names the sign-in.'),
  signedInAt: instant.describe('When it began.'),
  lastSeenAt: instant.describe('When it was last used, to the minute.'),
  address: line.describe('Where it came from.'),
  userAgent: line.describe('What the browser says of itself.'),
  method: z.enum(['password', 'mfa', 'singleSignOn']).describe('How it was signed in.'),
  isCurrent: z.boolean().describe('Whether it is the one that asks.'),
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
const addressRanges = z
  .array(range)
  .max(20)
  .describe('Addresses and ranges (CIDR) that the key works from; empty: from everywhere.');

export const apiKey = z.object({
  id: id.describe('Names the key.'),
  name: name.describe('What the key is for.'),
  prefix: z.string().max(16).describe('Its first characters, to tell keys apart.'),
  scopes,
  addressRanges,
  createdAt: instant.describe('When it was made.'),
  expiresAt: instant.describe('When it ends by itself.'),
  lastUsedAt: instant.nullable().describe('When it was last used, to the minute; null before.'),
  revokedAt: instant.nullable().describe('When it was revoked; null while it works.'),
  minted: z.number().int().describe('Ingest keys and enrolment tokens created with it that still work.'),
});

export const mintedKey = z.object({
  kind: z.enum(['ingestKey', 'enrolmentToken']).describe('An ingest key, or a token that agents enrol with.'),
  id: id.describe('Names it among its kind.'),
  clientOrganizationID: id.describe('The organisation that it sends or enrols for.'),
  clientOrganizationName: name.describe('That organisation’s name.'),
  name: name.describe('What it is for.'),
  prefix: z.string().max(16).describe('Its first characters.'),
  createdAt: instant.describe('When it was created.'),
  revokedAt: instant.nullable().describe('When it was revoked; null while it works.'),
});

export const accountApi = {
  sessions: endpoint({
    id: 'account.sessions',
    method: 'GET',
    path: '/account/sessions',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Where one is signed in, newest first.',
    answer: results(ownSession, 500),
  }),
  endSession: endpoint({
    id: 'account.endSession',
    method: 'DELETE',
    path: '/account/sessions/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends one of one’s own sign-ins.',
    params: z.object({ id: z.uuid().describe('The sign-in.') }),
    answer: nothing,
  }),
  endOtherSessions: endpoint({
    id: 'account.endOtherSessions',
    method: 'DELETE',
    path: '/account/sessions',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends all of one’s own sign-ins but this one.',
    answer: z.object({ ended: z.number().int().describe('How many.') }),
  }),
  apiKeys: endpoint({
    id: 'account.apiKeys',
    method: 'GET',
    path: '/account/apikeys',
    allow: 'session:use',
    freshness: 'none',
    summary: 'One’s own API keys.',
    answer: results(apiKey, 200),
  }),
  createApiKey: endpoint({
    id: 'account.createApiKey',
    method: 'POST',
    path: '/account/apikeys',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Makes an API key; its text is in this answer and nowhere else.',
    body: z.object({
      name: name.describe('What the key is for.'),
      scopes: scopes.default(['read']),
      addressRanges: addressRanges.default([]),
      expiresInDays: z.number().int().min(1).max(365).default(90).describe('After how many days it ends.'),
    }),
    answer: apiKey.extend({ key: z.string().max(100).describe('The key itself, shown once: Authorization: Bearer <key>.') }),
  }),
  revokeApiKey: endpoint({
    id: 'account.revokeApiKey',
    method: 'DELETE',
    path: '/account/apikeys/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Revokes an API key: from now on it is refused.',
    params: z.object({ id: id.describe('The key.') }),
    query: z.object({
      withMinted: z
        .enum(['true', 'false'])
        .default('false')
        .describe('true also revokes the ingest keys and enrolment tokens created with it.'),
    }),
    answer: z.object({ revoked: z.number().int().describe('Ingest keys and enrolment tokens that were revoked with it.') }),
  }),
  mintedByApiKey: endpoint({
    id: 'account.mintedByApiKey',
    method: 'GET',
    path: '/account/apikeys/:id/minted',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ingest keys and enrolment tokens created with one’s own API key, newest first.',
    params: z.object({ id: id.describe('The key.') }),
    answer: results(mintedKey, 1000),
  }),
};
