/** Isolation of organisations: every night people of other organisations try to read marked objects of each (docs/decisions/0091-isolation-test.md). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, instant, line, organisationId, results } from './primitives.ts';

export const isolationProof = z.object({
  triedAt: instant.nullable().describe('Time of the last attempts; null before the first ones.'),
  attempts: z.number().int().describe('Requests by people of other organisations in the 24 hours up to it.'),
  refused: z
    .number()
    .int()
    .describe('Of these, how many were refused; the others returned data of the caller’s own organisation.'),
  found: z.number().int().describe('Of these, how many returned data of the organisation.'),
  failed: z.number().int().describe('Calls that could not be tried because of an error.'),
  isWhole: z.boolean().describe('True if people of every organisation that must not see its data tried within 30 days.'),
  organisations: z
    .number()
    .int()
    .nullable()
    .describe('Other organisations whose people tried within 30 days; null except for the provider, whose customers they are.'),
  others: z.number().int().nullable().describe('Organisations that must not see its data; null except for the provider.'),
});
export type IsolationProof = z.infer<typeof isolationProof>;

export const isolationFinding = z.object({
  foundAt: instant.describe('Time of the attempt.'),
  clientOrganizationID: organisationId.describe('Organisation whose data was returned.'),
  clientOrganizationName: line.describe('Name of that organisation.'),
  actorOrganizationName: line.describe('Organisation of the person who tried.'),
  operation: line.describe('Operation ID of the call.'),
  how: z
    .enum(['answered', 'content', 'changed'])
    .describe(
      'answered: a call that names a foreign organisation or object succeeded. content: the response contains foreign text. changed: figures changed with foreign data.',
    ),
});
export type IsolationFinding = z.infer<typeof isolationFinding>;

export const isolationApi = {
  get: endpoint({
    id: 'isolation.get',
    route: 'GET /isolation/:client',
    allow: 'audit:read',
    freshness: 'none',
    summary: 'Returns the last attempts of other organisations’ people to read the data of an organisation.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    answer: isolationProof,
  }),
  findings: endpoint({
    id: 'isolation.findings',
    route: 'GET /isolation/findings',
    allow: 'operations:read',
    freshness: 'none',
    summary: 'Lists attempts that returned foreign data, newest first. For the provider’s Host.',
    answer: results(isolationFinding, 200).extend({
      isRunning: z.boolean().describe('True from a request until its attempts are done.'),
    }),
  }),
  run: endpoint({
    id: 'isolation.run',
    route: 'POST /isolation/run',
    allow: 'installation:write',
    freshness: 'none',
    summary: 'Tries the isolation of all organisations now. For the provider’s Host.',
    answer: nothing,
  }),
};
