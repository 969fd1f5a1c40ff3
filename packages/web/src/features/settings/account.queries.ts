/** One's own account, made from the contract. */
import { accountApi } from '@parapet/contract/account.ts';
import { mailSubscriptionsApi } from '@parapet/contract/mailSubscriptions.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { queryOptionsOf } from '../../lib/query.ts';

export const sessionsQuery = () => queryOptionsOf(accountApi.sessions, {});
export const apiKeysQuery = () => queryOptionsOf(accountApi.apiKeys, {});
export const mintedQuery = (id: number) => queryOptionsOf(accountApi.mintedByApiKey, { params: { id } });
export const secondFactorQuery = () => queryOptionsOf(secondFactorApi.get, {});
export const ownMailsQuery = () => queryOptionsOf(mailSubscriptionsApi.mine, {});

const changing = {
  sessions: accountApi.sessions.id,
  apiKeys: accountApi.apiKeys.id,
  user: usersApi.get.id,
  secondFactor: secondFactorApi.get.id,
};

export function useAccountChanged() {
  const queries = useQueryClient();
  return useCallback((what: keyof typeof changing) => queries.invalidateQueries({ queryKey: [changing[what]] }), [queries]);
}
