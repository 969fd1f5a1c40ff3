/** Assistants that act through MCP for a person: their consent, and the access that they have (docs/mcp.md). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, name, results } from './primitives.ts';

/** read: the tools that read. propose: notes and responses that a person decides on. */
export const assistantScopes = ['read', 'propose'] as const;
export type AssistantScope = (typeof assistantScopes)[number];

const scopes = z.array(z.enum(assistantScopes)).max(assistantScopes.length).describe('read and propose, as the assistant asked.');

const uid = z
  .string()
  .regex(/^[\w-]{20,60}$/, 'This is not a request of an assistant.')
  .max(60)
  .describe('ID of the authorization request. Valid in the browser that started it.');

export const assistantGrant = z.object({
  id: id.describe('ID of the access.'),
  client: name.describe('Name that the assistant gave itself.'),
  redirectHost: line.describe('Host to which the access was given.'),
  scopes,
  createdAt: instant.describe('Time of consent.'),
  lastUsedAt: instant.nullable().describe('Time of last use, to the minute; null if never used.'),
  revokedAt: instant.nullable().describe('Revocation time; null while active.'),
});
export type AssistantGrant = z.infer<typeof assistantGrant>;

export const assistantsApi = {
  consent: endpoint({
    id: 'assistants.consent',
    route: 'GET /oauth/consents/:uid/details',
    prefix: '',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Returns the assistant that asks for access, and the access that it asks for.',
    params: z.object({ uid }),
    answer: z.object({
      client: name.describe('Name that the assistant gave itself. Unverified.'),
      redirectHost: line.describe('Host that receives the access.'),
      isLocal: z.boolean().describe('True for a program on the caller’s own device.'),
      scopes,
    }),
  }),
  decide: endpoint({
    id: 'assistants.decide',
    route: 'POST /oauth/consents/:uid/decision',
    prefix: '',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Allows or denies the access that an assistant asks for.',
    params: z.object({ uid }),
    body: z.object({ isAllowed: z.boolean().describe('false denies it.') }),
    answer: z.object({ returnTo: z.string().max(2_000).describe('Address at which the browser continues.') }),
  }),
  grants: endpoint({
    id: 'assistants.grants',
    route: 'GET /account/assistants',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Lists the assistants that act for the caller, and former ones.',
    answer: results(assistantGrant, 200),
  }),
  revoke: endpoint({
    id: 'assistants.revoke',
    route: 'DELETE /account/assistants/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends the access of an assistant immediately.',
    params: z.object({ id: id.describe('ID of the access.') }),
    answer: nothing,
  }),
};
