/** Users of one organisation, or of all in scope (/apps/users). */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { roles, type UserRow, usersApi } from '@parapet/contract/users.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { PersonAddAltRounded } from '../../kit/icons/PersonAddAltRounded.tsx';
import { Note } from '../../kit/Note.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { exportList } from '../../lib/exportList.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { mfaLabel, stateLabel, UserCard, userColumns } from './parts/userColumns.tsx';
import { mfaStates, userExportQuery, userList, userListQuery, userStates } from './users.queries.ts';

const filters: ListFilter[] = [
  { name: 'role', label: 'Role', options: roles.map(({ name }) => ({ value: name, text: name })) },
  { name: 'state', label: 'State', options: userStates.map((value) => ({ value, text: stateLabel[value] })) },
  { name: 'mfa', label: 'MFA', isSingle: true, options: mfaStates.map((value) => ({ value, text: mfaLabel[value] })) },
];

export function UsersPage() {
  const scope = useScope();
  const { client, timeZone, may, hasSelector, user } = scope;
  const list = useListState(userList);
  const users = useQuery(userListQuery(client, list.query));
  const hasClients = client === allClients;
  const look = useMemo(
    () => ({
      timeZone,
      hasClients,
      addressOf: (row: UserRow) => paths.profile(row.id, hasSelector ? { client: row.clientOrganizationID } : {}),
    }),
    [timeZone, hasClients, hasSelector],
  );
  const columns = useMemo(() => userColumns(look), [look]);

  return (
    <ListPage
      id="users"
      label="Users"
      title="Users"
      purpose={
        <>
          People who can sign in for {clientLabel(scope)}.{' '}
          {hasClients && may('users:create') && <span id="new-user-reason">{chooseClient}</span>}
        </>
      }
      actions={
        <>
          <ExportButton
            total={users.data?.total ?? 0}
            onExport={exportList({
              endpoint: usersApi.exportList,
              input: { params: { client }, query: userExportQuery(list.query) },
              fileName: 'users.csv',
              name: 'The list',
              topic: 'user',
            })}
          />
          {may('users:create') && <NewUser />}
        </>
      }
      list={list}
      query={users}
      columns={columns}
      rowId={(row) => row.id}
      card={(row) => <UserCard user={row} {...look} />}
      hrefOf={look.addressOf}
      search="Search users"
      filters={filters}
      views={ViewsMenu}
      empty={{ title: 'No users yet', text: 'Create the first one with New user, or send an invitation by email.' }}
    >
      {!may('users:listRoles') && (
        <Note
          actions={
            <Button component={AppLink} href={paths.profile(user.id)} size="small">
              My Profile
            </Button>
          }
        >
          Your role sees its own account only. Administrators of your organisation manage its users.
        </Note>
      )}
    </ListPage>
  );
}

const chooseClient = 'To create a user, select a client above first.';

function NewUser() {
  const { client, hasSelector } = useScope();
  const look = { variant: 'contained', startIcon: <PersonAddAltRounded /> } as const;
  return client === allClients ? (
    <span title={chooseClient}>
      <Button {...look} disabled aria-describedby="new-user-reason">
        New user
      </Button>
    </span>
  ) : (
    <Button {...look} component={AppLink} href={paths.profile(undefined, hasSelector ? { client } : {})}>
      New user
    </Button>
  );
}
