/** Quick search over records by name or number. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { line, organisationId, results } from './primitives.ts';

/** Each later feature adds its kind. */
export const searchResultKinds = ['alert', 'case', 'device', 'user', 'rule', 'organisation'] as const;

export const found = z.object({
  kind: z.enum(searchResultKinds).describe('Kind.'),
  id: z.string().max(64).describe('ID of the alert, case, user, rule or organisation, or device UUID.'),
  title: line.describe('Name or title.'),
  detail: line.describe('Disambiguating detail.'),
  clientOrganizationID: organisationId.nullable().describe('Organisation; null for a rule.'),
});
export type Found = z.infer<typeof found>;

export const searchApi = {
  find: endpoint({
    id: 'search.find',
    route: 'GET /search',
    allow: 'search:use',
    freshness: 'none',
    summary: 'Searches alerts, cases, devices, users, rules and organisations by name or number, up to five of each.',
    query: z.object({ text: z.string().trim().min(1).max(200).describe('Substring of a name, or a number.') }),
    answer: results(found, 50),
  }),
};
