/** The audit log (/apps/audit), for administrators: who did what, when, to what and from where. Filters stand in the address. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { auditApi } from '@parapet/contract/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { FilterChips } from '../../kit/FilterChips.tsx';
import { FilterMenu } from '../../kit/FilterMenu.tsx';
import { exact } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { useSearchState } from '../../lib/address.ts';
import { exportList } from '../../lib/exportList.ts';
import type { Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { auditActionsQuery, auditFiltersIn, auditInput, auditListQuery, isFiltered } from './audit.queries.ts';
import { AuditSidePanel } from './parts/AuditSidePanel.tsx';
import { AuditCard, auditColumns } from './parts/auditColumns.tsx';
import { SealLine } from './parts/SealLine.tsx';

const none = { text: undefined, action: undefined, actor: undefined, page: undefined };

export function AuditPage() {
  useTitle('Audit log');
  const { client, clientName, range, timeZone, may } = useScope();
  const { search, change } = useSearchState();
  const filters = auditFiltersIn(search);
  const isAllowed = may('audit:read');
  const list = useQuery({ ...auditListQuery(client, range, filters), enabled: isAllowed });
  const known = useQuery({ ...auditActionsQuery(client, range), enabled: isAllowed });
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => auditColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  const peeked = rows?.find((row) => String(row.id) === search.peek);

  if (!isAllowed) {
    return (
      <>
        <PageHeader title="Audit log" />
        <EmptyState
          title="The audit log is for administrators"
          text="Your role cannot read it. Ask an administrator of your organisation."
        />
      </>
    );
  }

  const nameOf = (actor: number) => known.data?.actors.find(({ id }) => id === actor)?.name ?? `user ${actor}`;
  const chips = [
    ...filters.action.map((action) => ({
      key: `action ${action}`,
      name: 'What',
      value: action,
      onRemove: () => filter({ action: filters.action.filter((each) => each !== action) }),
    })),
    ...filters.actor.map((actor) => ({
      key: `actor ${actor}`,
      name: 'Who',
      value: nameOf(actor),
      onRemove: () => filter({ actor: filters.actor.filter((each) => each !== actor) }),
    })),
  ];

  return (
    <>
      <PageHeader
        title="Audit log"
        purpose={`What was done for ${hasClients ? 'all clients' : clientName || 'your organisation'}, newest first`}
        actions={
          <ExportButton
            total={list.data?.total ?? 0}
            onExport={exportList({
              endpoint: auditApi.exportList,
              input: auditInput(client, range, filters),
              fileName: 'audit-log.csv',
              name: 'The audit log',
            })}
            others={[
              {
                text: 'Export JSON lines',
                onExport: exportList({
                  endpoint: auditApi.exportLines,
                  input: auditInput(client, range, filters),
                  fileName: 'audit-log.jsonl',
                  name: 'The audit log',
                }),
              },
            ]}
          />
        }
      />
      <SealLine client={client} timeZone={timeZone} />
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <DataTable
          id="audit"
          label="Audit log"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          card={(row) => (
            <AuditCard row={row} timeZone={timeZone} onPreview={() => change({ peek: row.id }, { replace: true })} />
          )}
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
          peeked={peeked?.id}
          onPreview={(row) => change({ peek: row.id }, { replace: true })}
          onOpen={(row) => change({ peek: row.id }, { replace: true })}
          empty={
            isFiltered(filters) || filters.page > 1 ? (
              <EmptyState
                title="No entry matches"
                text="Take a filter away, or choose a longer timeframe above."
                actions={
                  <Button variant="outlined" size="small" onClick={() => change(none)}>
                    Clear all filters
                  </Button>
                }
              />
            ) : (
              <EmptyState title="Nothing was done in this timeframe" text="Choose a longer timeframe above." />
            )
          }
          views={(look) => <ViewsMenu list="audit" {...look} />}
          toolbar={
            <>
              <SearchField
                value={filters.text}
                onChange={(text) => filter({ text }, true)}
                label="Search the audit log"
                hasShortcut
                width={240}
              />
              <FilterMenu
                label="What"
                none={known.error ? 'The actions could not be loaded' : 'Nothing in this timeframe'}
                options={(known.data?.actions ?? []).map(({ action, count }) => ({
                  value: action,
                  label: `${action} (${exact(count)})`,
                }))}
                chosen={filters.action}
                onChange={(action) => filter({ action })}
              />
              <FilterMenu
                label="Who"
                none={known.error ? 'The users could not be loaded' : 'Nobody in this timeframe'}
                options={(known.data?.actors ?? []).map(({ id, name, count }) => ({
                  value: String(id),
                  label: (
                    <span>
                      <VisibleText text={name} /> ({exact(count)})
                    </span>
                  ),
                }))}
                chosen={filters.actor.map(String)}
                onChange={(actor) => filter({ actor })}
              />
              <FilterChips chips={chips} onClear={() => change(none)} />
            </>
          }
        />
        <AuditSidePanel
          id={search.peek}
          row={peeked}
          isLoading={rows === undefined}
          timeZone={timeZone}
          onClose={() => change({ peek: undefined }, { replace: true })}
        />
      </Box>
    </>
  );
}
