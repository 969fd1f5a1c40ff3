/** Reconciliation: accounts for every received event. Each number links to its rows. */
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { periodLabel, type ReportingMonth } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { oneIn, useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { TabLinks } from '../../../lib/TabLinks.tsx';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { addUp, byClient, byDay } from '../balance.ts';
import { ReconciliationCharts } from '../parts/ReconciliationCharts.tsx';
import { ReconciliationSum } from '../parts/ReconciliationSum.tsx';
import { ReconciliationTables } from '../parts/ReconciliationTables.tsx';
import { balanceQuery } from '../reports.queries.ts';

const Whole = styled('div')({ display: 'grid', gap: 16, gridTemplateColumns: 'minmax(0, 1fr)' });

export function ReconciliationTab({ month }: { month: ReportingMonth }) {
  const { client, clientName, range } = useScope();
  const { search } = useSearchState();
  const [held] = useHeldRange(range, `${client}`);
  const balance = useQuery(balanceQuery(client, held));
  const days = balance.data?.results;
  const by = client === allClients ? oneIn(search.by, ['client', 'day'], 'client') : 'day';
  const groups = useMemo(() => days && (by === 'client' ? byClient(days) : byDay(days)), [days, by]);
  const sums = useMemo(() => days && addUp(days), [days]);
  const whose = client === allClients ? 'all clients' : clientName || 'your organisation';
  if (balance.error) {
    return <FailedState what="the reconciliation" error={balance.error} onRetry={() => void balance.refetch()} />;
  }
  if (!days || !groups || !sums) {
    return (
      <Whole aria-busy>
        <SkeletonBar height={132} />
        <SkeletonBar height={260} />
        <SkeletonBar height={400} />
      </Whole>
    );
  }
  if (days.length === 0) {
    return (
      <EmptyState
        title={`No events in ${month.label}`}
        text={`${whose[0]?.toUpperCase()}${whose.slice(1)} sent no events in this month.`}
      />
    );
  }
  const unbalanced = days.filter(({ isBalanced }) => !isBalanced).length;
  const all = `${days.at(-1)!.date}..${days[0]!.date}`;
  return (
    <Whole>
      {!sums.isBalanced && (
        <Note tone="warning" role="alert">
          {counted(unbalanced, 'row')} below {unbalanced === 1 ? 'is' : 'are'} not balanced. Your provider is investigating.
        </Note>
      )}
      <ReconciliationSum sums={sums} client={client} timeframe={month.value} date={all} />
      <ReconciliationCharts days={by === 'day' ? groups : byDay(days)} client={client} timeframe={month.value} />
      {client === allClients && (
        <TabLinks
          label="Rows by"
          current={by}
          tabs={(['client', 'day'] as const).map((id) => ({
            id,
            title: id === 'client' ? 'By client' : 'By day',
            href: paths.reporting({
              client,
              timeframe: month.value,
              tab: 'balance',
              by: id === 'client' ? undefined : id,
            }),
          }))}
        />
      )}
      <ReconciliationTables
        groups={groups}
        client={client}
        timeframe={month.value}
        date={all}
        nameOf={({ key, first }) => (by === 'day' ? periodLabel(key) : first.clientOrganizationName)}
        isByDay={by === 'day'}
      />
    </Whole>
  );
}
