/** Chart of a report section, with its table and PNG and CSV exports. */
import type { ReportingMonth } from '@parapet/contract/rules/timeframe.ts';
import type { Bucket, Series } from '../../../kit/bars.ts';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { LineChart } from '../../../kit/LineChart.tsx';
import { SeverityIcon, severityColor } from '../../../kit/Severity.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { bucketsOf, type Chart, chartTableOf, chartTitle, dayIn, pointsOf, severityNamed, titleIn } from '../reportText.ts';

const height = 240;
/** Colours of series that are not severities: distinguished by lightness, without signal colours. */
export const shades = [
  'var(--mui-palette-primary-main)',
  'color-mix(in srgb, var(--mui-palette-text-primary) 78%, var(--mui-palette-background-paper))',
  'color-mix(in srgb, var(--mui-palette-primary-main) 48%, var(--mui-palette-background-paper))',
  'color-mix(in srgb, var(--mui-palette-text-secondary) 62%, var(--mui-palette-background-paper))',
  'color-mix(in srgb, var(--mui-palette-primary-main) 26%, var(--mui-palette-background-paper))',
  'color-mix(in srgb, var(--mui-palette-text-secondary) 30%, var(--mui-palette-background-paper))',
] as const;

interface Props {
  /** Id of the report section. */
  id: string;
  title: string;
  chart: Chart;
  month: ReportingMonth;
  client: number;
}

export function SectionChart({ id, title, chart, month, client }: Props) {
  const go = useGo();
  const dayOf = dayIn(month);
  const toAlerts = ({ key }: Bucket, part?: Series) => {
    const on = dayOf(key);
    if (on) go(paths.alerts(client, { timeframe: month.value, on, severity: part && severityNamed(part.name) }));
  };
  const isEmpty = chart.labels.length === 0 || chart.series.every(({ values }) => values.length === 0);
  return (
    <ChartFrame title={chartTitle(title, chart)} height={height} table={isEmpty ? undefined : chartTableOf(chart)}>
      {isEmpty ? (
        <p style={{ margin: 0, fontSize: 13 }}>No data this month.</p>
      ) : chart.kind === 'line' ? (
        <LineChart
          label={chart.series[0]?.name ?? title}
          points={pointsOf(chart, titleIn(month))}
          most={1}
          height={height - 30}
        />
      ) : (
        <StackedBars
          label={chart.alternative}
          series={seriesOf(chart)}
          buckets={bucketsOf(chart, titleIn(month))}
          height={height - 40}
          {...(id === 'alerts' && { onPick: toAlerts })}
        />
      )}
    </ChartFrame>
  );
}

const seriesOf = ({ series }: Chart): Series[] =>
  series.map(({ name }, index) => {
    const severity = severityNamed(name);
    return severity
      ? { id: name, name, color: severityColor(severity), icon: <SeverityIcon severity={severity} /> }
      : { id: name, name, color: shades[index % shades.length]! };
  });
