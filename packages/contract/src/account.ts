/** One's own account: where one is signed in, and keys for programs that act with one's own rights. */
import { z } from 'zod';
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

export const apiKeyAccess = ['read', 'readWrite'] as const;

export const apiKey = z.object({
  id: id.describe('Names the key.'),
  name: name.describe('What the key is for.'),
  prefix: z.string().max(16).describe('Its first characters, to tell keys apart.'),
  access: z.enum(apiKeyAccess).describe('read, or readWrite; never more than the user’s own rights.'),
  createdAt: instant.describe('When it was made.'),
  expiresAt: instant.describe('When it ends by itself.'),
  lastUsedAt: instant.nullable().describe('When it was last used, to the minute; null before.'),
  revokedAt: instant.nullable().describe('When it was revoked; null while it works.'),
});

export const accountApi = {
  sessions: endpoint({
    id: 'account.sessions',
    method: 'GET',
    path: '/account/sessions',
    allow: 'session:use',
    summary: 'Where one is signed in, newest first.',
    answer: results(ownSession, 500),
  }),
  endSession: endpoint({
    id: 'account.endSession',
    method: 'DELETE',
    path: '/account/sessions/:id',
    allow: 'session:use',
    summary: 'Ends one of one’s own sign-ins.',
    params: z.object({ id: z.uuid().describe('The sign-in.') }),
    answer: nothing,
  }),
  endOtherSessions: endpoint({
    id: 'account.endOtherSessions',
    method: 'DELETE',
    path: '/account/sessions',
    allow: 'session:use',
    summary: 'Ends all of one’s own sign-ins but this one.',
    answer: z.object({ ended: z.number().int().describe('How many.') }),
  }),
  apiKeys: endpoint({
    id: 'account.apiKeys',
    method: 'GET',
    path: '/account/apikeys',
    allow: 'session:use',
    summary: 'One’s own API keys.',
    answer: results(apiKey, 200),
  }),
  createApiKey: endpoint({
    id: 'account.createApiKey',
    method: 'POST',
    path: '/account/apikeys',
    allow: 'session:use',
    summary: 'Makes an API key; its text is in this answer and nowhere else. Needs a sign-in at most ten minutes old.',
    body: z.object({
      name: name.describe('What the key is for.'),
      access: z.enum(apiKeyAccess).default('read').describe('read or readWrite.'),
      expiresInDays: z.number().int().min(1).max(365).default(90).describe('After how many days it ends.'),
    }),
    answer: apiKey.extend({ key: z.string().max(100).describe('The key itself, shown once: Authorization: Bearer <key>.') }),
  }),
  revokeApiKey: endpoint({
    id: 'account.revokeApiKey',
    method: 'DELETE',
    path: '/account/apikeys/:id',
    allow: 'session:use',
    summary: 'Revokes an API key: from now on it is refused.',
    params: z.object({ id: id.describe('The key.') }),
    answer: nothing,
  }),
};
