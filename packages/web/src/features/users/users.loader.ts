/** First queries of the user pages. */
import { allClients } from '@parapet/contract/access.ts';
import { queryOf } from '../../lib/listSchema.ts';
import { objectIdIn, type PageLoader } from '../../lib/pageLoader.ts';
import { clientRolesQuery, userDetailQuery, userList, userListQuery } from './users.queries.ts';

export const list: PageLoader = ({ scope: { client }, search }) => [userListQuery(client, queryOf(userList.read(search)))];

export const detail: PageLoader = ({ scope: { client, user, may }, params: { id: text } }) => {
  const id = objectIdIn(text);
  if (id === user.id) return [userDetailQuery(user.clientOrganizationID, id)];
  if (client === allClients) return [];
  if (text === undefined) return may('users:listRoles') ? [clientRolesQuery(client)] : [];
  return id === undefined || text.startsWith('0') ? [] : [userDetailQuery(client, id)];
};
