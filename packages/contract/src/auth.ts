/** Signing in and out (spec §7.1). Second factor and single sign-on join here. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { line, name, organisationId } from './primitives.ts';

export const emailMinLength = 4;
export const loginPasswordMinLength = 8;

export const sessionUser = z.object({
  id: z.number().int().describe('Names the user.'),
  displayName: name.describe('First and last name, as shown.'),
  emailAddress: line.describe('The address that the user signs in with.'),
  role: z.array(z.string().max(50)).max(5).describe('The role’s name is the first element; empty for a guest.'),
  accessToken: z.string().max(4096).describe('The bearer token of further calls.'),
  isPartner: z.boolean().describe('Whether the user’s organisation is a partner (a reseller, or the provider).'),
  clientOrganizationID: organisationId.describe('The user’s own organisation.'),
  logoURL: line.describe('Path of the brand’s logo on this origin; empty for the default brand.'),
  profileURL: line.describe('Path of the profile picture on this origin; empty when there is none.'),
  data: z
    .object({
      settings: z.record(z.string().max(64), z.unknown()).describe('Look of the portal, as the user chose it.'),
      shortcuts: z.array(z.string().max(64)).max(50).describe('Ids of starred navigation items.'),
    })
    .describe('What the portal keeps for the user.'),
  partnerOrg: z
    .object({
      clientOrganizationID: organisationId.describe('The partner’s organisation.'),
      partnerName: name.describe('The partner’s name.'),
    })
    .nullable()
    .describe('The partner that looks after the user’s organisation.'),
});
export type SessionUser = z.infer<typeof sessionUser>;

export const authApi = {
  authenticate: endpoint({
    id: 'auth.authenticate',
    method: 'POST',
    path: '/auth/authenticate',
    allow: 'anyone',
    summary: 'Signs in with email and password.',
    body: z.object({
      email: z
        .string()
        .trim()
        .min(emailMinLength, `Min character length is ${emailMinLength}`)
        .max(254)
        .describe('The user’s address.'),
      password: z
        .string()
        .min(loginPasswordMinLength, `Min character length is ${loginPasswordMinLength}`)
        .max(256)
        .describe('The user’s password.'),
    }),
    answer: z.object({ user: sessionUser.describe('Who signed in.') }),
  }),
  accessToken: endpoint({
    id: 'auth.accessToken',
    method: 'POST',
    path: '/auth/access-token',
    allow: 'anyone',
    summary: 'Signs in with a stored token and renews it.',
    body: z.object({ accessToken: z.string().min(1).max(4096).describe('The stored token.') }),
    answer: z.object({ user: sessionUser.describe('Whose token it is, with a fresh one.') }),
  }),
  logout: endpoint({
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
    allow: 'signedIn',
    summary: 'Ends the session: its tokens are refused from now on.',
    answer: nothing,
  }),
};
