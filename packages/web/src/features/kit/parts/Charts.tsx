/** Key figures and charts. */
import { tableOf } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { SeverityIcon, severityColor, severityLabel, severityNames } from '../../../kit/Severity.tsx';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { Stat, StatRow } from '../../../kit/Stat.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { toast } from '../../../lib/toast.ts';
import { States } from './States.tsx';

const series = severityNames.toReversed().map((id) => ({
  id,
  name: severityLabel[id],
  color: severityColor(id),
  icon: <SeverityIcon severity={id} />,
}));
const bucketsOf = (count: number, heightOf: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ({
    key: String(at),
    label: `${at + 1} Nov`,
    title: `${at + 1} November 2026`,
    values: series.map((_, index) => Math.round(heightOf(at) / (index + 1))),
  }));
const wave = bucketsOf(30, (at) => 40 + 35 * Math.sin(at / 3));
const lone = bucketsOf(30, (at) => (at === 12 ? 90_000 : 0));
const failure = new Error('The portal is busy or restarting. Try again in a moment.');
const height = 220;
const retry = () => toast.info('Tried again');

export function Charts() {
  return (
    <>
      <StatRow>
        <Stat label="More than before" value={1234} before={900} href="#figures" />
        <Stat label="Fewer" value={12} before={90} href="#figures" aria-current="true" />
        <Stat label="The same" value={7} before={7} />
        <Stat label="None before" value={3} before={0} icon={<SeverityIcon severity="critical" />} />
        <Stat label="A name that is much too long for the place that it has" value={98_765_432} />
        <Stat label="Loading" value={undefined} />
      </StatRow>
      <States
        least={420}
        of={{
          'With figures': (
            <ChartFrame title="Alerts by day" table={tableOf(series, wave)} height={height}>
              <StackedBars
                label="Alerts by day"
                series={series}
                buckets={wave}
                height={height - 40}
                onPick={(bucket, one) => toast.info(`${bucket.title} ${one?.name ?? ''}`)}
              />
            </ChartFrame>
          ),
          'One bar among none': (
            <ChartFrame title="One storm" table={tableOf(series, lone)} height={height}>
              <StackedBars label="One storm" series={series} buckets={lone} height={height - 40} />
            </ChartFrame>
          ),
          Loading: (
            <ChartFrame title="Loading chart" table={undefined} height={height}>
              <SkeletonBar height={height - 24} />
            </ChartFrame>
          ),
          Failed: (
            <ChartFrame title="Failed chart" table={undefined} height={height}>
              <FailedState what="figures" error={failure} onRetry={retry} />
            </ChartFrame>
          ),
          Empty: (
            <ChartFrame title="Empty chart" table={undefined} height={height}>
              <EmptyState title="No events" text="Select a longer timeframe." />
            </ChartFrame>
          ),
        }}
      />
    </>
  );
}
