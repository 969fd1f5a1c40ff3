/** One's own account, made from the contract. */
import { accountApi } from '@parapet/contract/account.ts';
import { mailSubscriptionsApi } from '@parapet/contract/mailSubscriptions.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { queryOptionsOf } from '../../lib/query.ts';

export const sessionsQuery = () => queryOptionsOf(accountApi.sessions, {});
export const apiKeysQuery = () => queryOptionsOf(accountApi.apiKeys, {});
export const ownMailsQuery = () => queryOptionsOf(mailSubscriptionsApi.mine, {});
export const ownUserQuery = (clientId: number, userId: number) => queryOptionsOf(usersApi.get, { params: { clientId, userId } });

export function useAccountChanged() {
  const queries = useQueryClient();
  return useCallback(
    (what: 'sessions' | 'apiKeys' | 'user') =>
      queries.invalidateQueries({
        queryKey: [{ sessions: accountApi.sessions.id, apiKeys: accountApi.apiKeys.id, user: usersApi.get.id }[what]],
      }),
    [queries],
  );
}
