/** Agents and shippers, tokens and releases, made from the contract. */
import { agentsApi } from '@parapet/contract/agents.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import type { ListQuery } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';
import type { collectorList } from './agentFilters.ts';

export const collectorsQuery = (client: number, query: ListQuery<typeof collectorList>) =>
  queryOptionsOf(agentsApi.list, { params: { client }, query });
export const tokensQuery = (client: number) => queryOptionsOf(agentsApi.listTokens, { params: { client } });
export const releasesQuery = queryOptionsOf(agentsApi.listReleases, {});
export const rolloutQuery = (client: number) => queryOptionsOf(agentsApi.getRollout, { params: { client } });

/** `failed` precedes the reason that the server gives. */
function useChange<Input, Answer>(
  work: (input: Input) => Promise<Answer>,
  done: (answer: Answer) => string,
  failed: string,
  old: readonly { id: string }[],
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: async (answer) => {
      toast.success(done(answer));
      await Promise.all(old.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
    },
    onError: (error) => toast.error(`${failed} ${error.message}`),
  });
}

export const useRevokeAgent = () =>
  useChange(
    (params: { client: number; agent: number }) => call(agentsApi.revoke, { params }),
    () => 'The agent was revoked: its key no longer works',
    'The agent could not be revoked.',
    [agentsApi.list],
  );
export const useRevokeToken = () =>
  useChange(
    (params: { client: number; token: number }) => call(agentsApi.revokeToken, { params }),
    () => 'The token was revoked',
    'The token could not be revoked.',
    [agentsApi.listTokens],
  );
export const useRollout = (client: number) =>
  useChange(
    (body: { version: string; percent: 0 | 1 | 10 | 100 }) => call(agentsApi.rollout, { params: { client }, body }),
    ({ version, percent, agents }) =>
      percent === 0 ? `Version ${version} is no longer offered` : `Version ${version} is offered to ${agents} of the agents`,
    'The roll-out could not be changed.',
    [agentsApi.getRollout, agentsApi.list],
  );
