/** List of collectors, those with problems first. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { Collector } from '@parapet/contract/agents.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { UpgradeRounded } from '../../../kit/icons/UpgradeRounded.tsx';
import { SelectionBar } from '../../../kit/SelectionBar.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { Stat, StatRow } from '../../../kit/Stat.tsx';
import { type RowSelection, useRowSelection } from '../../../kit/useRowSelection.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { ListTable } from '../../../lib/ListTable.tsx';
import type { ListFilter } from '../../../lib/listFilters.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useListState } from '../../../lib/useListState.ts';
import { SourceState, stateLabel } from '../../devices/parts/SourceState.tsx';
import { UpgradeDialog } from '../../devices/parts/UpgradeDialog.tsx';
import { collectorList, kindLabel, kindsInOrder, rowIdOf, statesInOrder } from '../agentFilters.ts';
import { collectorsQuery } from '../agents.queries.ts';
import { CollectorSidePanel } from './CollectorSidePanel.tsx';
import { CollectorCard, collectorColumns } from './collectorColumns.tsx';
import { Intake } from './Intake.tsx';

const refreshMs = 30_000;
/** The contract's limit for one upgrade. */
const maxUpgraded = 1000;
const filters: ListFilter[] = [
  { name: 'kind', label: 'Kind', options: kindsInOrder.map((value) => ({ value, text: kindLabel[value] })) },
  {
    name: 'state',
    label: 'State',
    options: statesInOrder.map((value) => ({ value, text: stateLabel[value], label: <SourceState state={value} /> })),
  },
];

export function Collectors() {
  const { client, timeZone, hasSelector } = useScope();
  const list = useListState(collectorList);
  const collectors = useQuery({ ...collectorsQuery(client, list.query), refetchInterval: refreshMs });
  const { data } = collectors;
  const hasClients = client === allClients;
  const columns = useMemo(() => collectorColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const selection = useRowSelection<Collector>({
    subject: client,
    filter: list.filterKey,
    rows: data?.results,
    rowId: rowIdOf,
    most: maxUpgraded,
  });
  const { kind, text, state } = list.state;
  const countOf = (state?: Collector['state']) =>
    data?.states.filter((each) => !state || each.state === state).reduce((sum, { count }) => sum + count, 0);
  const place = { client: hasSelector ? client : undefined };

  return (
    <>
      <StatRow>
        {[undefined, ...statesInOrder].map((each) => (
          <Stat
            key={each ?? 'all'}
            component={AppLink}
            href={paths.agents({ ...place, state: each, kind, text })}
            label={each ? stateLabel[each] : 'All collectors'}
            aria-current={state.join() === (each ?? '') ? 'true' : undefined}
            value={countOf(each)}
          />
        ))}
      </StatRow>
      <ListTable
        id="collectors"
        label="Collectors"
        list={list}
        query={collectors}
        columns={columns}
        rowId={rowIdOf}
        card={(collector) => <CollectorCard collector={collector} timeZone={timeZone} hasClients={hasClients} />}
        hrefOf={(row) => paths.device(row.clientOrganizationID, row.deviceName)}
        panel={({ id, row, onClose }) => (
          <SidePanel isOpen={row !== undefined} title={row?.deviceName ?? ''} onClose={onClose}>
            {row && <CollectorSidePanel key={id} collector={row} timeZone={timeZone} />}
          </SidePanel>
        )}
        selection={selection}
        news={<UpdateSelected selection={selection} total={data?.total ?? 0} />}
        search="Search collectors"
        filters={filters}
        noMatch="Remove a filter, or search for a part of the device name."
        empty={{
          title: 'No collectors yet',
          text: 'Install the agent on a Linux host, or point Beats or syslog at the portal.',
          actions: (
            <Button component={AppLink} href={paths.agents({ ...place, tab: 'install' })} variant="outlined" size="small">
              Install and keys
            </Button>
          ),
        }}
      />
      {data && <Intake intake={data.intake} />}
    </>
  );
}

/** A device that had several agents is one. */
const devicesOf = (rows: readonly Collector[]) => [
  ...new Map(rows.map(({ deviceUuid, deviceName }) => [deviceUuid, { uuid: deviceUuid, name: deviceName }])).values(),
];

function UpdateSelected({ selection, total }: { selection: RowSelection<Collector>; total: number }) {
  const { may } = useScope();
  const [upgraded, setUpgraded] = useState<{ uuid: string; name: string }[]>();
  const refusal = may('devices:write') ? undefined : 'Your role cannot update devices.';
  return (
    <>
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
      {upgraded && <UpgradeDialog devices={upgraded} onClose={() => setUpgraded(undefined)} />}
    </>
  );
}
