import { agentsApi } from '@parapet/contract/agents.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AgentsService } from './agents.service.ts';
import type { ReleasesService } from './releases.service.ts';

export function agentsRoutes(serving: Serving, agents: AgentsService, releases: ReleasesService): void {
  serve(serving, agentsApi.list, ({ actor, params, query }) => agents.list(actor, params.client, query));
  serve(serving, agentsApi.revoke, async ({ actor, params }) => {
    await agents.revoke(actor, params.client, params.agent);
    return {};
  });
  serve(serving, agentsApi.listTokens, ({ actor, params }) => agents.listTokens(actor, params.client));
  serve(serving, agentsApi.createToken, ({ actor, params, body }) => agents.createToken(actor, params.client, body));
  serve(serving, agentsApi.revokeToken, async ({ actor, params }) => {
    await agents.revokeToken(actor, params.client, params.token);
    return {};
  });
  serve(serving, agentsApi.listReleases, () => releases.list());
  serve(serving, agentsApi.addRelease, ({ actor, params, query, request }) =>
    releases.add(actor, params.version, params.platform, query.signature, request.body as Buffer),
  );
  serve(serving, agentsApi.rollout, ({ actor, params, body }) => releases.rollout(actor, params.client, body));
  serve(serving, agentsApi.getRollout, ({ actor, params }) => releases.getRollout(actor, params.client));
}
