/**
 * Data sources (/apps/devices): whatever sends events or is spoken of in them, with its tags. What is filtered stands in the address;
 * what is selected stays selected over pages, because tagging usually collects from several.
 */
import LocalOfferOutlined from '@mui/icons-material/LocalOfferOutlined';
import Button from '@mui/material/Button';
import type { Device } from '@parapet/contract/devices.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { counted, exact } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SelectionBar } from '../../kit/SelectionBar.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { useRowSelection } from '../../kit/useRowSelection.ts';
import { useGo, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { TagDialog } from '../tags/parts/TagDialog.tsx';
import { tagsQuery } from '../tags/tags.queries.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { deviceFiltersIn, isFiltered } from './deviceFilters.ts';
import { allDevices, deviceListQuery, devicesTimeframe, mostTagged } from './devices.queries.ts';
import { DevicesToolbar } from './parts/DevicesToolbar.tsx';
import { DeviceCard, deviceColumns } from './parts/deviceColumns.tsx';

const ofSeveral = 'Tags belong to one client; these data sources belong to several.';
const ownersOf = (devices: readonly Device[]) => new Set(devices.map((device) => device.clientOrganizationID)).size;

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
    filter: JSON.stringify([filters.text, filters.type, filters.tag]),
    rows,
    rowId: (device) => device.uuid,
    most: mostTagged,
  });
  const [tagged, setTagged] = useState<readonly Device[]>();
  const [isGathering, setGathering] = useState(false);

  const hasClients = client === 0;
  const columns = useMemo(() => deviceColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const ownerOf = (organisationId: number) =>
    clients.find((each) => each.id === organisationId)?.name ?? `client ${organisationId}`;
  const refusal = !may('tags:write')
    ? 'Your role can see tags, not change them.'
    : ownersOf(selection.rows) > 1
      ? ofSeveral
      : undefined;
  const tag = async () => {
    if (!selection.isAll) return setTagged(selection.rows);
    setGathering(true);
    try {
      const all = await allDevices(client, timeZone, filters);
      if (ownersOf(all) > 1) toast.warning(ofSeveral);
      else setTagged(all);
    } catch (error) {
      toast.error(`The data sources could not be gathered. ${error instanceof Error ? error.message : ''}`);
    }
    setGathering(false);
  };
  const openAlerts = (device: Device) =>
    go(paths.alerts(device.clientOrganizationID, { timeframe: devicesTimeframe, device: device.name }));

  return (
    <>
      <PageHeader
        title="Data Sources"
        purpose={`What sends events for ${hasClients ? 'all clients' : clientName || 'your organisation'}, and how it is tagged`}
      />
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
        onOpen={openAlerts}
        empty={
          isFiltered(filters) ? (
            <EmptyState
              title="No data source matches these filters"
              text="Take one away, or search for a part of the name."
              actions={
                <Button
                  variant="outlined"
                  size="small"
                  onClick={() => change({ text: undefined, type: undefined, tag: undefined, page: undefined })}
                >
                  Clear all filters
                </Button>
              }
            />
          ) : (
            <EmptyState title="No data sources yet" text="They appear here by themselves as soon as their first event arrives." />
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
            whyNotAll={total > mostTagged ? `At most ${exact(mostTagged)} at once: filter the list first.` : undefined}
            onClear={selection.clear}
          >
            <span title={refusal}>
              <Button
                size="small"
                variant="contained"
                startIcon={<LocalOfferOutlined />}
                disabled={refusal !== undefined}
                loading={isGathering}
                onClick={() => void tag()}
                sx={{ height: 32 }}
              >
                Tag {counted(selection.isAll ? total : selection.rows.length, 'data source')}
              </Button>
            </span>
            {refusal && (
              <span role="note" style={{ fontSize: 12 }}>
                {refusal}
              </span>
            )}
          </SelectionBar>
        }
        views={(look) => <ViewsMenu list="devices" {...look} />}
        selected={selection.ids}
        onSelect={selection.choose}
      />
      {tagged?.[0] && (
        <TagDialog
          organisationId={tagged[0].clientOrganizationID}
          devices={tagged}
          onClose={() => setTagged(undefined)}
          onDone={() => {
            setTagged(undefined);
            selection.clear();
          }}
        />
      )}
    </>
  );
}
