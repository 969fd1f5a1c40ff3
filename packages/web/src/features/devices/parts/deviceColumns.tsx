/** The columns of the list of data sources, and the same as a card for narrow screens. */
import Link from '@mui/material/Link';
import type { Device } from '@parapet/contract/devices.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { Count } from '../../../kit/Count.tsx';
import { clientColumn, textCell } from '../../../kit/cells.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { StateMark } from '../../../kit/StateMark.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { TagChips } from '../../tags/parts/TagChip.tsx';
import { devicesTimeframe } from '../devices.queries.ts';
import { DeviceTypeLabel } from './DeviceTypeLabel.tsx';
import { hoursText, SourceState } from './SourceState.tsx';
import { Volume } from './Volume.tsx';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

export const pageOf = (device: Pick<Device, 'clientOrganizationID' | 'name'>) =>
  paths.device(device.clientOrganizationID, device.name);
export const alertsOf = (device: Pick<Device, 'clientOrganizationID' | 'name'>) =>
  paths.alerts(device.clientOrganizationID, { timeframe: devicesTimeframe, device: device.name });
/** Link to the events of a device, narrowed by `more`. */
export const eventsOf = (device: Pick<Device, 'clientOrganizationID' | 'name'>, more: Record<string, string> = {}) =>
  paths.events({ client: device.clientOrganizationID, timeframe: devicesTimeframe, device: device.name, ...more });

/** Link to the events that "Events, 24 h" counts. */
export const eventsOfDay = (device: Pick<Device, 'clientOrganizationID' | 'name'>, now = Date.now()) =>
  eventsOf(device, { from: new Date(now - dayMs).toISOString(), until: new Date(now).toISOString() });

interface Cell {
  device: Device;
  tabIndex?: number;
}

function NameLink({ device, tabIndex }: Cell) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', minWidth: 0 }}>
      <TitleLink href={pageOf(device)} tabIndex={tabIndex} style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <VisibleText text={device.name} />
      </TitleLink>
      {device.isIsolated && <StateMark state="isolated" />}
    </span>
  );
}

function AlertsLink({ device, tabIndex }: Cell) {
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
function LastEvent({ device, timeZone, tabIndex }: Cell & { timeZone: string }) {
  if (!device.lastEventAt) return <>Never</>;
  return (
    <Link component={AppLink} href={eventsOf(device)} tabIndex={tabIndex} title={`Events of ${device.name}`}>
      <RelativeTime at={device.lastEventAt} timeZone={timeZone} />
    </Link>
  );
}

export function deviceColumns({ timeZone, hasClients }: Look): Column<Device>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      flex: 2,
      width: 150,
      isFixed: true,
      cell: (device) => <NameLink device={device} tabIndex={-1} />,
    },
    { id: 'type', header: 'Type', width: 142, hidePriority: 3, cell: (device) => <DeviceTypeLabel type={device.deviceType} /> },
    ...clientColumn(hasClients, { width: 160 }),
    {
      id: 'state',
      header: 'State',
      width: 142,
      cell: (device) => <SourceState state={device.state} hours={device.silenceHours} />,
    },
    {
      id: 'silence',
      header: 'Silence, hours',
      width: 110,
      align: 'right',
      isHidden: true,
      cell: (device) =>
        device.silenceHours === null ? '–' : <span title={hoursText(device.silenceHours)}>{exact(device.silenceHours)}</span>,
    },
    {
      id: 'volume',
      header: 'Events, 24 h',
      width: 112,
      align: 'right',
      cell: (device) => <Volume events={device.events24h} expected={device.expected24h} />,
    },
    {
      id: 'alerts',
      header: 'Alerts, 30 d',
      width: 116,
      align: 'right',
      hidePriority: 2,
      cell: (device) => <AlertsLink device={device} tabIndex={-1} />,
    },
    {
      id: 'lastEvent',
      header: 'Last event',
      width: 104,
      cell: (device) => <LastEvent device={device} timeZone={timeZone} tabIndex={-1} />,
    },
    {
      id: 'agent',
      header: 'Collector',
      width: 150,
      hidePriority: 5,
      cell: (device) => textCell(device.agentUpdateVersion) ?? '–',
    },
    {
      id: 'agentSince',
      header: 'Version since',
      width: 120,
      isHidden: true,
      cell: (device) => (device.agentUpdateDateTime ? <RelativeTime at={device.agentUpdateDateTime} timeZone={timeZone} /> : '–'),
    },
    { id: 'tags', header: 'Tags', flex: 2, width: 110, hidePriority: 4, cell: (device) => <TagChips tags={device.deviceTags} /> },
  ];
}

const spread = { display: 'flex', justifyContent: 'space-between', gap: 12, minWidth: 0 } as const;

export function DeviceCard({ device, timeZone, hasClients }: Look & { device: Device }) {
  return (
    <div style={{ display: 'grid', gap: 6, minWidth: 0 }}>
      <strong style={{ overflowWrap: 'anywhere' }}>
        <NameLink device={device} />
      </strong>
      <span style={spread}>
        <SourceState state={device.state} hours={device.silenceHours} />
        <LastEvent device={device} timeZone={timeZone} />
      </span>
      <span style={spread}>
        <DeviceTypeLabel type={device.deviceType} />
        <Volume events={device.events24h} expected={device.expected24h} />
      </span>
      <span style={spread}>
        <span>
          Alerts, last 30 days: <AlertsLink device={device} />
        </span>
        {hasClients && <VisibleText text={device.clientOrganizationName} />}
      </span>
      {device.deviceTags.length > 0 && <TagChips tags={device.deviceTags} />}
    </div>
  );
}
