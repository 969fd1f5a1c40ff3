/** Chart of the daily risk scores. */
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { maxScore } from '@parapet/contract/rules/risk.ts';
import { periodLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { LineChart } from '../../../kit/LineChart.tsx';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { shortTime } from '../../../kit/time.ts';
import { oneIn, useSearchState } from '../../../lib/address.ts';
import { historyQuery } from '../risk.queries.ts';

const spans = ['last30Days', 'lastSixMonths', 'lastOneYear'] as const;
const names: Record<(typeof spans)[number], [short: string, name: string]> = {
  last30Days: ['30 d', '30 days'],
  lastSixMonths: ['6 m', '6 months'],
  lastOneYear: ['1 y', '12 months'],
};
const height = 240;

export function History({ client, timeZone, average }: { client: number; timeZone: string; average: number | undefined }) {
  const { search, change } = useSearchState();
  const span = oneIn(search.history, spans, 'lastOneYear');
  const history = useQuery(historyQuery(client, span, timeZone));
  const rows = history.data?.results;
  return (
    <ChartFrame
      title="Risk score by day"
      height={height}
      table={
        rows && rows.length > 0
          ? {
              head: ['Day', 'Risk score', 'Devices', 'Best practices', 'Cases'],
              rows: rows.map((row) => [periodLabel(row.date), row.riskScore, row.deviceScore, row.practiceScore, row.caseScore]),
            }
          : undefined
      }
      end={
        <ToggleButtonGroup
          exclusive
          size="small"
          value={span}
          aria-label="Time span"
          onChange={(_, next: (typeof spans)[number] | null) =>
            next && change({ history: next === 'lastOneYear' ? undefined : next }, { replace: true })
          }
        >
          {spans.map((each) => (
            <ToggleButton
              key={each}
              value={each}
              title={names[each][1]}
              sx={{ px: 1, py: 0, fontSize: 12, textTransform: 'none' }}
            >
              {names[each][0]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      {rows === undefined ? (
        history.error ? (
          <FailedState what="the history" error={history.error} onRetry={() => void history.refetch()} />
        ) : (
          <SkeletonBar width="100%" height={height - 20} />
        )
      ) : rows.length === 0 ? (
        <EmptyState title="No history yet" text="The score is recorded once a day." />
      ) : (
        <LineChart
          label="Risk score"
          most={maxScore}
          height={height - 40}
          level={average === undefined ? undefined : { name: 'Industry average', value: average }}
          points={rows.map((row) => {
            const at = Date.parse(row.date);
            return {
              at,
              label: shortTime(at, 'day', 'UTC'),
              title: periodLabel(row.date),
              value: row.riskScore,
              details: [
                ['Devices', row.deviceScore],
                ['Best practices', row.practiceScore],
                ['Cases', row.caseScore],
              ],
            };
          })}
        />
      )}
    </ChartFrame>
  );
}
