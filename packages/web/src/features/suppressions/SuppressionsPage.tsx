/** Suppressions (/apps/suppressions): exceptions that keep known, harmless alerts out of cases, each with an owner, a reason and an end. */
import AddRounded from '@mui/icons-material/AddRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { numberIn, useSearchState } from '../../lib/address.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { NewSuppression } from './parts/NewSuppression.tsx';
import { SuppressionSidePanel } from './parts/SuppressionSidePanel.tsx';
import { SuppressionCard, suppressionColumns } from './parts/suppressionColumns.tsx';
import { suppressionListQuery } from './suppressions.queries.ts';
import { draftIn, noDraft, pageIn } from './suppressions.ts';

export function SuppressionsPage() {
  useTitle('Suppressions');
  const { client, clientName, timeZone, may } = useScope();
  const { search, change } = useSearchState();
  const isAllowed = may('suppressions:write');
  const { page, pageSize } = pageIn(search);
  const list = useQuery({ ...suppressionListQuery(client, { page, pageSize }), enabled: isAllowed });
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => suppressionColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const draft = draftIn(search, client);
  const peek = numberIn(search.peek, 0) || undefined;
  const look = (id: number) => change({ peek: id }, { replace: true });

  if (!isAllowed) {
    return (
      <>
        <PageHeader title="Suppressions" />
        <EmptyState
          title="Suppressions are made by analysts"
          text="Your role cannot see them. Ask the analysts who watch over you."
        />
      </>
    );
  }
  const begin = (
    <Button variant="contained" startIcon={<AddRounded />} onClick={() => change({ new: 1 })}>
      New suppression
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Suppressions"
        purpose={`Alerts of ${hasClients ? 'all clients' : clientName || 'your organisation'} that are kept out of cases. They stay in the alert list.`}
        actions={begin}
      />
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <DataTable
          id="suppressions"
          label="Suppressions"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          card={(row) => <SuppressionCard row={row} timeZone={timeZone} onPreview={() => look(row.id)} />}
          total={list.data?.total ?? 0}
          page={page}
          pageSize={pageSize}
          onPage={(page, pageSize) =>
            change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize, peek: undefined })
          }
          sort="state"
          order="desc"
          onSort={() => {}}
          isFetching={list.isFetching}
          error={list.error}
          onRetry={() => void list.refetch()}
          peeked={peek}
          onPreview={(row) => look(row.id)}
          onOpen={(row) => look(row.id)}
          empty={
            page > 1 ? (
              <EmptyState
                title={`There is no page ${page}`}
                text="The list is shorter than that."
                actions={
                  <Button variant="outlined" size="small" onClick={() => change({ page: undefined })}>
                    Go to the first page
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="Nothing is suppressed"
                text="Suppress what is known and harmless, from an alert, a case or here. Each suppression ends by itself."
              />
            )
          }
        />
        <SuppressionSidePanel
          id={peek}
          row={rows?.find((row) => row.id === peek)}
          isLoading={rows === undefined}
          timeZone={timeZone}
          onClose={() => change({ peek: undefined }, { replace: true })}
        />
      </Box>
      {draft && (
        <NewSuppression
          draft={draft}
          onClose={() => change(noDraft)}
          onCreated={(id) => change({ ...noDraft, page: undefined, peek: id }, { replace: true })}
        />
      )}
    </>
  );
}
