/** The mail outbox (/apps/outbox), for administrators: what was sent, and what is kept because no mail server is configured. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { mailStates } from '@parapet/contract/outbox.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { FilterChips } from '../../kit/FilterChips.tsx';
import { FilterMenu } from '../../kit/FilterMenu.tsx';
import { Note } from '../../kit/Note.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { numberIn, useSearchState } from '../../lib/address.ts';
import type { Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { MailSidePanel } from './MailSidePanel.tsx';
import { MailCard, mailColumns, stateLabel } from './mailColumns.tsx';
import { mailFiltersIn, mailListQuery } from './outbox.queries.ts';

const none = { text: undefined, state: undefined, page: undefined };

export function OutboxPage() {
  useTitle('Mail outbox');
  const { client, clientName, timeZone, may } = useScope();
  const { search, change } = useSearchState();
  const filters = mailFiltersIn(search);
  const isAllowed = may('outbox:read');
  const list = useQuery({ ...mailListQuery(client, filters), enabled: isAllowed });
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => mailColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  const peek = numberIn(search.peek, 0) || undefined;
  const look = (id: number) => change({ peek: id }, { replace: true });

  if (!isAllowed) {
    return (
      <>
        <PageHeader title="Mail outbox" />
        <EmptyState
          title="The outbox is for administrators"
          text="Your role cannot read it. Ask an administrator of your organisation."
        />
      </>
    );
  }
  const isFiltered = filters.text !== '' || filters.state.length > 0 || filters.page > 1;
  return (
    <>
      <PageHeader
        title="Mail outbox"
        purpose={`Mails of ${hasClients ? 'all clients' : clientName || 'your organisation'}, newest first`}
      />
      {rows?.some(({ state }) => state === 'kept') && (
        <Box sx={{ mb: 2 }}>
          <Note tone="warning">
            Mails marked Kept were not sent: no mail server is configured, so the portal keeps them here. One-time links are not
            stored; create them on the user’s page.
          </Note>
        </Box>
      )}
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <DataTable
          id="outbox"
          label="Mails"
          columns={columns}
          rows={rows}
          rowId={(mail) => mail.id}
          card={(mail) => <MailCard mail={mail} timeZone={timeZone} onPreview={() => look(mail.id)} />}
          total={list.data?.total ?? 0}
          page={filters.page}
          pageSize={filters.pageSize}
          onPage={(page, pageSize) =>
            change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize, peek: undefined })
          }
          sort="at"
          order="desc"
          onSort={() => {}}
          isFetching={list.isFetching}
          error={list.error}
          onRetry={() => void list.refetch()}
          peeked={peek}
          onPreview={(mail) => look(mail.id)}
          onOpen={(mail) => look(mail.id)}
          empty={
            isFiltered ? (
              <EmptyState
                title="No mail matches"
                text="Take a filter away, or search for a part of the recipient or subject."
                actions={
                  <Button variant="outlined" size="small" onClick={() => change(none)}>
                    Clear all filters
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="No mails yet"
                text="Invitations, reset links and notices appear here as soon as they are written."
              />
            )
          }
          toolbar={
            <>
              <SearchField
                value={filters.text}
                onChange={(text) => filter({ text }, true)}
                label="Search mails"
                hasShortcut
                width={240}
              />
              <FilterMenu
                label="State"
                none=""
                options={mailStates.map((state) => ({ value: state, label: stateLabel[state] }))}
                chosen={filters.state}
                onChange={(state) => filter({ state })}
              />
              <FilterChips
                chips={filters.state.map((state) => ({
                  key: state,
                  name: 'State',
                  value: stateLabel[state],
                  onRemove: () => filter({ state: filters.state.filter((each) => each !== state) }),
                }))}
                onClear={() => change(none)}
              />
            </>
          }
        />
        <MailSidePanel id={peek} timeZone={timeZone} onClose={() => change({ peek: undefined }, { replace: true })} />
      </Box>
    </>
  );
}
