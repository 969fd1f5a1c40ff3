/** Hits over time. Clicking a bar narrows the search to its interval. */
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxEventHits } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tableOf } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { exact } from '../../../kit/numbers.ts';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { barsOf, type EventSearch, rangeOfBar } from '../eventSearch.ts';
import { timelineQuery } from '../events.queries.ts';

const height = 150;
const series = [{ id: 'events', name: 'Events', color: 'var(--mui-palette-primary-main)' }];

interface Props {
  client: number;
  range: Range;
  search: EventSearch;
  timeZone: string;
  onNarrow: (range: Range) => void;
}

export function EventTimeline({ client, range, search, timeZone, onNarrow }: Props) {
  const { data, error, refetch } = useQuery(timelineQuery(client, range, search));
  const buckets = useMemo(() => data && barsOf(data, range, timeZone), [data, range, timeZone]);
  return (
    <ChartFrame
      title={search.by === 'arrived' ? 'Hits by arrival' : 'Hits over time'}
      height={height}
      table={buckets && buckets.length > 0 ? tableOf(series, buckets) : undefined}
      end={
        data && (
          <span style={{ marginRight: 8 }}>
            {exact(data.total)}
            {data.isAtLeast && '+'} {data.total === 1 ? 'event' : 'events'}
          </span>
        )
      }
    >
      {error ? (
        <FailedLine what="hits over time" error={error} onRetry={() => void refetch()} />
      ) : !data || !buckets ? (
        <SkeletonBar height={height - 24} />
      ) : buckets.length === 0 ? (
        <p style={{ margin: 0, fontSize: 13 }}>Nothing was found in this time.</p>
      ) : (
        <>
          {data.isAtLeast && (
            <p style={{ margin: '0 0 4px', fontSize: 13 }}>
              Only the newest {exact(maxEventHits)} are counted. Add a filter, or choose a shorter time, to see all of them.
            </p>
          )}
          <StackedBars
            label="Events over time"
            series={series}
            buckets={buckets}
            height={height - 24}
            onPick={(bucket) => onNarrow(rangeOfBar(bucket.key, data.bucketMinutes, range))}
          />
        </>
      )}
    </ChartFrame>
  );
}
