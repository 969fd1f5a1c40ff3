/** Event and alert sums by day. Bars link to the day’s events or alerts. */
import { styled } from '@mui/material/styles';
import { type Month, periodLabel } from '@parapet/contract/rules/timeframe.ts';
import type { Bucket } from '../../../kit/bars.ts';
import { tableOf } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { shortTime } from '../../../kit/time.ts';
import { useGo } from '../../../lib/address.ts';
import { useScope } from '../../../lib/scope.ts';
import type { Group } from '../balance.ts';
import { reconciliationHref } from '../reconciliationHrefs.ts';
import { amountOf, parts } from '../reconciliationParts.ts';
import { shades } from './SectionChart.tsx';

const height = 220;
const Halves = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  '@media (max-width: 1099.95px)': { gridTemplateColumns: 'minmax(0, 1fr)' },
});

interface Props {
  /** By day, newest first. */
  days: readonly Group[];
  client: number;
  timeframe: Month;
}

export function ReconciliationCharts({ days, client, timeframe }: Props) {
  const go = useGo();
  const { may } = useScope();
  const chart = (title: string, [whole, ...rest]: (typeof parts)['events']) => {
    const series = rest.map(({ id, name }, index) => ({ id, name, color: shades[index % shades.length]! }));
    const buckets: Bucket[] = days.toReversed().map(({ key, sums }) => ({
      key,
      label: shortTime(Date.parse(key), 'day', 'UTC'),
      title: periodLabel(key),
      values: rest.map(({ id }) => amountOf(sums, id)),
    }));
    return (
      <ChartFrame title={title} height={height} table={tableOf(series, buckets)}>
        <StackedBars
          label={title}
          series={series}
          buckets={buckets}
          height={height - 50}
          onPick={({ key }, part) => {
            const id = rest.find((each) => each.id === part?.id)?.id ?? whole?.id;
            const href = id && reconciliationHref(id, { client, timeframe, date: key }, may);
            if (href) go(href);
          }}
        />
      </ChartFrame>
    );
  };
  return (
    <Halves>
      {chart('Events by day', parts.events)}
      {chart('Alerts by day', parts.alerts)}
    </Halves>
  );
}
