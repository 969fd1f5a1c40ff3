/** Queries and writes of users. */
import { roles, usersApi } from '@parapet/contract/users.ts';
import { answerRows, type ListQuery, listSchema, search, word, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { session } from '../../lib/session.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const userStates = ['active', 'invited', 'deleted'] as const;
export const mfaStates = ['set', 'unset'] as const;
const sorts = ['displayName', 'emailAddress', 'role', 'lastSignInAt', 'clientOrganizationName'] as const;
export const userList = listSchema({
  text: search(),
  role: words(roles.map(({ name }) => name)),
  state: words(userStates),
  mfa: word(mfaStates),
  query: answerRows(),
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

const userWrite = { invalidates: [usersApi.list, usersApi.get], topic: 'user' } as const;

/** Updates the signed-in user’s own details in the session, so that the shell shows them. */
function showOwn(id: number, patch: { displayName?: string; emailAddress?: string; profileURL?: string }): void {
  const state = session.state();
  if (state.status === 'signedIn' && state.user.id === id) session.updateUser({ ...state.user, ...patch });
}

/** A deactivated account with the same address is reported by the form instead of a toast. */
export const useCreateUser = () =>
  useApiMutation(usersApi.create, {
    ...userWrite,
    success: ({ clientOrganizationID }) => (clientOrganizationID === -1 ? undefined : 'User saved successfully'),
    failure: false,
  });

export const useUpdateUser = () =>
  useApiMutation(usersApi.update, {
    ...userWrite,
    onSuccess: ({ id, displayName, emailAddress }) => showOwn(id, { displayName, emailAddress }),
    success: 'User saved successfully',
    failure: false,
  });

export const useChangePassword = () =>
  useApiMutation(usersApi.changePassword, { success: 'Password changed successfully', failure: false, topic: 'user' });

/** spec §8: 'MFA Reset failed' for server errors; the server’s reason otherwise. */
export const useResetMfa = () =>
  useApiMutation(usersApi.resetMfa, {
    ...userWrite,
    success: 'MFA Reset Successfully',
    failure: (error) => failureText(error, 'MFA Reset failed'),
  });

interface Target {
  id: number;
  emailAddress: string;
}
const byId = ({ id }: Target) => ({ params: { id } });

export const useDeleteUser = () =>
  useApiMutation(usersApi.remove, {
    ...userWrite,
    input: byId,
    success: (_, { emailAddress }) => `${emailAddress} deleted`,
  });

export const useReactivateUser = () =>
  useApiMutation(usersApi.reactivate, {
    ...userWrite,
    input: byId,
    success: (_, { emailAddress }) => `${emailAddress} reactivated. An invitation was sent.`,
  });

export const useInviteUser = () =>
  useApiMutation(usersApi.invite, {
    ...userWrite,
    input: byId,
    success: (_, { emailAddress }) => `Invitation sent again to ${emailAddress}`,
  });

export const useMakePasswordLink = () => useApiMutation(usersApi.makeLink, { topic: 'user' });

/** The crop dialog shows failures. */
export const useUploadPicture = (id: number) =>
  useApiMutation(usersApi.uploadPicture, {
    ...userWrite,
    onSuccess: ({ profileURL }) => showOwn(id, { profileURL }),
    success: 'Picture saved',
    failure: false,
  });

export const useRemovePicture = () =>
  useApiMutation(usersApi.removePicture, {
    ...userWrite,
    input: byId,
    onSuccess: (_, { id }) => showOwn(id, { profileURL: '' }),
    success: 'Picture removed',
  });

/** `serverError` for statuses of 500 and above; the error’s own message otherwise. */
export function failureText(error: Error, serverError: string): string {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 500 ? serverError : error.message;
}
