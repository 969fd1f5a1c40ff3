/** Counts of the case queue (open, unassigned, breached, malicious, waiting), each linked to its cases. */
import Box from '@mui/material/Box';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { counted } from '../../../kit/numbers.ts';
import { Stat, StatRow } from '../../../kit/Stat.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import type { ListScope } from '../../../lib/useHeldList.ts';
import { caseCountQuery } from '../cases.queries.ts';
import { openFilter } from '../caseTexts.ts';

interface Props {
  scope: ListScope;
  /** Timeframe from the address. */
  time: { timeframe: string; on: string | undefined };
}

const figures = [
  { label: 'Open', filters: { status: openStatuses }, query: { status: openFilter } },
  { label: 'Unassigned', filters: { status: openStatuses, analyst: [0] }, query: { status: openFilter, analyst: 0 } },
  { label: 'Target breached', filters: { breached: true }, query: { breached: 'true' } },
  { label: 'Malicious', filters: { status: ['malicious' as const] }, query: { status: 'malicious' } },
  { label: 'Waiting for client', filters: { waiting: true }, query: { waiting: 'true' } },
] satisfies { label: string; filters: object; query: Query }[];

export function CaseFigures({ scope, time }: Props) {
  const counts = useQueries({ queries: figures.map(({ filters }) => caseCountQuery(scope, filters)) });
  const lost = counts.filter(({ data, error }) => error && !data);
  if (lost.length > 0) {
    return (
      <Box sx={{ mb: 2 }}>
        <FailedLine what="figures" error={lost[0]!.error} onRetry={() => lost.forEach(({ refetch }) => void refetch())} />
      </Box>
    );
  }
  return (
    <StatRow>
      {figures.map(({ label, query }, index) => (
        <Stat
          key={label}
          component={AppLink}
          href={paths.cases(scope.client, { ...time, ...query })}
          label={label}
          value={counts[index]!.data?.total}
        />
      ))}
    </StatRow>
  );
}

/** Link to open cases from before the timeframe, which the list hides. */
export function EarlierOpen({ scope, since }: { scope: ListScope; since: string }) {
  const { data } = useQuery(
    caseCountQuery({ ...scope, start: new Date(0).toISOString(), end: since }, { status: openStatuses, device: scope.device }),
  );
  if (!data || data.total === 0) return null;
  return (
    <Box sx={{ mb: 1.5, fontSize: 13, color: 'text.secondary' }}>
      {counted(data.total, 'more case is', 'more cases are')} open from before this timeframe.{' '}
      <AppLink
        href={paths.cases(scope.device ?? scope.client, { timeframe: 'allTime', status: openFilter })}
        style={{ color: 'inherit', textUnderlineOffset: 3 }}
      >
        Show all open cases
      </AppLink>
    </Box>
  );
}
