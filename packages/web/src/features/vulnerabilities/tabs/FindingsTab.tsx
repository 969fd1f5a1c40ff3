/** Findings by vulnerability and device, those to mend first on top. Filters, page and the one looked into stand in the address. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { findingStates, severities } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../../kit/DataTable.tsx';
import { type FilterChip, FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { SeverityLabel, severityLabel } from '../../../kit/Severity.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { numberIn, useSearchState } from '../../../lib/address.ts';
import type { Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { type FindingFilters, findingFiltersIn, isFiltered, placeOf, stateLabel } from '../findings.ts';
import { FindingSidePanel } from '../parts/FindingSidePanel.tsx';
import { FindingCard, findingColumns } from '../parts/findingColumns.tsx';
import { findingsQuery } from '../vulnerabilities.queries.ts';

const noFilters = { text: undefined, severity: undefined, state: undefined, exploited: undefined, device: undefined };
const exploitedLabel = { true: 'Known exploited', false: 'Not known exploited' } as const;

export function FindingsTab() {
  const { client, timeZone } = useScope();
  const { search, change } = useSearchState();
  const filters = findingFiltersIn(search);
  const list = useQuery(findingsQuery(client, filters));
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => findingColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const peek = numberIn(search.peek, 0) || undefined;
  const look = (id: number) => change({ peek: id }, { replace: true });
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
      <DataTable
        id="findings"
        label="Findings"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        card={(row) => <FindingCard row={row} timeZone={timeZone} hasClients={hasClients} onPreview={() => look(row.id)} />}
        total={list.data?.total ?? 0}
        page={filters.page}
        pageSize={filters.pageSize}
        onPage={(page, pageSize) => change(placeOf(page, pageSize))}
        sort="priority"
        order="desc"
        onSort={() => {}}
        isFetching={list.isFetching}
        error={list.error}
        onRetry={() => void list.refetch()}
        peeked={peek}
        onPreview={(row) => look(row.id)}
        onOpen={(row) => look(row.id)}
        toolbar={<Toolbar filters={filters} deviceName={rows?.[0]?.deviceName} onFilter={filter} />}
        empty={
          filters.page > 1 ? (
            <EmptyState
              title={`There is no page ${filters.page}`}
              text="The list is shorter than that."
              actions={<Way text="Go to the first page" onGo={() => change({ page: undefined })} />}
            />
          ) : isFiltered(filters) ? (
            <EmptyState
              title="No finding matches these filters"
              text="Open findings are shown unless a state is chosen."
              actions={<Way text="Clear all filters" onGo={() => filter(noFilters)} />}
            />
          ) : (
            <EmptyState
              title="No finding is open"
              text="Findings come from our agent’s inventory of packages against the advisories, and from scanners’ results."
            />
          )
        }
      />
      <FindingSidePanel
        id={peek}
        row={rows?.find((row) => row.id === peek)}
        isLoading={rows === undefined}
        timeZone={timeZone}
        onClose={() => change({ peek: undefined }, { replace: true })}
      />
    </Box>
  );
}

const Way = ({ text, onGo }: { text: string; onGo: () => void }) => (
  <Button variant="outlined" size="small" onClick={onGo}>
    {text}
  </Button>
);

interface ToolbarProps {
  filters: FindingFilters;
  /** Of the one whose findings are shown. */
  deviceName: string | undefined;
  onFilter: (patch: Query, replace?: boolean) => void;
}

function Toolbar({ filters, deviceName, onFilter }: ToolbarProps) {
  const { severity, state, exploited, device } = filters;
  const chips: FilterChip[] = [
    ...severity.map((each) => ({
      key: `severity ${each}`,
      name: 'Severity',
      value: severityLabel[each],
      onRemove: () => onFilter({ severity: severity.filter((other) => other !== each) }),
    })),
    ...state.map((each) => ({
      key: `state ${each}`,
      name: 'State',
      value: stateLabel[each],
      onRemove: () => onFilter({ state: state.filter((other) => other !== each) }),
    })),
    ...(exploited
      ? [
          {
            key: 'exploited',
            name: 'Exploited',
            value: exploitedLabel[exploited],
            onRemove: () => onFilter({ exploited: undefined }),
          },
        ]
      : []),
    ...(device
      ? [
          {
            key: 'device',
            name: 'Device',
            value: deviceName ?? 'the chosen one',
            onRemove: () => onFilter({ device: undefined }),
          },
        ]
      : []),
  ];
  return (
    <>
      <SearchField
        value={filters.text}
        onChange={(text) => onFilter({ text }, true)}
        label="Search findings"
        hasShortcut
        width={240}
      />
      <FilterMenu
        label="Severity"
        none=""
        options={severities.map((value) => ({ value, label: <SeverityLabel severity={value} /> }))}
        chosen={severity}
        onChange={(next) => onFilter({ severity: next })}
      />
      <FilterMenu
        label="State"
        none=""
        options={findingStates.map((value) => ({ value, label: stateLabel[value] }))}
        chosen={state}
        onChange={(next) => onFilter({ state: next })}
      />
      <FilterMenu
        label="Exploited"
        none=""
        options={(['true', 'false'] as const).map((value) => ({ value, label: exploitedLabel[value] }))}
        chosen={exploited ? [exploited] : []}
        // One or the other: both would be no filter.
        onChange={(next) => onFilter({ exploited: next.find((each) => each !== exploited) })}
      />
      <FilterChips chips={chips} onClear={() => onFilter(noFilters)} />
    </>
  );
}
