/** The users of an organisation, or of all in scope (/apps/users). What is filtered, sorted and paged stands in the address. */
import PersonAddAltRounded from '@mui/icons-material/PersonAddAltRounded';
import Button from '@mui/material/Button';
import { type UserRow, usersApi } from '@parapet/contract/users.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { Note } from '../../kit/Note.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useGo, useSearchState } from '../../lib/address.ts';
import { exportList } from '../../lib/exportList.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { UsersToolbar } from './parts/UsersToolbar.tsx';
import { UserCard, userColumns } from './parts/userColumns.tsx';
import { isFiltered, noFilters, type UserFilters, userFiltersIn } from './userFilters.ts';
import { userListQuery, userQuery } from './users.queries.ts';

const chooseFirst = 'To make a user, choose a client above first: a user belongs to one organisation.';

export function UsersPage() {
  useTitle('Users');
  const { client, clientName, timeZone, may, hasSelector, user } = useScope();
  const go = useGo();
  const { search, change } = useSearchState();
  const filters = userFiltersIn(search);
  const list = useQuery(userListQuery(client, filters));
  const rows = list.data?.results;
  const hasClients = client === 0;

  const look = useMemo(
    () => ({
      timeZone,
      hasClients,
      addressOf: (row: UserRow) => paths.profile(row.id, hasSelector ? { client: row.clientOrganizationID } : {}),
    }),
    [timeZone, hasClients, hasSelector],
  );
  const columns = useMemo(() => userColumns(look), [look]);
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined }, { replace });
  const seesOthers = may('users:listRoles');

  return (
    <>
      <PageHeader
        title="Users"
        purpose={
          <>
            Who can sign in for {hasClients ? 'all clients' : clientName || 'your organisation'}.{' '}
            {hasClients && may('users:create') && <span id="new-user-reason">{chooseFirst}</span>}
          </>
        }
        actions={
          <>
            <ExportButton
              total={list.data?.total ?? 0}
              onExport={exportList({
                endpoint: usersApi.exportList,
                input: { params: { client }, query: userQuery(filters) },
                fileName: 'users.csv',
                name: 'The list',
                topic: 'user',
              })}
            />
            {may('users:create') && <NewUser client={client} hasSelector={hasSelector} />}
          </>
        }
      />
      {!seesOthers && (
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
      <DataTable
        id="users"
        label="Users"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        card={(row) => <UserCard user={row} {...look} />}
        total={list.data?.total ?? 0}
        page={filters.page}
        pageSize={filters.pageSize}
        onPage={(page, pageSize) =>
          change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize })
        }
        sort={filters.sort}
        order={filters.order}
        onSort={(sort, order) =>
          filter({ sort: sort === 'displayName' ? undefined : sort, order: order === 'desc' ? 'desc' : undefined })
        }
        isFetching={list.isFetching}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(row) => go(look.addressOf(row))}
        empty={<NoUsers filters={filters} onClear={() => change(noFilters)} />}
        views={(look) => <ViewsMenu list="users" {...look} />}
        toolbar={<UsersToolbar filters={filters} onChange={filter} />}
      />
    </>
  );
}

function NoUsers({ filters, onClear }: { filters: UserFilters; onClear: () => void }) {
  if (!isFiltered(filters) && filters.page === 1) {
    return <EmptyState title="No users yet" text="Make the first one with New user, or send an invitation by mail." />;
  }
  return (
    <EmptyState
      title={isFiltered(filters) ? 'No user matches these filters' : 'There is nobody on this page'}
      text={
        isFiltered(filters) ? 'Take one away, or search for a part of the name or email address.' : 'The list is shorter now.'
      }
      actions={
        <Button variant="outlined" size="small" onClick={onClear}>
          {isFiltered(filters) ? 'Clear all filters' : 'To the first page'}
        </Button>
      }
    />
  );
}

function NewUser({ client, hasSelector }: { client: number; hasSelector: boolean }) {
  if (client === 0) {
    return (
      <span title={chooseFirst}>
        <Button variant="contained" startIcon={<PersonAddAltRounded />} disabled aria-describedby="new-user-reason">
          New user
        </Button>
      </span>
    );
  }
  return (
    <Button
      component={AppLink}
      href={paths.profile(undefined, hasSelector ? { client } : {})}
      variant="contained"
      startIcon={<PersonAddAltRounded />}
    >
      New user
    </Button>
  );
}
