/** Users, made from the contract, and what can be done with them. */
import { roles, usersApi } from '@parapet/contract/users.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type ListQuery, listSchema, search, word, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const userStates = ['active', 'invited', 'deleted'] as const;
export const mfaStates = ['set', 'unset'] as const;
const sorts = ['displayName', 'emailAddress', 'role', 'lastSignInAt', 'clientOrganizationName'] as const;
export const userList = listSchema({
  text: search(),
  role: words(roles.map(({ name }) => name)),
  state: words(userStates),
  mfa: word(mfaStates),
  sort: word(sorts, 'displayName'),
  order: word(['asc', 'desc'], 'asc'),
});
type UserQuery = ListQuery<typeof userList>;

/** Input of the export. */
export const userExportQuery = ({ text, page: _page, pageSize: _pageSize, ...query }: UserQuery) => ({
  ...query,
  search: text || undefined,
});
export const userListQuery = (client: number, query: UserQuery) =>
  queryOptionsOf(usersApi.list, {
    params: { client },
    query: { ...userExportQuery(query), page: query.page, pageSize: query.pageSize },
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
