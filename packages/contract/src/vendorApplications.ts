/** Applications that the provider, or a partner, registered at Microsoft for the tenants of all its clients. Secrets are sealed and never returned. */
import { z } from 'zod';
import { tenantPattern } from './connectionInvites.ts';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, name, organisationId, results } from './primitives.ts';

const clientID = z
  .string()
  .trim()
  .max(36)
  .regex(tenantPattern, 'Enter the application ID, such as 00000000-0000-0000-0000-000000000000.')
  .toLowerCase();

const addressOf = (login: string): string => (/^https?:\/\//i.test(login) ? login : `https://${login}`);

/** One form for each address: connections are found by it, and ID tokens compared with the application ID. */
const loginOf = (login: string): string => {
  if (!URL.canParse(addressOf(login))) return login;
  const url = new URL(addressOf(login));
  return url.protocol === 'https:' ? url.host : url.origin;
};
const loginFault = 'Enter a host name, such as login.microsoftonline.com.';
const login = z
  .string()
  .trim()
  .regex(/^(?:https?:\/\/)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?\/?$/i, loginFault)
  .refine((value) => URL.canParse(addressOf(value)), loginFault)
  .max(270)
  .overwrite(loginOf);

export const vendorApplication = z.object({
  organisationID: organisationId.describe('The provider or a partner.'),
  organisationName: name.describe('Its name.'),
  clientID: line.describe('Application (client) ID.'),
  login: line.describe('Host name of the sign-in.'),
  redirectURI: line.describe('Redirect address that the application must list.'),
  connections: count.describe('Connections that work by a consent to it.'),
  updatedAt: instant.describe('Time of the newest change.'),
});
export type VendorApplication = z.infer<typeof vendorApplication>;

const ofOrganisation = z.object({ organisation: id.describe('The provider or a partner.') });

export const vendorApplicationsApi = {
  list: endpoint({
    id: 'vendorApplications.list',
    route: 'GET /vendorapplications',
    allow: 'installation:write',
    freshness: 'none',
    summary: 'Lists the applications for consent, and redirect addresses for further ones.',
    answer: results(vendorApplication, 1_000).extend({
      owners: z
        .array(
          z.object({
            organisationID: organisationId.describe('The provider or a partner.'),
            organisationName: name.describe('Its name.'),
            redirectURI: line.describe('Redirect address that its application must list.'),
          }),
        )
        .max(1_000)
        .describe('The provider and its partners.'),
    }),
  }),
  save: endpoint({
    id: 'vendorApplications.save',
    route: 'PUT /vendorapplications/:organisation',
    allow: 'installation:write',
    freshness: 'fresh',
    summary: 'Sets the application of the provider or a partner. A new secret of the same application goes to its connections.',
    params: ofOrganisation,
    body: z.object({
      clientID: clientID.describe('Application (client) ID.'),
      secret: z
        .string()
        .trim()
        .regex(/^\S{16,200}$/, 'Enter the value of the secret, without spaces.')
        .max(200)
        .describe('Value of the client secret.'),
      login: login.describe('Host name of the sign-in.'),
    }),
    answer: vendorApplication,
  }),
  remove: endpoint({
    id: 'vendorApplications.remove',
    route: 'DELETE /vendorapplications/:organisation',
    allow: 'installation:write',
    freshness: 'fresh',
    summary: 'Removes an application. Connections keep their consent until it is revoked at Microsoft.',
    params: ofOrganisation,
    answer: nothing,
  }),
};
