/** The list of collectors, those with trouble first. */
import UpgradeRounded from '@mui/icons-material/UpgradeRounded';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { Collector } from '@parapet/contract/agents.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { DataTable } from '../../../kit/DataTable.tsx';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { SelectionBar } from '../../../kit/SelectionBar.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { Stat, StatRow } from '../../../kit/Stat.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { useRowSelection } from '../../../kit/useRowSelection.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo, useSearchState } from '../../../lib/address.ts';
import { paths, type Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { SourceState, stateLabel } from '../../devices/parts/SourceState.tsx';
import { UpgradeDialog } from '../../devices/parts/UpgradeDialog.tsx';
import { agentFiltersIn, isFiltered, kindLabel, kindsInOrder, rowIdOf, statesInOrder } from '../agentFilters.ts';
import { collectorsQuery } from '../agents.queries.ts';
import { CollectorSidePanel } from './CollectorSidePanel.tsx';
import { CollectorCard, collectorColumns } from './collectorColumns.tsx';
import { Intake } from './Intake.tsx';

const refreshMs = 30_000;
/** The contract's limit for one upgrade. */
const maxUpgraded = 1000;
const noFilters = { text: undefined, kind: undefined, state: undefined, page: undefined };
const Beside = styled('div')({ display: 'flex', gap: 16, minWidth: 0 });

/** A device that had several agents is one. */
const devicesOf = (rows: readonly Collector[]) => [
  ...new Map(rows.map(({ deviceUuid, deviceName }) => [deviceUuid, { uuid: deviceUuid, name: deviceName }])).values(),
];

export function Collectors() {
  const { client, timeZone, may, hasSelector } = useScope();
  const go = useGo();
  const { search, change } = useSearchState();
  const filters = agentFiltersIn(search);
  const list = useQuery({ ...collectorsQuery(client, filters), refetchInterval: refreshMs });
  const rows = list.data?.results;
  const total = list.data?.total ?? 0;
  const hasClients = client === 0;
  const columns = useMemo(() => collectorColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const selection = useRowSelection<Collector>({
    subject: client,
    filter: JSON.stringify([filters.text, filters.kind, filters.state]),
    rows,
    rowId: rowIdOf,
    most: maxUpgraded,
  });
  const [upgraded, setUpgraded] = useState<{ uuid: string; name: string }[]>();
  const peeked = rows?.find((row) => rowIdOf(row) === search.peek);
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  const stateCount = (state: Collector['state']) =>
    list.data && (list.data.states.find((each) => each.state === state)?.count ?? 0);
  const all = list.data?.states.reduce((sum, { count }) => sum + count, 0);
  const door = (state?: Collector['state']) =>
    paths.agents({ client: hasSelector ? client : undefined, state, kind: filters.kind, text: filters.text });
  const without = <T,>(values: readonly T[], value: T) => values.filter((each) => each !== value);
  const refusal = may('devices:write') ? undefined : 'Your role cannot update devices.';

  return (
    <>
      <StatRow>
        {[undefined, ...statesInOrder].map((state) => (
          <Stat
            key={state ?? 'all'}
            component={AppLink}
            href={door(state)}
            label={state ? stateLabel[state] : 'All collectors'}
            aria-current={filters.state.join() === (state ?? '') ? 'true' : undefined}
            value={state ? stateCount(state) : all}
          />
        ))}
      </StatRow>
      <Beside>
        <DataTable
          id="collectors"
          label="Collectors"
          columns={columns}
          rows={rows}
          rowId={rowIdOf}
          card={(collector) => <CollectorCard collector={collector} timeZone={timeZone} hasClients={hasClients} />}
          total={total}
          page={filters.page}
          pageSize={filters.pageSize}
          onPage={(page, pageSize) =>
            change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize, peek: undefined })
          }
          sort="trouble"
          order="asc"
          onSort={() => {}}
          isFetching={list.isFetching}
          error={list.error}
          onRetry={() => void list.refetch()}
          peeked={search.peek}
          onPreview={(row) => change({ peek: rowIdOf(row) }, { replace: true })}
          onOpen={(row) => go(paths.device(row.clientOrganizationID, row.deviceName))}
          selected={selection.ids}
          onSelect={selection.choose}
          empty={
            isFiltered(filters) ? (
              <EmptyState
                title="No collector matches these filters"
                text="Take one away, or search for a part of the device’s name."
                actions={
                  <Button variant="outlined" size="small" onClick={() => change(noFilters)}>
                    Clear all filters
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="Nothing collects yet"
                text="Install our agent on a Linux host, or point Beats or syslog at the portal."
                actions={
                  <Button
                    component={AppLink}
                    href={paths.agents({ client: hasSelector ? client : undefined, tab: 'install' })}
                    variant="outlined"
                    size="small"
                  >
                    Install and keys
                  </Button>
                }
              />
            )
          }
          toolbar={
            <>
              <SearchField
                value={filters.text}
                onChange={(text) => filter({ text }, true)}
                label="Search collectors"
                hasShortcut
                width={240}
              />
              <FilterMenu
                label="Kind"
                none=""
                options={kindsInOrder.map((kind) => ({ value: kind, label: kindLabel[kind] }))}
                chosen={filters.kind}
                onChange={(kind) => filter({ kind })}
              />
              <FilterMenu
                label="State"
                none=""
                options={statesInOrder.map((state) => ({ value: state, label: <SourceState state={state} /> }))}
                chosen={filters.state}
                onChange={(state) => filter({ state })}
              />
              <FilterChips
                chips={[
                  ...filters.kind.map((kind) => ({
                    key: `kind ${kind}`,
                    name: 'Kind',
                    value: kindLabel[kind],
                    onRemove: () => filter({ kind: without(filters.kind, kind) }),
                  })),
                  ...filters.state.map((state) => ({
                    key: `state ${state}`,
                    name: 'State',
                    value: stateLabel[state],
                    onRemove: () => filter({ state: without(filters.state, state) }),
                  })),
                ]}
                onClear={() => filter(noFilters)}
              />
            </>
          }
          news={
            <SelectionBar count={selection.rows.length} isAll={false} total={total} onClear={selection.clear}>
              <span title={refusal}>
                <Button
                  size="small"
                  variant="contained"
                  startIcon={<UpgradeRounded />}
                  disabled={refusal !== undefined}
                  onClick={() => setUpgraded(devicesOf(selection.rows))}
                  sx={{ height: 32 }}
                >
                  Update
                </Button>
              </span>
            </SelectionBar>
          }
        />
        <SidePanel
          isOpen={peeked !== undefined}
          title={peeked?.deviceName ?? ''}
          onClose={() => change({ peek: undefined }, { replace: true })}
        >
          {peeked && <CollectorSidePanel key={search.peek} collector={peeked} timeZone={timeZone} />}
        </SidePanel>
      </Beside>
      {list.data && <Intake intake={list.data.intake} />}
      {upgraded && <UpgradeDialog devices={upgraded} onClose={() => setUpgraded(undefined)} />}
    </>
  );
}
