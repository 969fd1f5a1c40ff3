/** What the page search finds besides pages: things by name or number. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { line, organisationId, results } from './primitives.ts';

/** Each later feature adds its kind. */
export const foundKinds = ['alert', 'case', 'device', 'user', 'rule', 'organisation'] as const;

export const found = z.object({
  kind: z.enum(foundKinds).describe('What it is.'),
  id: z.string().max(64).describe('Names it: an alert’s, case’s, user’s, rule’s or organisation’s id, a device’s uuid.'),
  title: line.describe('Its name.'),
  detail: line.describe('What tells it from others of the same name.'),
  clientOrganizationID: organisationId.nullable().describe('Whose it is; null for a rule.'),
});
export type Found = z.infer<typeof found>;

export const searchApi = {
  find: endpoint({
    id: 'search.find',
    method: 'GET',
    path: '/search',
    allow: 'search:use',
    freshness: 'none',
    summary: 'Alerts, cases, devices, users, rules and organisations by name or number: at most five of each kind.',
    query: z.object({ text: z.string().trim().min(1).max(200).describe('Part of a name, or a number.') }),
    answer: results(found, 50),
  }),
};
