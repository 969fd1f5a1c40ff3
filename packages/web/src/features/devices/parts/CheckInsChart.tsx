/** Reporting devices by day and type. Clicking a segment filters the list by its type. */
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tableOf } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { checkInBuckets } from '../checkIns.ts';
import { checkInsQuery } from '../devices.queries.ts';
import { DeviceTypeIcon, deviceTypeLabel } from './DeviceTypeLabel.tsx';

const height = 168;
const title = 'Reporting devices by day';
const series = deviceTypes.map((type) => ({
  id: type,
  name: deviceTypeLabel[type],
  color: `var(--device-${type})`,
  icon: <DeviceTypeIcon type={type} />,
}));

interface Props {
  client: number;
  timeZone: string;
  onType: (type: DeviceType) => void;
}

export function CheckInsChart({ client, timeZone, onType }: Props) {
  const { data, error, refetch } = useQuery(checkInsQuery(client, timeZone));
  const buckets = useMemo(() => data && checkInBuckets(data.results), [data]);
  const today = data?.results.at(-1)?.totalCount;
  return (
    <ChartFrame
      title={title}
      height={height}
      table={buckets && tableOf(series, buckets)}
      end={today !== undefined && <span style={{ marginRight: 8 }}>{today} today</span>}
    >
      {buckets ? (
        <StackedBars
          label={title}
          series={series}
          buckets={buckets}
          height={height - 30}
          onPick={(_bucket, picked) => picked && onType(picked.id as DeviceType)}
        />
      ) : error ? (
        <FailedLine what="reports by day" error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonBar height={height - 24} />
      )}
    </ChartFrame>
  );
}
