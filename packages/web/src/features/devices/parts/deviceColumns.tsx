/** The columns of the list of data sources, and the same as a card for narrow screens. */
import Link from '@mui/material/Link';
import type { Device } from '@parapet/contract/devices.ts';
import { Count } from '../../../kit/Count.tsx';
import type { Column } from '../../../kit/DataTable.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { TagChips } from '../../tags/parts/TagChip.tsx';
import { devicesTimeframe } from '../devices.queries.ts';
import { DeviceTypeLabel } from './DeviceTypeLabel.tsx';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

const alertsOf = (device: Device) =>
  paths.alerts(device.clientOrganizationID, { timeframe: devicesTimeframe, device: device.name });

function AlertsLink({ device, tabIndex }: { device: Device; tabIndex?: number }) {
  if (device.alertCount === 0) return <Count value={0} />;
  return (
    <Link
      component={AppLink}
      href={alertsOf(device)}
      tabIndex={tabIndex}
      aria-label={`${device.alertCount} alerts of ${device.name}`}
    >
      <Count value={device.alertCount} />
    </Link>
  );
}

/** The newest event, and the way to all of the device's. */
function LastEvent({ device, timeZone, tabIndex }: { device: Device; timeZone: string; tabIndex?: number }) {
  if (!device.lastEventAt) return <>Never</>;
  const events = { client: device.clientOrganizationID, timeframe: devicesTimeframe, device: device.name };
  return (
    <Link component={AppLink} href={paths.events(events)} tabIndex={tabIndex} title={`Events of ${device.name}`}>
      <RelativeTime at={device.lastEventAt} timeZone={timeZone} />
    </Link>
  );
}

export function deviceColumns({ timeZone, hasClients }: Look): Column<Device>[] {
  return [
    { id: 'name', header: 'Name', flex: 2, width: 200, isFixed: true, cell: (device) => <VisibleText text={device.name} /> },
    { id: 'type', header: 'Type', width: 156, cell: (device) => <DeviceTypeLabel type={device.deviceType} /> },
    ...(hasClients
      ? [
          {
            id: 'client',
            header: 'Client',
            flex: 1,
            width: 150,
            cell: (device: Device) => <VisibleText text={device.clientOrganizationName} />,
          },
        ]
      : []),
    { id: 'tags', header: 'Tags', flex: 2, width: 200, cell: (device) => <TagChips tags={device.deviceTags} /> },
    {
      id: 'alerts',
      header: 'Alerts, 30 days',
      width: 120,
      align: 'right',
      cell: (device) => <AlertsLink device={device} tabIndex={-1} />,
    },
    {
      id: 'lastEvent',
      header: 'Last event',
      width: 120,
      cell: (device) => <LastEvent device={device} timeZone={timeZone} tabIndex={-1} />,
    },
    {
      id: 'agent',
      header: 'Agent',
      width: 150,
      cell: (device) => (device.agentUpdateVersion ? <VisibleText text={device.agentUpdateVersion} /> : '–'),
    },
    {
      id: 'agentSince',
      header: 'Agent since',
      width: 120,
      isHidden: true,
      cell: (device) => (device.agentUpdateDateTime ? <RelativeTime at={device.agentUpdateDateTime} timeZone={timeZone} /> : '–'),
    },
  ];
}

const spread = { display: 'flex', justifyContent: 'space-between', gap: 12, minWidth: 0 } as const;

export function DeviceCard({ device, timeZone, hasClients }: Look & { device: Device }) {
  return (
    <div style={{ display: 'grid', gap: 6, minWidth: 0 }}>
      <strong style={{ overflowWrap: 'anywhere' }}>
        <VisibleText text={device.name} />
      </strong>
      <span style={spread}>
        <DeviceTypeLabel type={device.deviceType} />
        <LastEvent device={device} timeZone={timeZone} />
      </span>
      <span style={spread}>
        <span>
          Alerts, 30 days: <AlertsLink device={device} />
        </span>
        {hasClients && <VisibleText text={device.clientOrganizationName} />}
      </span>
      {device.deviceTags.length > 0 && <TagChips tags={device.deviceTags} />}
    </div>
  );
}
