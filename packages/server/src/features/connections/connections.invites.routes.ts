import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ConnectionInvitesService } from './connections.invites.ts';

export function connectionInvitesRoutes(serving: Serving, invites: ConnectionInvitesService): void {
  serve(serving, connectionInvitesApi.list, ({ actor, params }) => invites.list(actor, params.client));
  serve(serving, connectionInvitesApi.create, ({ actor, params, body }) => invites.create(actor, params.client, body));
  serve(serving, connectionInvitesApi.revoke, async ({ actor, params }) => {
    await invites.revoke(actor, params.client, params.invite);
    return {};
  });
  serve(serving, connectionInvitesApi.open, ({ body }) => invites.open(body.token));
  serve(serving, connectionInvitesApi.accept, ({ body, request }) => invites.accept(body.token, body.values, request.ip));
}
