/** Short list of devices by severity of their findings. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { counted } from '../../../kit/numbers.ts';
import { Line, Lines } from '../../../lib/Lines.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { deviceTypeLabel } from '../../devices/parts/DeviceTypeLabel.tsx';

export type ScannedDevice = AnswerOf<typeof vulnerabilitiesApi.devices>['results'][number];

const worstOf = ({ critical, high, medium, low }: ScannedDevice) =>
  critical > 0 ? 'critical' : high > 0 ? 'high' : medium > 0 ? 'medium' : low > 0 ? 'low' : 'informational';
const some = (count: number, label: string) => count > 0 && `${count} ${label}`;

export function DeviceLines({ devices, hasClients }: { devices: readonly ScannedDevice[]; hasClients: boolean }) {
  const { clients } = useScope();
  return (
    <Lines>
      {devices.map((device) => {
        const open = device.critical + device.high + device.medium + device.low;
        return (
          <Line
            key={device.deviceUuid}
            href={paths.vulnerability({ client: device.clientOrganizationID, tab: 'findings', device: device.deviceUuid })}
            severity={worstOf(device)}
            what={device.deviceName}
            where={[
              deviceTypeLabel[device.deviceType],
              some(device.critical, 'critical'),
              some(device.high, 'high'),
              some(device.medium, 'medium'),
              some(device.low, 'low'),
              hasClients && (clients.find(({ id }) => id === device.clientOrganizationID)?.name ?? false),
            ]}
            end={open > 0 ? counted(open, 'finding') : device.scannedAt === null ? 'Not scanned' : 'No open findings'}
            under={!device.isOnline && 'offline'}
          />
        );
      })}
    </Lines>
  );
}
