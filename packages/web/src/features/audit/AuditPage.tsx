/** Audit log (/apps/audit), for administrators. */
import { allClients } from '@parapet/contract/access.ts';
import { auditApi } from '@parapet/contract/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { exact } from '../../kit/numbers.ts';
import { exportList } from '../../lib/exportList.ts';
import { forAdministrators, ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { personOptions } from '../../lib/PersonOptions.tsx';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { auditActionsQuery, auditInput, auditList, auditListQuery } from './audit.queries.ts';
import { AuditSidePanel } from './parts/AuditSidePanel.tsx';
import { AuditCard, auditColumns } from './parts/auditColumns.tsx';
import { IsolationLine } from './parts/IsolationLine.tsx';
import { SealLine } from './parts/SealLine.tsx';

export function AuditPage() {
  const scope = useScope();
  const { client, range, timeZone, may } = scope;
  const list = useListState(auditList);
  const isAllowed = may('audit:read');
  const entries = useQuery({ ...auditListQuery(client, range, list.query), enabled: isAllowed });
  const columns = useMemo(() => auditColumns({ timeZone, hasClients: client === allClients }), [timeZone, client]);
  const filters = useAuditFilters(isAllowed);
  const file = { input: auditInput(client, range, list.query), name: 'The audit log' };

  return (
    <ListPage
      id="audit"
      label="Audit log"
      noun="entries"
      title="Audit log"
      purpose={`Activity for ${clientLabel(scope)}, newest first`}
      denied={!isAllowed && forAdministrators('the audit log')}
      actions={
        <ExportButton
          total={entries.data?.total ?? 0}
          onExport={exportList({ ...file, endpoint: auditApi.exportList, fileName: 'audit-log.csv' })}
          others={[
            {
              text: 'Export JSON lines',
              onExport: exportList({ ...file, endpoint: auditApi.exportLines, fileName: 'audit-log.jsonl' }),
            },
          ]}
        />
      }
      list={list}
      query={entries}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <AuditCard row={row} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => <AuditSidePanel {...panel} timeZone={timeZone} />}
      search="Search the audit log"
      filters={filters}
      views={ViewsMenu}
      noMatch="Remove a filter or select a longer timeframe."
      empty={{ title: 'No activity in this timeframe', text: 'Select a longer timeframe.' }}
    >
      <SealLine client={client} timeZone={timeZone} />
      <IsolationLine client={client} timeZone={timeZone} />
    </ListPage>
  );
}

function useAuditFilters(enabled: boolean): ListFilter[] {
  const { client, range } = useScope();
  const { data, error } = useQuery({ ...auditActionsQuery(client, range), enabled });
  return [
    {
      name: 'action',
      label: 'Action',
      none: error ? 'Couldn’t load actions.' : 'None in this timeframe',
      options: (data?.actions ?? []).map(({ action, count }) => ({
        value: action,
        text: action,
        label: `${action} (${exact(count)})`,
      })),
    },
    {
      name: 'actor',
      label: 'Actor',
      none: error ? 'Couldn’t load users.' : 'None in this timeframe',
      textOf: (id) => `user ${id}`,
      options: personOptions(data?.actors),
    },
  ];
}
