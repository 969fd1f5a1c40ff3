/** Users, made from the contract, and what can be done with them. */
import { usersApi } from '@parapet/contract/users.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { queryOptionsOf } from '../../lib/query.ts';
import type { UserFilters } from './userFilters.ts';

/** A filter as the calls take it. */
export const userQuery = ({ text, role, state, mfa, sort, order }: UserFilters) => ({
  search: text || undefined,
  role,
  state,
  mfa,
  sort,
  order,
});

export const userListQuery = (client: number, filters: UserFilters) =>
  queryOptionsOf(usersApi.list, {
    params: { client },
    query: { ...userQuery(filters), page: filters.page, pageSize: filters.pageSize },
  });
export const userDetailQuery = (clientId: number, userId: number) =>
  queryOptionsOf(usersApi.get, { params: { clientId, userId } });
export const clientRolesQuery = (clientId: number) => queryOptionsOf(usersApi.clientRoles, { params: { clientId } });

/** After a change: whatever shows users is old. */
export function useUsersChanged() {
  const queries = useQueryClient();
  return useCallback(
    () => Promise.all([usersApi.list.id, usersApi.get.id].map((id) => queries.invalidateQueries({ queryKey: [id] }))),
    [queries],
  );
}
