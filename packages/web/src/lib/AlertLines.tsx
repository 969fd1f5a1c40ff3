/** Compact list of alerts, each linked to its page. */
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { RelativeTime } from '../kit/RelativeTime.tsx';
import { Line, Lines } from './Lines.tsx';
import { paths } from './paths.ts';

interface Props {
  alerts: readonly AlertRow[];
  timeZone: string;
  /** Each line names its client. */
  hasClients: boolean;
}

export function AlertLines({ alerts, timeZone, hasClients }: Props) {
  return (
    <Lines>
      {alerts.map((alert) => {
        const where = [alert.deviceName, alert.userName, hasClients && alert.clientOrganizationName];
        return (
          <Line
            key={alert.id}
            href={paths.alert(alert.id)}
            severity={alert.severity}
            what={alert.rule}
            title={alert.alertSummary}
            where={where.some(Boolean) ? where : [alert.alertSummary]}
            end={<RelativeTime at={alert.createdTime} timeZone={timeZone} />}
            under={alert.count > 1 && <span title={`Raised ${alert.count} times`}>×{alert.count}</span>}
          />
        );
      })}
    </Lines>
  );
}
