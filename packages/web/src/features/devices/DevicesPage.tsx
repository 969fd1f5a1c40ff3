/**
 * Data sources (/apps/devices): whatever sends events or is spoken of in them, with its tags. What is filtered stands in the address;
 * what is selected stays selected over pages, because tagging usually collects from several.
 */
import LocalOfferOutlined from '@mui/icons-material/LocalOfferOutlined';
import Button from '@mui/material/Button';
import type { Device } from '@parapet/contract/devices.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { DataTable, type RowId } from '../../kit/DataTable.tsx';
import { counted } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { useGo, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { TagDialog } from '../tags/parts/TagDialog.tsx';
import { tagsQuery } from '../tags/tags.queries.ts';
import { deviceFiltersIn, isFiltered } from './deviceFilters.ts';
import { deviceListQuery, devicesTimeframe } from './devices.queries.ts';
import { DevicesToolbar } from './parts/DevicesToolbar.tsx';
import { DeviceCard, deviceColumns } from './parts/deviceColumns.tsx';
import { useSelection } from './useSelection.ts';

export function DevicesPage() {
  useTitle('Data Sources');
  const { client, clientName, clients, timeZone, may } = useScope();
  const go = useGo();
  const { search, change } = useSearchState();
  const filters = deviceFiltersIn(search);
  const list = useQuery(deviceListQuery(client, timeZone, filters));
  const tags = useQuery(tagsQuery(client));
  const rows = list.data?.results;
  const selection = useSelection(client, rows);
  const [isTagging, setTagging] = useState(false);

  const hasClients = client === 0;
  const columns = useMemo(() => deviceColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const ownerOf = (organisationId: number) =>
    clients.find((each) => each.id === organisationId)?.name ?? `client ${organisationId}`;
  const owners = new Set(selection.devices.map((device) => device.clientOrganizationID));
  const refusal = !may('tags:write')
    ? 'Your role can see tags, not change them.'
    : owners.size > 1
      ? 'Tags belong to one client; these data sources belong to several.'
      : undefined;
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
        total={list.data?.total ?? 0}
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
          selection.devices.length > 0 && (
            <>
              <span title={refusal}>
                <Button
                  size="small"
                  variant="contained"
                  startIcon={<LocalOfferOutlined />}
                  disabled={refusal !== undefined}
                  onClick={() => setTagging(true)}
                  sx={{ height: 32 }}
                >
                  Tag {counted(selection.devices.length, 'data source')}
                </Button>
              </span>
              {refusal && (
                <span role="note" style={{ fontSize: 12 }}>
                  {refusal}
                </span>
              )}
              <Button size="small" onClick={selection.clear} sx={{ height: 32 }}>
                Clear selection
              </Button>
            </>
          )
        }
        selected={selection.ids as ReadonlySet<RowId>}
        onSelect={selection.choose}
      />
      {isTagging && selection.devices[0] && (
        <TagDialog
          organisationId={selection.devices[0].clientOrganizationID}
          devices={selection.devices}
          onClose={() => setTagging(false)}
          onDone={() => {
            setTagging(false);
            selection.clear();
          }}
        />
      )}
    </>
  );
}
