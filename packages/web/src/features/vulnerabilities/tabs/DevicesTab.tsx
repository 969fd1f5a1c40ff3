/** Devices with their open findings, worst first; each number leads to its findings. */
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import type { Severity } from '@parapet/contract/primitives.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Count } from '../../../kit/Count.tsx';
import { Quiet, textCell } from '../../../kit/cells.tsx';
import { type Column, DataTable } from '../../../kit/DataTable.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { severityLabel } from '../../../kit/Severity.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo, useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { DeviceTypeLabel } from '../../devices/parts/DeviceTypeLabel.tsx';
import { pageIn, placeOf } from '../findings.ts';
import type { ScannedDevice } from '../parts/DeviceLines.tsx';
import { scannedDevicesQuery } from '../vulnerabilities.queries.ts';

const counts: { id: 'critical' | 'high' | 'medium' | 'low'; header: string; severity: Severity[] }[] = [
  { id: 'critical', header: severityLabel.critical, severity: ['critical'] },
  { id: 'high', header: severityLabel.high, severity: ['high'] },
  { id: 'medium', header: severityLabel.medium, severity: ['medium'] },
  { id: 'low', header: 'Low and info', severity: ['low', 'informational'] },
];

const pageOf = (row: ScannedDevice) => paths.device(row.clientOrganizationID, row.deviceName, { tab: 'vulnerabilities' });
const findingsOf = (row: ScannedDevice, severity: Severity[]) =>
  paths.vulnerability({ client: row.clientOrganizationID, tab: 'findings', device: row.deviceUuid, severity });

function CountLink({ row, of, tabIndex }: { row: ScannedDevice; of: (typeof counts)[number]; tabIndex?: number }) {
  const value = row[of.id];
  if (value === 0) return <Count value={0} />;
  return (
    <Link
      component={AppLink}
      href={findingsOf(row, of.severity)}
      tabIndex={tabIndex}
      aria-label={`${value} ${of.header.toLowerCase()} findings of ${visibleText(row.deviceName)}`}
    >
      <Count value={value} />
    </Link>
  );
}

const Scanned = ({ row, timeZone }: { row: ScannedDevice; timeZone: string }) =>
  row.scannedAt === null ? <>Never</> : <RelativeTime at={row.scannedAt} timeZone={timeZone} />;

export function DevicesTab() {
  const { client, clients, timeZone } = useScope();
  const { search, change } = useSearchState();
  const go = useGo();
  const place = pageIn(search);
  const list = useQuery(scannedDevicesQuery(client, place));
  const hasClients = client === 0;
  const columns = useMemo<Column<ScannedDevice>[]>(() => {
    const nameOf = (id: number) => clients.find((each) => each.id === id)?.name ?? `client ${id}`;
    return [
      {
        id: 'device',
        header: 'Device',
        flex: 2,
        width: 160,
        isFixed: true,
        cell: (row) => (
          <TitleLink
            href={pageOf(row)}
            tabIndex={-1}
            title={visibleText(row.deviceName)}
            style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
          >
            <VisibleText text={row.deviceName} />
          </TitleLink>
        ),
      },
      { id: 'type', header: 'Type', width: 146, hidePriority: 3, cell: (row) => <DeviceTypeLabel type={row.deviceType} /> },
      ...(hasClients
        ? [
            {
              id: 'client',
              header: 'Client',
              flex: 1,
              width: 120,
              cell: (row: ScannedDevice) => textCell(nameOf(row.clientOrganizationID)),
            },
          ]
        : []),
      { id: 'priority', header: 'Priority', width: 84, align: 'right', cell: (row) => row.priority || '–' },
      ...counts.map(
        (of): Column<ScannedDevice> => ({
          id: of.id,
          header: of.header,
          width: of.id === 'low' ? 112 : 84,
          align: 'right',
          cell: (row) => <CountLink row={row} of={of} tabIndex={-1} />,
        }),
      ),
      { id: 'online', header: 'State', width: 92, hidePriority: 2, cell: (row) => (row.isOnline ? 'Online' : 'Offline') },
      {
        id: 'scanned',
        header: 'Packages seen',
        width: 124,
        hidePriority: 1,
        cell: (row) => <Scanned row={row} timeZone={timeZone} />,
      },
    ];
  }, [clients, hasClients, timeZone]);
  return (
    <DataTable
      id="vulnerability-devices"
      label="Devices by their findings"
      columns={columns}
      rows={list.data?.results}
      rowId={(row) => row.deviceUuid}
      card={(row) => (
        <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
          <TitleLink href={pageOf(row)}>
            <VisibleText text={row.deviceName} />
          </TitleLink>
          <span style={{ display: 'flex', flexWrap: 'wrap', gap: '2px 14px' }}>
            {counts
              .filter(({ id }) => row[id] > 0)
              .map((of) => (
                <span key={of.id}>
                  {of.header} <CountLink row={row} of={of} />
                </span>
              ))}
            {counts.every(({ id }) => row[id] === 0) && (row.scannedAt === null ? 'Not scanned' : 'Nothing open')}
          </span>
          <Quiet>
            {row.isOnline ? 'Online' : 'Offline'} · packages seen: <Scanned row={row} timeZone={timeZone} />
          </Quiet>
        </div>
      )}
      total={list.data?.total ?? 0}
      page={place.page}
      pageSize={place.pageSize}
      onPage={(page, pageSize) => change(placeOf(page, pageSize))}
      sort="priority"
      order="desc"
      onSort={() => {}}
      isFetching={list.isFetching}
      error={list.error}
      onRetry={() => void list.refetch()}
      onOpen={(row) => go(findingsOf(row, []))}
      toolbar={
        <SearchField
          value={place.text}
          onChange={(text) => change({ text, page: undefined }, { replace: true })}
          label="Search devices"
          hasShortcut
          width={240}
        />
      }
      empty={
        place.text === '' ? (
          <EmptyState
            title="No device was looked into yet"
            text="Devices appear here with our agent’s inventory, or when a scanner’s result is uploaded for them."
            actions={
              <Button component={AppLink} href={paths.devices(client)} variant="outlined" size="small">
                Data Sources
              </Button>
            }
          />
        ) : (
          <EmptyState
            title="No device has this in its name"
            text="Search for a shorter part of it."
            actions={
              <Button variant="outlined" size="small" onClick={() => change({ text: undefined, page: undefined })}>
                Clear the search
              </Button>
            }
          />
        )
      }
    />
  );
}
