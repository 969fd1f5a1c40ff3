/** Alert counts of the timeframe by severity with their trend, each linked to its alerts. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { SeverityIcon, severityLabel, severityNames } from '../../../kit/Severity.tsx';
import { Stat, StatRow } from '../../../kit/Stat.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import type { ListScope } from '../../../lib/useHeldList.ts';
import { alertFiguresQuery } from '../alerts.queries.ts';

interface Props {
  scope: ListScope;
  /** Timeframe from the address. */
  time: { timeframe: string; on: string | undefined };
  timeZone: string;
  /** Severity when it is the only active filter. */
  current: string | undefined;
}

export function AlertFigures({ scope, time, timeZone, current }: Props) {
  const { data, error, refetch } = useQuery(alertFiguresQuery(scope, timeZone));
  if (error && !data) {
    return (
      <Box sx={{ mb: 2 }}>
        <FailedLine what="figures" error={error} onRetry={() => void refetch()} />
      </Box>
    );
  }
  return (
    <StatRow>
      {severityNames.map((severity) => (
        <Stat
          key={severity}
          component={AppLink}
          href={paths.alerts(scope.client, { ...time, severity })}
          aria-current={current === severity || undefined}
          label={severityLabel[severity]}
          icon={<SeverityIcon severity={severity} />}
          value={data?.total[severity]}
          before={data?.before[severity]}
        />
      ))}
    </StatRow>
  );
}
