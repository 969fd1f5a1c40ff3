/** Exact numbers of hits over time. Clicking a bar, or choosing several, narrows the search to their interval. */
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useMemo } from 'react';
import { tableOf } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { exact } from '../../../kit/numbers.ts';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { type Counts, countsOf, type TimelineSlice } from '../eventCounts.ts';
import { barsOf, rangeOfBar } from '../eventSearch.ts';
import type { Slices } from '../useSlices.ts';
import { SearchProgress } from './SearchProgress.tsx';

const height = 150;
const series = [{ id: 'events', name: 'Events', color: 'var(--mui-palette-primary-main)' }];

interface Props {
  slices: Slices<TimelineSlice>;
  range: Range;
  isByArrival: boolean;
  timeZone: string;
  onNarrow: (range: Range) => void;
}

export function EventTimeline({ slices, range, isByArrival, timeZone, onNarrow }: Props) {
  const { found, error, refetch, searchedTo } = slices;
  const data: Counts | undefined = useMemo(() => found && countsOf(found), [found]);
  const buckets = useMemo(() => data && barsOf(data, range, timeZone), [data, range, timeZone]);
  return (
    <ChartFrame
      title={isByArrival ? 'Hits by arrival' : 'Hits over time'}
      height={height}
      table={buckets && buckets.length > 0 ? tableOf(series, buckets) : undefined}
      end={
        data && (
          <span style={{ marginRight: 8 }}>
            {exact(data.total)}
            {searchedTo !== undefined && '+'} {data.total === 1 ? 'event' : 'events'}
          </span>
        )
      }
    >
      {error ? (
        <FailedLine what="hits over time" error={error} onRetry={refetch} />
      ) : !data || !buckets ? (
        <SkeletonBar height={height - 24} />
      ) : (
        <>
          <SearchProgress slices={slices} count={data.total} verb="Counted" timeZone={timeZone} />
          {buckets.length > 0 ? (
            <StackedBars
              label="Events over time"
              series={series}
              buckets={buckets}
              height={height - 24}
              onPick={(bucket) => onNarrow(rangeOfBar(bucket.key, data.bucketMinutes, range))}
              onBrush={(first, last) =>
                onNarrow({
                  start: rangeOfBar(first.key, data.bucketMinutes, range).start,
                  end: rangeOfBar(last.key, data.bucketMinutes, range).end,
                })
              }
            />
          ) : (
            searchedTo === undefined && <p style={{ margin: 0, fontSize: 13 }}>No events in this timeframe.</p>
          )}
        </>
      )}
    </ChartFrame>
  );
}
