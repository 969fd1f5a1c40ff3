/** Alerts over time by severity; a bar opens its alerts. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tableOf } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { SeverityIcon, severityColor, severityLabel } from '../../../kit/Severity.tsx';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { type AlertsOverTime, bucketsOf, seriesOrder } from '../buckets.ts';

const chartHeight = 260;

const series = seriesOrder.map((id) => ({
  id,
  name: severityLabel[id],
  color: severityColor(id),
  icon: <SeverityIcon severity={id} />,
}));

export function AlertsChart({ query }: { query: UseQueryResult<AlertsOverTime> }) {
  const { client, timeframe } = useScope();
  const go = useGo();
  const buckets = useMemo(() => query.data && bucketsOf(query.data), [query.data]);
  const title = query.data?.unit === 'month' ? 'Alerts by month' : 'Alerts by day';
  return (
    <ChartFrame title={title} table={buckets && tableOf(series, buckets)} height={chartHeight}>
      {buckets ? (
        <StackedBars
          label={title}
          series={series}
          buckets={buckets}
          height={chartHeight - 40}
          onPick={(bucket, one) => go(paths.alerts(client, { timeframe, on: bucket.key, severity: one?.id }))}
        />
      ) : query.error ? (
        <FailedState what="alerts over time" error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonBar height={chartHeight - 24} />
      )}
    </ChartFrame>
  );
}
