/**
 * Data sources (/apps/devices): whatever sends events or is spoken of in them, with its tags. What is filtered stands in the address;
 * what is selected stays selected over pages, because tagging usually collects from several.
 */
import CallMergeRounded from '@mui/icons-material/CallMergeRounded';
import LocalOfferOutlined from '@mui/icons-material/LocalOfferOutlined';
import UpgradeRounded from '@mui/icons-material/UpgradeRounded';
import Button from '@mui/material/Button';
import type { Device } from '@parapet/contract/devices.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { counted, exact } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SelectionBar } from '../../kit/SelectionBar.tsx';
import { Stat, StatRow } from '../../kit/Stat.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { useRowSelection } from '../../kit/useRowSelection.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { useGo, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { TagDialog } from '../tags/parts/TagDialog.tsx';
import { tagsQuery } from '../tags/tags.queries.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { deviceFiltersIn, isFiltered, statesInOrder } from './deviceFilters.ts';
import { allDevices, deviceListQuery, maxMerged, maxTagged, stateCountQuery } from './devices.queries.ts';
import { CheckInsChart } from './parts/CheckInsChart.tsx';
import { DevicesToolbar } from './parts/DevicesToolbar.tsx';
import { DeviceCard, deviceColumns, pageOf } from './parts/deviceColumns.tsx';
import { MergeDialog } from './parts/MergeDialog.tsx';
import { stateLabel } from './parts/SourceState.tsx';
import { UpgradeDialog } from './parts/UpgradeDialog.tsx';

const ofSeveral = 'Tags belong to one client; these data sources belong to several.';
const small = { height: 32 } as const;
const ownersOf = (devices: readonly Device[]) => new Set(devices.map((device) => device.clientOrganizationID)).size;

type Action = 'tag' | 'update' | 'merge';

export function DevicesPage() {
  useTitle('Data Sources');
  const { client, clientName, clients, timeZone, may } = useScope();
  const go = useGo();
  const { search, change } = useSearchState();
  const filters = deviceFiltersIn(search);
  const list = useQuery(deviceListQuery(client, timeZone, filters));
  const tags = useQuery(tagsQuery(client));
  const rows = list.data?.results;
  const total = list.data?.total ?? 0;
  const selection = useRowSelection({
    subject: client,
    filter: JSON.stringify([filters.text, filters.type, filters.state, filters.tag]),
    rows,
    rowId: (device) => device.uuid,
    most: maxTagged,
  });
  const [dialog, setDialog] = useState<{ kind: Action; devices: readonly Device[] }>();
  const [gathering, setGathering] = useState<Action>();

  const hasClients = client === 0;
  const columns = useMemo(() => deviceColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const ownerOf = (organisationId: number) =>
    clients.find((each) => each.id === organisationId)?.name ?? `client ${organisationId}`;
  const count = selection.isAll ? total : selection.rows.length;
  const severalClients = ownersOf(selection.rows) > 1;
  /** Why something cannot be done with what is selected. */
  const refusals: Record<Action, string | undefined> = {
    tag: !may('tags:write') ? 'Your role can see tags, not change them.' : severalClients ? ofSeveral : undefined,
    update: may('devices:write') ? undefined : 'Your role cannot update devices.',
    merge: !may('devices:write')
      ? 'Your role cannot merge devices.'
      : selection.isAll || selection.rows.length < 2
        ? 'Select the data sources that are one device, two at least.'
        : selection.rows.length > maxMerged + 1
          ? `At most ${maxMerged + 1} at once.`
          : severalClients
            ? 'These data sources belong to several clients.'
            : undefined,
  };
  const begin = async (kind: Action) => {
    if (!selection.isAll) return setDialog({ kind, devices: selection.rows });
    setGathering(kind);
    try {
      const devices = await allDevices(client, timeZone, filters);
      if (kind === 'tag' && ownersOf(devices) > 1) toast.warning(ofSeveral);
      else setDialog({ kind, devices });
    } catch (error) {
      toast.error(`The data sources could not be gathered. ${error instanceof Error ? error.message : ''}`);
    }
    setGathering(undefined);
  };
  const button = (kind: Action, icon: ReactNode, text: string) => (
    <span title={refusals[kind]}>
      <Button
        size="small"
        variant={kind === 'tag' ? 'contained' : 'outlined'}
        startIcon={icon}
        disabled={refusals[kind] !== undefined}
        loading={gathering === kind}
        onClick={() => void begin(kind)}
        sx={small}
      >
        {text}
      </Button>
    </span>
  );
  const figures = useQueries({
    queries: [undefined, ...statesInOrder].map((state) => stateCountQuery(client, timeZone, state)),
  });
  const close = () => setDialog(undefined);
  const done = () => {
    close();
    selection.clear();
  };

  return (
    <>
      <PageHeader
        title="Data Sources"
        purpose={`What sends events for ${hasClients ? 'all clients' : clientName || 'your organisation'}, and how it is tagged`}
      />
      <StatRow>
        {[undefined, ...statesInOrder].map((state, index) => (
          <Stat
            key={state ?? 'all'}
            component={AppLink}
            href={paths.devices(client, { state: state ? [state] : [] })}
            label={state ? stateLabel[state] : 'All data sources'}
            aria-current={filters.state.join() === (state ?? '') ? 'true' : undefined}
            value={figures[index]?.data?.total}
          />
        ))}
      </StatRow>
      <div style={{ marginBottom: 16 }}>
        <CheckInsChart client={client} timeZone={timeZone} onType={(type) => change({ type: [type], page: undefined })} />
      </div>
      <DataTable
        id="devices"
        label="Data sources"
        columns={columns}
        rows={rows}
        rowId={(device) => device.uuid}
        card={(device) => <DeviceCard device={device} timeZone={timeZone} hasClients={hasClients} />}
        total={total}
        page={filters.page}
        pageSize={filters.pageSize}
        onPage={(page, pageSize) =>
          change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize })
        }
        sort="name"
        order="asc"
        onSort={() => {}}
        isFetching={list.isFetching}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(device) => go(pageOf(device))}
        empty={
          isFiltered(filters) ? (
            <EmptyState
              title="No data source matches these filters"
              text="Take one away, or search for a part of the name."
              actions={
                <Button
                  variant="outlined"
                  size="small"
                  onClick={() => change({ text: undefined, type: undefined, state: undefined, tag: undefined, page: undefined })}
                >
                  Clear all filters
                </Button>
              }
            />
          ) : (
            <EmptyState
              title="No data sources yet"
              text="They appear here by themselves as soon as their first event arrives."
              actions={
                <Button component={AppLink} href={paths.agents({ client, tab: 'install' })} variant="outlined" size="small">
                  How to connect one
                </Button>
              }
            />
          )
        }
        toolbar={
          <DevicesToolbar
            filters={filters}
            tags={(tags.data?.results ?? []).filter((tag) => !tag.isDeleted)}
            ownerOf={hasClients ? (tag) => ownerOf(tag.clientOrganizationID) : undefined}
            onChange={(next, replace) => change({ ...next, page: undefined }, { replace: replace ?? false })}
          />
        }
        news={
          <SelectionBar
            count={selection.rows.length}
            isAll={selection.isAll}
            total={total}
            onAll={selection.chooseAll}
            whyNotAll={total > maxTagged ? `At most ${exact(maxTagged)} at once: filter the list first.` : undefined}
            onClear={selection.clear}
          >
            {button('tag', <LocalOfferOutlined />, `Tag ${counted(count, 'data source')}`)}
            {button('update', <UpgradeRounded />, 'Update')}
            {button('merge', <CallMergeRounded />, 'Merge')}
            {refusals.tag && (
              <span role="note" style={{ fontSize: 12 }}>
                {refusals.tag}
              </span>
            )}
          </SelectionBar>
        }
        views={(look) => <ViewsMenu list="devices" {...look} />}
        selected={selection.ids}
        onSelect={selection.choose}
      />
      {dialog?.kind === 'tag' && dialog.devices[0] && (
        <TagDialog
          organisationId={dialog.devices[0].clientOrganizationID}
          devices={dialog.devices}
          onClose={close}
          onDone={done}
        />
      )}
      {dialog?.kind === 'update' && <UpgradeDialog devices={dialog.devices} onClose={close} />}
      {dialog?.kind === 'merge' && <MergeDialog devices={dialog.devices} onClose={close} onDone={done} />}
    </>
  );
}
