/** Findings by vulnerability and device, highest priority first. */
import { allClients } from '@parapet/contract/access.ts';
import { findingStates, severities } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { SeverityLabel, severityLabel } from '../../../kit/Severity.tsx';
import { ListTable } from '../../../lib/ListTable.tsx';
import type { ListFilter } from '../../../lib/listFilters.ts';
import { useScope } from '../../../lib/scope.ts';
import { useListState } from '../../../lib/useListState.ts';
import { stateLabel } from '../findings.ts';
import { FindingSidePanel } from '../parts/FindingSidePanel.tsx';
import { FindingCard, findingColumns } from '../parts/findingColumns.tsx';
import { findingList, findingsQuery } from '../vulnerabilities.queries.ts';

const filters: ListFilter[] = [
  {
    name: 'severity',
    label: 'Severity',
    options: severities.map((value) => ({ value, text: severityLabel[value], label: <SeverityLabel severity={value} /> })),
  },
  { name: 'state', label: 'State', options: findingStates.map((value) => ({ value, text: stateLabel[value] })) },
  {
    name: 'exploited',
    label: 'Exploited',
    isSingle: true,
    options: [
      { value: 'true', text: 'Known exploited' },
      { value: 'false', text: 'Not known exploited' },
    ],
  },
];

export function FindingsTab() {
  const { client, timeZone } = useScope();
  const list = useListState(findingList);
  const findings = useQuery(findingsQuery(client, list.query));
  const hasClients = client === allClients;
  const columns = useMemo(() => findingColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const deviceName = findings.data?.results[0]?.deviceName ?? 'selected device';
  return (
    <ListTable
      id="findings"
      label="Findings"
      list={list}
      query={findings}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <FindingCard row={row} timeZone={timeZone} hasClients={hasClients} onPreview={onPreview} />}
      panel={(panel) => <FindingSidePanel {...panel} timeZone={timeZone} />}
      search="Search findings"
      filters={[...filters, { name: 'device', label: 'Device', textOf: () => deviceName }]}
      noMatch="Open findings are listed unless a state is selected."
      empty={{
        title: 'No open findings',
        text: 'Findings come from the agent’s package inventory, matched against advisories, and from scan results.',
      }}
    />
  );
}
