/**
 * Attack indicators (/apps/attack-indicators): what was attempted and how, against another timeframe; what our rules and live sources can
 * see at all; which controls answer it.
 */
import DownloadRounded from '@mui/icons-material/DownloadRounded';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { attackApi } from '@parapet/contract/attack.ts';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { ChartFrame } from '../../kit/ChartFrame.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SkeletonBar } from '../../kit/Skeletons.tsx';
import { Stat, StatRow } from '../../kit/Stat.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { download } from '../../lib/download.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { comparedRange, comparisonLabel, comparisons, matrixQuery, navigatorOf } from './attack.queries.ts';
import { columnsOf, type Show, shows, tableOf } from './matrix.ts';
import { Controls } from './parts/Controls.tsx';
import { Coverage } from './parts/Coverage.tsx';
import { Matrix } from './parts/Matrix.tsx';

const tabs = [
  { id: 'matrix', title: 'Matrix' },
  { id: 'coverage', title: 'Coverage' },
  { id: 'controls', title: 'Controls' },
] as const;
const showLabels: Record<Show, string> = { seen: 'What happened', known: 'What rules are for', all: 'Every technique' };
/** So high that what comes moves nothing that is in sight. */
const height = 640;

const Choices = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '8px 20px',
    marginBottom: 12,
    fontSize: 13,
    '& label': { display: 'inline-flex', alignItems: 'center', gap: 8, color: palette.text.secondary },
    '& select': {
      font: 'inherit',
      height: 32,
      padding: '0 8px',
      borderRadius: 6,
      color: palette.text.primary,
      backgroundColor: palette.background.paper,
      border: `1px solid ${palette.divider}`,
    },
    '& input': { width: 16, height: 16, margin: 0, accentColor: palette.primary.main },
  };
});

export function AttackPage() {
  useTitle('Attack Indicators');
  const scope = useScope();
  const { client, timeframe, period, timeZone, range } = scope;
  const { search, change } = useSearchState();
  const ids = useId();
  const tab = oneIn(
    search.tab,
    tabs.map(({ id }) => id),
    'matrix',
  );
  const show = oneIn(search.show, shows, 'known');
  const hasSubs = search.sub === '1';
  const comparison = oneIn(search.compare, comparisons, 'none');
  const compared = useMemo(() => comparedRange(comparison, range, timeZone), [comparison, range, timeZone]);
  const matrix = useQuery(matrixQuery(scope, compared));
  const { data } = matrix;
  const columns = useMemo(() => data && columnsOf(data.tactics, show, hasSubs), [data, show, hasSubs]);
  const isEmpty = columns?.length === 0;
  const when = { timeframe, ...(period ? { on: period } : {}) };
  const door = (query: Query = {}) => paths.alerts(client, { ...when, ...query });
  const seen =
    data &&
    new Set(data.tactics.flatMap(({ techniques }) => techniques.filter(({ count }) => count > 0).map(({ id }) => id))).size;
  const here = (query: Query) => paths.attackIndicators(client, { ...when, ...query });

  const save = async () => {
    try {
      await download(attackApi.navigator, navigatorOf(scope), 'attack-layer.json');
      toast.success('The layer was saved');
    } catch (error) {
      toast.error(`The layer could not be saved. ${error instanceof Error ? error.message : ''}`);
    }
  };

  return (
    <>
      <PageHeader
        title="Attack Indicators"
        purpose={[
          `What was attempted at ${client === 0 ? 'all clients' : scope.clientName || 'your organisation'}, and what can be seen at all`,
          period ? periodLabel(period) : timeframeLabel(timeframe),
        ].join(' · ')}
        actions={
          <Button variant="outlined" startIcon={<DownloadRounded />} onClick={() => void save()}>
            Navigator layer
          </Button>
        }
      />
      {(data || !matrix.error) && (
        <StatRow>
          <Stat component={AppLink} href={door({ technique: 'any' })} label="Alerts with a technique" value={data?.total} />
          <Stat component={AppLink} href={here({ show: 'seen' })} label="Techniques seen" value={seen} />
          <Stat component={AppLink} href={here({ tab: 'coverage' })} label="Techniques in sight now" value={data?.covered} />
          <Stat component={AppLink} href={here({ show: 'all' })} label="Techniques in the matrix" value={data?.techniques} />
          <Stat component={AppLink} href={door({ technique: 'none' })} label="Alerts without one" value={data?.untagged} />
        </StatRow>
      )}
      <TabLinks
        label="Parts of the attack indicators"
        current={tab}
        tabs={tabs.map((each) => ({
          ...each,
          href: paths.attackIndicators(client, { ...search, tab: each.id === 'matrix' ? undefined : each.id }),
        }))}
      />
      {tab === 'matrix' && (
        <>
          <Choices>
            <label htmlFor={`${ids}-show`}>
              Show
              <select
                id={`${ids}-show`}
                value={show}
                onChange={(event) => change({ show: event.target.value === 'known' ? undefined : event.target.value })}
              >
                {shows.map((each) => (
                  <option key={each} value={each}>
                    {showLabels[each]}
                  </option>
                ))}
              </select>
            </label>
            <label htmlFor={`${ids}-compare`}>
              Compare with
              <select
                id={`${ids}-compare`}
                value={comparison}
                onChange={(event) => change({ compare: event.target.value === 'none' ? undefined : event.target.value })}
              >
                {comparisons.map((each) => (
                  <option key={each} value={each}>
                    {comparisonLabel(each)}
                  </option>
                ))}
              </select>
            </label>
            <label htmlFor={`${ids}-sub`}>
              <input
                id={`${ids}-sub`}
                type="checkbox"
                checked={hasSubs}
                onChange={(event) => change({ sub: event.target.checked ? 1 : undefined })}
              />
              Sub-techniques
            </label>
          </Choices>
          <ChartFrame title="Techniques by tactic" height={height} table={columns && tableOf(columns, compared !== undefined)}>
            {columns ? (
              isEmpty ? (
                <EmptyState
                  title="Nothing was attempted in this timeframe"
                  text="Choose a longer timeframe, or show what rules are for."
                />
              ) : (
                <Matrix
                  columns={columns}
                  isCompared={compared !== undefined}
                  hrefOf={({ id, count }) => (count > 0 ? door({ technique: id }) : undefined)}
                />
              )
            ) : matrix.error ? (
              <FailedState what="the matrix" error={matrix.error} onRetry={() => void matrix.refetch()} />
            ) : (
              <SkeletonBar height={height - 24} />
            )}
          </ChartFrame>
        </>
      )}
      {tab === 'coverage' && <Coverage matrix={matrix} client={client} timeZone={timeZone} />}
      {tab === 'controls' && <Controls scope={scope} door={door} />}
    </>
  );
}
