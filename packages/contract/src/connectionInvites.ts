/** Invitations to connect: one-time links by which a client’s administrator enters the values of a connection. */
import { z } from 'zod';
import { connectionKind } from './connections.ts';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, name, nameLine, organisationId, results } from './primitives.ts';

const kindId = z.string().max(40).describe('Kind of connection, from connections.kinds.');
const token = z.string().max(200).describe('Token of the link.');

export const connectionInvite = z.object({
  id: z.number().int().describe('Invitation ID.'),
  clientOrganizationID: organisationId.describe('Organisation of the connection.'),
  kind: kindId,
  title: line.describe('Product and log.'),
  name: name.describe('Name of the connection.'),
  email: line.describe('Recipient of the link.'),
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
    answer: results(connectionInvite),
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
        .omit({ actions: true, actionStep: true, incidentStep: true, isPush: true })
        .describe('The service, with its fields and instructions.'),
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
};
