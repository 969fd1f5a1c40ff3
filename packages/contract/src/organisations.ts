/** Client organisations: the provider, its partners, their clients. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { name, organisationId, results } from './primitives.ts';

export const clientOrganization = z.object({
  id: organisationId.describe('Names the organisation; the provider’s own is 1.'),
  name: name.describe('The organisation’s name.'),
  isPartner: z.boolean().describe('Whether it is a partner (a reseller, or the provider).'),
  partnerClientOrgID: organisationId.nullable().describe('The partner that looks after it; null for the provider.'),
});
export type ClientOrganization = z.infer<typeof clientOrganization>;

/** The entry that stands before the list of clients: every organisation in scope. */
export const allClients = { id: 0, name: 'All', isPartner: false, partnerClientOrgID: null } as const;

export const organisationsApi = {
  getAllClients: endpoint({
    id: 'organisations.getAllClients',
    method: 'GET',
    path: '/ClientOrganization/GetAllClients',
    allow: 'organisations:read',
    summary: 'The organisations that the caller may choose between: each partner, then its clients.',
    answer: results(clientOrganization),
  }),
};
