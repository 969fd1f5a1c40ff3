/** Invitations to connect: one-time links by which a client’s administrator enters the values of a connection. */
import { z } from 'zod';
import { connectionKind, connectionPermission } from './connections.ts';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, name, nameLine, organisationId, results } from './primitives.ts';

const kindId = z.string().max(40).describe('Kind of connection, from connections.kinds.');
const token = z.string().max(200).describe('Token of the link.');

/** Directory (tenant) ID at Microsoft. */
export const tenantPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const tenant = z
  .string()
  .trim()
  .regex(tenantPattern, 'Enter the tenant ID, such as 00000000-0000-0000-0000-000000000000.')
  .max(36)
  .toLowerCase();

/** Ends of a consent, as the address of the result page has them. */
export const consentOutcomes = [
  'connected',
  'untested',
  'cancelled',
  'expired',
  'gone',
  'notAdministrator',
  'otherTenant',
  'taken',
  'nameTaken',
  'tooMany',
  'failed',
] as const;
export type ConsentOutcome = (typeof consentOutcomes)[number];

export const connectionInvite = z.object({
  id: z.number().int().describe('Invitation ID.'),
  clientOrganizationID: organisationId.describe('Organisation of the connection.'),
  kind: kindId,
  title: line.describe('Product and log.'),
  name: name.describe('Name of the connection.'),
  email: line.describe('Recipient of the link.'),
  tenant: line.nullable().describe('Tenant that must consent; null for any, and for kinds without consent.'),
  state: z.enum(['open', 'used', 'expired', 'revoked']).describe('State of the link.'),
  createdBy: name.describe('Person who invited.'),
  createdAt: instant.describe('Creation time.'),
  expiresAt: instant.describe('End of validity.'),
});
export type ConnectionInvite = z.infer<typeof connectionInvite>;

const ofClient = z.object({ client: id.describe('The client.') });

export const connectionInvitesApi = {
  list: endpoint({
    id: 'connectionInvites.list',
    route: 'GET /connectioninvites/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the invitations of the last 90 days of a client, or of all clients in scope.',
    params: z.object({ client: clientId.describe('The client; 0 for all.') }),
    answer: results(connectionInvite).extend({
      offersConsent: z
        .boolean()
        .describe('True when administrators of this client can consent to an application instead of entering values.'),
    }),
  }),
  create: endpoint({
    id: 'connectionInvites.create',
    route: 'POST /connectioninvites/:client',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Emails a link to an administrator of the client, who adds the connection with it. Valid for 7 days, once.',
    params: ofClient,
    body: z.object({
      kind: kindId,
      name: nameLine.describe('Name of the connection.'),
      email: z.email().max(254).describe('Recipient of the link.'),
      tenant: tenant.optional().describe('Tenant that must consent; absent for any, and for kinds without consent.'),
    }),
    answer: connectionInvite,
  }),
  revoke: endpoint({
    id: 'connectionInvites.revoke',
    route: 'DELETE /connectioninvites/:client/:invite',
    allow: 'connections:write',
    freshness: 'none',
    summary: 'Revokes an invitation; its link stops working.',
    params: ofClient.extend({ invite: id.describe('Invitation ID.') }),
    answer: nothing,
  }),
  open: endpoint({
    id: 'connectionInvites.open',
    route: 'POST /connect/open',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Returns the form of an invitation. The emailed token authorises it.',
    body: z.object({ token }),
    answer: z.object({
      client: name.describe('Name of the client.'),
      name: name.describe('Name of the connection.'),
      invitedBy: name.describe('Organisation of the person who invited.'),
      expiresAt: instant.describe('End of validity.'),
      kind: connectionKind
        .omit({ actions: true, actionStep: true, incidentStep: true, isPush: true, permissions: true })
        .describe('The service, with its fields and instructions.'),
      consent: z
        .object({
          permissions: z.array(connectionPermission).max(20).describe('Permissions to grant.'),
          tenant: line.nullable().describe('Tenant that must consent; null for any.'),
        })
        .nullable()
        .describe('Consent at the vendor, in place of values; null where it isn’t offered.'),
    }),
  }),
  accept: endpoint({
    id: 'connectionInvites.accept',
    route: 'POST /connect/accept',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Tries the values at the vendor and adds the connection. The emailed token authorises it, once.',
    body: z.object({
      token,
      values: z.record(z.string().max(40), z.string().trim().max(10_000)).describe('Values of the kind’s fields.'),
    }),
    answer: z.object({ name: name.describe('Name of the connection.') }),
  }),
  consent: endpoint({
    id: 'connectionInvites.consent',
    route: 'POST /connect/consent',
    allow: 'anyone',
    freshness: 'none',
    summary:
      'Starts a consent: returns the vendor’s sign-in, bound to this browser by a cookie. The emailed token authorises it.',
    body: z.object({ token }),
    answer: z.object({ url: z.string().max(4_000).describe('Address to open.') }),
  }),
  consentCallback: endpoint({
    id: 'connectionInvites.consentCallback',
    route: 'GET /connect/callback/microsoft',
    allow: 'anyone',
    freshness: 'none',
    summary:
      'Receives redirects of Microsoft: the sign-in of the administrator, then the consent. Redirects on, at the end to the result page. The state and the browser’s cookie authorise it, once.',
    query: z.object({
      code: z.string().max(4096).optional().describe('Authorisation code of the sign-in.'),
      state: z.string().max(200).optional().describe('State parameter sent by this portal.'),
      error: z.string().max(500).optional().describe('Error code.'),
      admin_consent: z.string().max(20).optional().describe('True in the response to a consent.'),
      tenant: z.string().max(200).optional().describe('Tenant of the consent; compared, never trusted.'),
    }),
    answer: nothing,
    answers: 'redirect',
  }),
};
