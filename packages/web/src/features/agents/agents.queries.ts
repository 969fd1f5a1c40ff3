/** Queries and writes of agents, shippers, enrolment tokens and releases. */
import { agentsApi } from '@parapet/contract/agents.ts';
import type { ListQuery } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import type { collectorList } from './agentFilters.ts';

export const collectorsQuery = (client: number, query: ListQuery<typeof collectorList>) =>
  queryOptionsOf(agentsApi.list, { params: { client }, query });
export const tokensQuery = (client: number) => queryOptionsOf(agentsApi.listTokens, { params: { client } });
export const releasesQuery = queryOptionsOf(agentsApi.listReleases, {});
export const rolloutQuery = (client: number) => queryOptionsOf(agentsApi.getRollout, { params: { client } });

export const useRevokeAgent = () =>
  useApiMutation(agentsApi.revoke, {
    invalidates: [agentsApi.list],
    success: 'Agent revoked. Its key no longer works.',
    failure: 'Couldn’t revoke the agent.',
  });
export const useRevokeToken = () =>
  useApiMutation(agentsApi.revokeToken, {
    invalidates: [agentsApi.listTokens],
    success: 'Token revoked',
    failure: 'Couldn’t revoke the token.',
  });
export const useRollout = () =>
  useApiMutation(agentsApi.rollout, {
    invalidates: [agentsApi.getRollout, agentsApi.list],
    success: ({ version, percent, agents }) =>
      percent === 0 ? `Version ${version} is no longer offered` : `Version ${version} is offered to ${agents} of the agents`,
    failure: 'Couldn’t change the rollout.',
  });
