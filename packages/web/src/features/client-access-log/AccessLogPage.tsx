/** Access log (/apps/accesslog): access of provider and partner staff to data of a client, for administrators. */
import { allClients } from '@parapet/contract/access.ts';
import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import {
  accessReasons,
  accessReasonTexts,
  noReasonText,
  sensitiveViews,
  sensitiveViewTexts,
} from '@parapet/contract/rules/client-access-log.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { counted } from '../../kit/numbers.ts';
import { exportList } from '../../lib/exportList.ts';
import { forAdministrators, ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { personOptions } from '../../lib/PersonOptions.tsx';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { accessInput, accessList, accessListQuery, accessPeopleQuery } from './client-access-log.queries.ts';
import { AccessSidePanel } from './parts/AccessSidePanel.tsx';
import { AccessCard, accessColumns } from './parts/accessColumns.tsx';

export function AccessLogPage() {
  const scope = useScope();
  const { client, range, timeZone, may } = scope;
  const list = useListState(accessList);
  const isAllowed = may('audit:read');
  const entries = useQuery({ ...accessListQuery(client, range, list.query), enabled: isAllowed });
  const columns = useMemo(() => accessColumns({ timeZone, hasClients: client === allClients }), [timeZone, client]);
  const filters = useAccessFilters(isAllowed);
  const without = entries.data?.withoutReason ?? 0;

  return (
    <ListPage
      id="accesslog"
      label="Access log"
      noun="entries"
      title="Access log"
      purpose={`Access of provider and partner staff to data of ${clientLabel(scope)}, newest first${
        without > 0 ? `. ${counted(without, 'entry', 'entries')} without a reason` : ''
      }`}
      denied={!isAllowed && forAdministrators('the access log')}
      actions={
        <ExportButton
          total={entries.data?.total ?? 0}
          onExport={exportList({
            endpoint: clientAccessLogApi.exportList,
            input: accessInput(client, range, list.query),
            fileName: 'access-log.csv',
            name: 'The access log',
          })}
        />
      }
      list={list}
      query={entries}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <AccessCard row={row} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => <AccessSidePanel {...panel} timeZone={timeZone} />}
      filters={filters}
      noMatch="Remove a filter or select a longer timeframe."
      empty={{ title: 'No access in this timeframe', text: 'Select a longer timeframe.' }}
    />
  );
}

const reasonOptions = [
  ...accessReasons.map((value) => ({ value, text: accessReasonTexts[value] })),
  { value: 'none', text: noReasonText },
];
const viewOptions = sensitiveViews.map((value) => ({ value, text: sensitiveViewTexts[value] }));

function useAccessFilters(enabled: boolean): ListFilter[] {
  const { client, range } = useScope();
  const { data, error } = useQuery({ ...accessPeopleQuery(client, range), enabled });
  return [
    {
      name: 'person',
      label: 'Person',
      none: error ? 'Couldn’t load people.' : 'None by name in this timeframe',
      textOf: (id) => `user ${id}`,
      options: personOptions(data?.people),
    },
    { name: 'reason', label: 'Reason', options: reasonOptions },
    { name: 'view', label: 'Sensitive view', options: viewOptions },
  ];
}
