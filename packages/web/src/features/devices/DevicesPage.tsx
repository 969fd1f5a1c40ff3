/** Data sources (/apps/devices) with their tags. The selection is kept over pages, because tagging usually collects from several. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { Device } from '@parapet/contract/devices.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useMemo, useState } from 'react';
import { CallMergeRounded } from '../../kit/icons/CallMergeRounded.tsx';
import { LocalOfferOutlined } from '../../kit/icons/LocalOfferOutlined.tsx';
import { UpgradeRounded } from '../../kit/icons/UpgradeRounded.tsx';
import { lazyPanel } from '../../kit/LazyPanel.tsx';
import { counted, exact } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SelectionBar } from '../../kit/SelectionBar.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { Stat, StatRow } from '../../kit/Stat.tsx';
import { type RowSelection, useRowSelection } from '../../kit/useRowSelection.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { useListState } from '../../lib/useListState.ts';
import { ConnectionsTab } from '../connections/ConnectionsTab.tsx';
import { TagDialog } from '../tags/parts/TagDialog.tsx';
import { tagsQuery } from '../tags/tags.queries.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import {
  allDevices,
  deviceList,
  deviceListQuery,
  maxMerged,
  maxTagged,
  stateCountQuery,
  statesInOrder,
} from './devices.queries.ts';
import { CheckInsChart } from './parts/CheckInsChart.tsx';
import { DeviceTypeLabel, deviceTypeLabel } from './parts/DeviceTypeLabel.tsx';
import { DeviceCard, deviceColumns, pageOf } from './parts/deviceColumns.tsx';
import { MergeDialog } from './parts/MergeDialog.tsx';
import { SourceState, stateLabel } from './parts/SourceState.tsx';
import { UpgradeDialog } from './parts/UpgradeDialog.tsx';

export function DevicesPage() {
  const { search } = useSearchState();
  if (search.tab === 'webhooks') return <Webhooks />;
  if (search.tab === 'imports') return <Imports />;
  return search.tab === 'connections' ? <Connections /> : <DeviceList />;
}

const ImportsTab = lazyPanel('imports', () => import('../imports/ImportsTab.tsx').then((module) => module.ImportsTab));
const WebhooksTab = lazyPanel('webhooks', () =>
  import('../webhook-sources/WebhooksTab.tsx').then((module) => module.WebhooksTab),
);

function Tabs({ current }: { current: 'list' | 'connections' | 'webhooks' | 'imports' }) {
  const { client, hasSelector } = useScope();
  const place = hasSelector ? client : undefined;
  return (
    <TabLinks
      label="Data Sources"
      current={current}
      tabs={[
        { id: 'list', title: 'Sources', href: paths.devices(place) },
        { id: 'connections', title: 'Connections', href: paths.devices(place, { tab: 'connections' }) },
        { id: 'webhooks', title: 'Webhooks', href: paths.devices(place, { tab: 'webhooks' }) },
        { id: 'imports', title: 'Imports', href: paths.devices(place, { tab: 'imports' }) },
      ]}
    />
  );
}

function Connections() {
  useTitle('Connections');
  const scope = useScope();
  return (
    <>
      <PageHeader title="Data Sources" purpose={`Cloud services that are read, and syslog, for ${clientLabel(scope)}`} />
      <Tabs current="connections" />
      <ConnectionsTab key={scope.client} />
    </>
  );
}

function Webhooks() {
  useTitle('Webhooks');
  const scope = useScope();
  return (
    <>
      <PageHeader title="Data Sources" purpose={`Products that post events for ${clientLabel(scope)}`} />
      <Tabs current="webhooks" />
      <Suspense fallback={<TextSkeleton lines={3} lineHeight={88} />}>
        <WebhooksTab key={scope.client} />
      </Suspense>
    </>
  );
}

function Imports() {
  useTitle('Imports');
  const scope = useScope();
  return (
    <>
      <PageHeader title="Data Sources" purpose={`Event files for ${clientLabel(scope)}`} />
      <Tabs current="imports" />
      <Suspense fallback={<TextSkeleton lines={3} lineHeight={88} />}>
        <ImportsTab key={scope.client} />
      </Suspense>
    </>
  );
}

function DeviceList() {
  const scope = useScope();
  const { client, timeZone } = scope;
  const list = useListState(deviceList);
  const devices = useQuery(deviceListQuery(client, timeZone, list.query));
  const total = devices.data?.total ?? 0;
  const rowId = (device: Device) => device.uuid;
  const rows = devices.data?.results;
  const selection = useRowSelection({ subject: client, filter: list.filterKey, rows, rowId, most: maxTagged });
  const look = { timeZone, hasClients: client === allClients };
  const columns = useMemo(() => deviceColumns({ timeZone, hasClients: client === allClients }), [timeZone, client]);
  const filters = useDeviceFilters();
  const actions = useDeviceActions(selection, total, () => allDevices(client, timeZone, list.query));

  return (
    <ListPage
      id="devices"
      label="Data sources"
      title="Data Sources"
      purpose={`Data sources for ${clientLabel(scope)} and their tags`}
      list={list}
      query={devices}
      columns={columns}
      rowId={rowId}
      card={(device) => <DeviceCard device={device} {...look} />}
      hrefOf={pageOf}
      search="Search data sources"
      filters={filters}
      views={ViewsMenu}
      selection={selection}
      news={actions.bar}
      dialogs={actions.dialogs}
      empty={{
        title: 'No data sources yet',
        text: 'Data sources appear here when their first event arrives.',
        actions: (
          <Button component={AppLink} href={paths.agents({ client, tab: 'install' })} variant="outlined" size="small">
            Connect a data source
          </Button>
        ),
      }}
    >
      <Tabs current="list" />
      <Figures current={list.state.state.join()} />
      <div style={{ marginBottom: 16 }}>
        <CheckInsChart client={client} timeZone={timeZone} onType={(type) => list.set({ type })} />
      </div>
    </ListPage>
  );
}

function useDeviceFilters(): ListFilter[] {
  const { client, clients } = useScope();
  const tags = useQuery(tagsQuery(client)).data?.results.filter((tag) => !tag.isDeleted) ?? [];
  const ownerOf = (id: number) => clients.find((each) => each.id === id)?.name ?? `client ${id}`;
  return [
    {
      name: 'type',
      label: 'Type',
      options: deviceTypes.map((type) => ({ value: type, text: deviceTypeLabel[type], label: <DeviceTypeLabel type={type} /> })),
    },
    {
      name: 'state',
      label: 'State',
      options: statesInOrder.map((state) => ({ value: state, text: stateLabel[state], label: <SourceState state={state} /> })),
    },
    {
      name: 'tag',
      label: 'Tag',
      none: 'No tags yet',
      textOf: () => 'deleted',
      options: tags.map(({ id, name, clientOrganizationID }) => ({
        value: id,
        text: name,
        label: <VisibleText text={client === allClients ? `${name} · ${ownerOf(clientOrganizationID)}` : name} />,
      })),
    },
  ];
}

function Figures({ current }: { current: string }) {
  const { client, timeZone } = useScope();
  const states = [undefined, ...statesInOrder];
  const counts = useQueries({ queries: states.map((state) => stateCountQuery(client, timeZone, state)) });
  return (
    <StatRow>
      {states.map((state, index) => (
        <Stat
          key={state ?? 'all'}
          component={AppLink}
          href={paths.devices(client, { state })}
          label={state ? stateLabel[state] : 'All data sources'}
          aria-current={current === (state ?? '') ? 'true' : undefined}
          value={counts[index]?.data?.total}
        />
      ))}
    </StatRow>
  );
}

type Action = 'tag' | 'update' | 'merge';

const ownersOf = (devices: readonly Device[]) => new Set(devices.map((device) => device.clientOrganizationID)).size;
const severalOwners = 'Tags belong to one client; these data sources belong to several.';

/** Reasons why the actions are disabled for the selected devices. */
function useRefusals({ rows, isAll }: RowSelection<Device>): Record<Action, string | undefined> {
  const { may } = useScope();
  const hasSeveralOwners = ownersOf(rows) > 1;
  const mergeRefusal = () => {
    if (!may('devices:write')) return 'Your role cannot merge devices.';
    if (isAll || rows.length < 2) return 'Select at least 2 data sources that are the same device.';
    if (rows.length > maxMerged + 1) return `At most ${maxMerged + 1} at once.`;
    return hasSeveralOwners ? 'These data sources belong to several clients.' : undefined;
  };
  return {
    tag: !may('tags:write') ? 'Your role can see tags, not change them.' : hasSeveralOwners ? severalOwners : undefined,
    update: may('devices:write') ? undefined : 'Your role cannot update devices.',
    merge: mergeRefusal(),
  };
}

