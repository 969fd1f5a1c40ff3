/** Devices with their open findings, worst first. */
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { allClients } from '@parapet/contract/access.ts';
import type { Severity } from '@parapet/contract/primitives.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Count } from '../../../kit/Count.tsx';
import { SecondaryText, textCell } from '../../../kit/cells.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { severityLabel } from '../../../kit/Severity.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { ListTable } from '../../../lib/ListTable.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { useListState } from '../../../lib/useListState.ts';
import { DeviceTypeLabel } from '../../devices/parts/DeviceTypeLabel.tsx';
import type { ScannedDevice } from '../parts/DeviceLines.tsx';
import { scannedDeviceList, scannedDevicesQuery } from '../vulnerabilities.queries.ts';

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

function scannedDeviceColumns(timeZone: string, nameOf: ((client: number) => string) | undefined): Column<ScannedDevice>[] {
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
    ...(nameOf
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
      header: 'Last inventory',
      width: 124,
      hidePriority: 1,
      cell: (row) => <Scanned row={row} timeZone={timeZone} />,
    },
  ];
}

function ScannedDeviceCard({ row, timeZone }: { row: ScannedDevice; timeZone: string }) {
  const open = counts.filter(({ id }) => row[id] > 0);
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
      <TitleLink href={pageOf(row)}>
        <VisibleText text={row.deviceName} />
      </TitleLink>
      <span style={{ display: 'flex', flexWrap: 'wrap', gap: '2px 14px' }}>
        {open.map((of) => (
          <span key={of.id}>
            {of.header} <CountLink row={row} of={of} />
          </span>
        ))}
        {open.length === 0 && (row.scannedAt === null ? 'Not scanned' : 'No open findings')}
      </span>
      <SecondaryText>
        {row.isOnline ? 'Online' : 'Offline'} · last inventory: <Scanned row={row} timeZone={timeZone} />
      </SecondaryText>
    </div>
  );
}

export function DevicesTab() {
  const { client, clients, timeZone } = useScope();
  const list = useListState(scannedDeviceList);
  const columns = useMemo(() => {
    const nameOf = (id: number) => clients.find((each) => each.id === id)?.name ?? `client ${id}`;
    return scannedDeviceColumns(timeZone, client === allClients ? nameOf : undefined);
  }, [clients, client, timeZone]);
  return (
    <ListTable
      id="vulnerability-devices"
      label="Devices by findings"
      noun="devices"
      list={list}
      query={useQuery(scannedDevicesQuery(client, list.query))}
      columns={columns}
      rowId={(row) => row.deviceUuid}
      card={(row) => <ScannedDeviceCard row={row} timeZone={timeZone} />}
      hrefOf={(row) => findingsOf(row, [])}
      search="Search devices"
      noMatch="Search for a shorter part of the name."
      empty={{
        title: 'No scanned devices yet',
        text: 'Devices appear here when the agent sends its package inventory or a scan result is uploaded.',
        actions: (
          <Button component={AppLink} href={paths.devices(client)} variant="outlined" size="small">
            Data Sources
          </Button>
        ),
      }}
    />
  );
}
