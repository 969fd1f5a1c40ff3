/** Newest alerts of a device, with a link to all of them. */
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { AlertLines } from '../../../lib/AlertLines.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { deviceAlertsQuery } from '../devices.queries.ts';
import { alertsOf } from '../parts/deviceColumns.tsx';
import type { TabProps } from './tabProps.ts';

export function AlertsTab({ device, timeZone }: TabProps) {
  const alerts = useQuery(deviceAlertsQuery(device.clientOrganizationID, device.name, timeZone));
  return (
    <Panel
      title="Alerts, last 30 days"
      end={
        <AppLink href={alertsOf(device)} style={{ color: 'inherit' }}>
          {alerts.data ? `All ${exact(alerts.data.total)}${alerts.data.totalIsAtLeast ? '+' : ''} alerts` : 'All alerts'}
        </AppLink>
      }
    >
      <Loaded
        query={alerts}
        what="alerts"
        lines={8}
        isEmpty={alerts.data?.results.length === 0}
        empty="No alerts in the last 30 days."
      >
        <AlertLines alerts={alerts.data?.results ?? []} timeZone={timeZone} hasClients={false} />
      </Loaded>
    </Panel>
  );
}
