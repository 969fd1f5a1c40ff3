/** Access log (/apps/accesslog): access of provider and partner staff to data of a client, for administrators. */
import { looksApi } from '@parapet/contract/looks.ts';
import { lookReasons, lookReasonTexts, noReasonText, sensitiveViews, sensitiveViewTexts } from '@parapet/contract/rules/looks.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { counted, exact } from '../../kit/numbers.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { exportList } from '../../lib/exportList.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { lookInput, lookList, lookListQuery, lookPeopleQuery } from './looks.queries.ts';
import { LookSidePanel } from './parts/LookSidePanel.tsx';
import { LookCard, lookColumns } from './parts/lookColumns.tsx';

export function AccessLogPage() {
  const scope = useScope();
  const { client, range, timeZone, may } = scope;
  const list = useListState(lookList);
  const isAllowed = may('audit:read');
  const entries = useQuery({ ...lookListQuery(client, range, list.query), enabled: isAllowed });
  const columns = useMemo(() => lookColumns({ timeZone, hasClients: client === 0 }), [timeZone, client]);
  const filters = useLookFilters(isAllowed);
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
      denied={
        !isAllowed && {
          title: 'Only administrators see the access log',
          text: 'You don’t have permission to see it. Contact an administrator of your organisation.',
        }
      }
      actions={
        <ExportButton
          total={entries.data?.total ?? 0}
          onExport={exportList({
            endpoint: looksApi.exportList,
            input: lookInput(client, range, list.query),
            fileName: 'access-log.csv',
            name: 'The access log',
          })}
        />
      }
      list={list}
      query={entries}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <LookCard row={row} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => <LookSidePanel {...panel} timeZone={timeZone} />}
      filters={filters}
      noMatch="Remove a filter or select a longer timeframe."
      empty={{ title: 'No access in this timeframe', text: 'Select a longer timeframe.' }}
    />
  );
}

const reasonOptions = [
  ...lookReasons.map((value) => ({ value, text: lookReasonTexts[value] })),
  { value: 'none', text: noReasonText },
];
const viewOptions = sensitiveViews.map((value) => ({ value, text: sensitiveViewTexts[value] }));

function useLookFilters(enabled: boolean): ListFilter[] {
  const { client, range } = useScope();
  const { data, error } = useQuery({ ...lookPeopleQuery(client, range), enabled });
  return [
    {
      name: 'person',
      label: 'Person',
      none: error ? 'Couldn’t load people.' : 'None by name in this timeframe',
      textOf: (id) => `user ${id}`,
      options: (data?.people ?? []).map(({ id, name, count }) => ({
        value: id,
        text: name,
        label: (
          <span>
            <VisibleText text={name} /> ({exact(count)})
          </span>
        ),
      })),
    },
    { name: 'reason', label: 'Reason', options: reasonOptions },
    { name: 'view', label: 'Sensitive view', options: viewOptions },
  ];
}