/** `gather` loads all devices of the list, for a selection of all. */
function useDeviceActions(selection: RowSelection<Device>, total: number, gather: () => Promise<Device[]>) {
  const [dialog, setDialog] = useState<{ kind: Action; devices: readonly Device[] }>();
  const [gathering, setGathering] = useState<Action>();
  const refusals = useRefusals(selection);
  const begin = async (kind: Action) => {
    if (!selection.isAll) return setDialog({ kind, devices: selection.rows });
    setGathering(kind);
    try {
      const devices = await gather();
      if (kind === 'tag' && ownersOf(devices) > 1) toast.warning(severalOwners);
      else setDialog({ kind, devices });
    } catch (error) {
      toast.error(`Couldn’t load all data sources. ${error instanceof Error ? error.message : ''}`);
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
        sx={{ height: 32 }}
      >
        {text}
      </Button>
    </span>
  );
  const close = () => setDialog(undefined);
  const done = () => {
    close();
    selection.clear();
  };
  const [first] = dialog?.devices ?? [];
  const bar = (
    <SelectionBar
      count={selection.rows.length}
      isAll={selection.isAll}
      total={total}
      onAll={selection.chooseAll}
      whyNotAll={total > maxTagged ? `At most ${exact(maxTagged)} at once: filter the list first.` : undefined}
      onClear={selection.clear}
    >
      {button('tag', <LocalOfferOutlined />, `Tag ${counted(selection.isAll ? total : selection.rows.length, 'data source')}`)}
      {button('update', <UpgradeRounded />, 'Update')}
      {button('merge', <CallMergeRounded />, 'Merge')}
      {refusals.tag && (
        <span role="note" style={{ fontSize: 12 }}>
          {refusals.tag}
        </span>
      )}
    </SelectionBar>
  );
  const dialogs = dialog && first && (
    <>
      {dialog.kind === 'tag' && (
        <TagDialog organisationId={first.clientOrganizationID} devices={dialog.devices} onClose={close} onDone={done} />
      )}
      {dialog.kind === 'update' && <UpgradeDialog devices={dialog.devices} onClose={close} />}
      {dialog.kind === 'merge' && <MergeDialog devices={dialog.devices} onClose={close} onDone={done} />}
    </>
  );
  return { bar, dialogs };
}
