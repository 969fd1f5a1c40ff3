/** Email outbox (/apps/outbox), for administrators: sent emails, and those not sent because no mail server is configured. */
import Box from '@mui/material/Box';
import { allClients } from '@parapet/contract/access.ts';
import { mailStates } from '@parapet/contract/outbox.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Note } from '../../kit/Note.tsx';
import { forAdministrators, ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { MailSidePanel } from './MailSidePanel.tsx';
import { MailCard, mailColumns, stateLabel } from './mailColumns.tsx';
import { mailList, mailListQuery } from './outbox.queries.ts';

const filters: ListFilter[] = [
  { name: 'state', label: 'State', options: mailStates.map((value) => ({ value, text: stateLabel[value] })) },
];

export function OutboxPage() {
  const scope = useScope();
  const { client, timeZone, may } = scope;
  const list = useListState(mailList);
  const isAllowed = may('outbox:read');
  const emails = useQuery({ ...mailListQuery(client, list.query), enabled: isAllowed });
  const columns = useMemo(() => mailColumns({ timeZone, hasClients: client === allClients }), [timeZone, client]);

  return (
    <ListPage
      id="outbox"
      label="Emails"
      title="Email outbox"
      purpose={`Emails of ${clientLabel(scope)}, newest first`}
      denied={!isAllowed && forAdministrators('the outbox')}
      list={list}
      query={emails}
      columns={columns}
      rowId={(mail) => mail.id}
      card={(mail, onPreview) => <MailCard mail={mail} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => <MailSidePanel {...panel} timeZone={timeZone} />}
      search="Search emails"
      filters={filters}
      noMatch="Remove a filter, or search for a part of the recipient or subject."
      empty={{ title: 'No emails yet', text: 'Invitations, reset links and notifications appear here when they are created.' }}
    >
      {emails.data?.results.some(({ state }) => state === 'kept') && (
        <Box sx={{ mb: 2 }}>
          <Note tone="warning">
            Emails marked “Not sent” are stored here, as no mail server is configured. One-time links are not stored; create them
            on the user’s page.
          </Note>
        </Box>
      )}
    </ListPage>
  );
}
