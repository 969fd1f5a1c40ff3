/**
 * Attack indicators (/apps/attack-indicators): attempted techniques, compared with another timeframe; coverage by rules and live log
 * sources; mitigating controls.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { attackApi, type navigatorLayers } from '@parapet/contract/attack.ts';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DownloadRounded } from '../../kit/icons/DownloadRounded.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { Stat, StatRow } from '../../kit/Stat.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { download } from '../../lib/download.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { comparedRange, comparisons, matrixQuery, navigatorOf } from './attack.queries.ts';
import { Controls } from './parts/Controls.tsx';
import { Coverage } from './parts/Coverage.tsx';
import { MatrixTab } from './parts/MatrixTab.tsx';
import { MissingFields } from './parts/MissingFields.tsx';
import { Techniques } from './parts/Techniques.tsx';

const tabs = [
  { id: 'matrix', title: 'Matrix' },
  { id: 'coverage', title: 'Coverage' },
  { id: 'controls', title: 'Controls' },
] as const;
const Panels = styled('div')({ display: 'flex', flexDirection: 'column', gap: 16 });

export function AttackPage() {
  useTitle('Attack Indicators');
  const scope = useScope();
  const { client, timeframe, period, timeZone, range } = scope;
  const { search } = useSearchState();
  const tab = oneIn(
    search.tab,
    tabs.map(({ id }) => id),
    'matrix',
  );
  const comparison = oneIn(search.compare, comparisons, 'none');
  const compared = useMemo(() => comparedRange(comparison, range, timeZone), [comparison, range, timeZone]);
  const matrix = useQuery(matrixQuery(scope, compared));
  const { data } = matrix;
  const when = { timeframe, ...(period ? { on: period } : {}) };
  const alertsHref = (query: Query = {}) => paths.alerts(client, { ...when, ...query });
  const seen =
    data &&
    new Set(data.tactics.flatMap(({ techniques }) => techniques.filter(({ count }) => count > 0).map(({ id }) => id))).size;
  const hrefOf = (query: Query) => paths.attackIndicators(client, { ...when, ...query });

  const save = async (layer: (typeof navigatorLayers)[number]) => {
    try {
      await download(
        attackApi.navigator,
        navigatorOf(scope, layer),
        layer === 'alerts' ? 'attack-layer.json' : 'attack-layer-proved.json',
      );
      toast.success('Layer downloaded');
    } catch (error) {
      toast.error(`Couldn’t download the layer. ${error instanceof Error ? error.message : ''}`);
    }
  };

  return (
    <>
      <PageHeader
        title="Attack Indicators"
        purpose={[
          `Attempted techniques and coverage for ${client === allClients ? 'all clients' : scope.clientName || 'your organisation'}`,
          period ? periodLabel(period) : timeframeLabel(timeframe),
        ].join(' · ')}
        actions={
          <>
            <Button component={AppLink} href={paths.rules({ client })}>
              Rules
            </Button>
            <Button variant="outlined" startIcon={<DownloadRounded />} onClick={() => void save('alerts')}>
              Navigator layer
            </Button>
          </>
        }
      />
      {(data || !matrix.error) && (
        <StatRow>
          <Stat component={AppLink} href={alertsHref({ technique: 'any' })} label="Alerts with a technique" value={data?.total} />
          <Stat component={AppLink} href={hrefOf({ show: 'seen' })} label="Techniques detected" value={seen} />
          <Stat component={AppLink} href={hrefOf({ tab: 'coverage' })} label="Techniques covered" value={data?.covered} />
          <Stat component={AppLink} href={hrefOf({ show: 'all' })} label="Techniques in the matrix" value={data?.techniques} />
          <Stat
            component={AppLink}
            href={alertsHref({ technique: 'none' })}
            label="Alerts without a technique"
            value={data?.untagged}
          />
        </StatRow>
      )}
      <TabLinks
        label="Attack indicators"
        current={tab}
        tabs={tabs.map((each) => ({
          ...each,
          href: paths.attackIndicators(client, { ...search, tab: each.id === 'matrix' ? undefined : each.id }),
        }))}
      />
      {tab === 'matrix' && (
        <MatrixTab matrix={matrix} comparison={comparison} isCompared={compared !== undefined} alertsHref={alertsHref} />
      )}
      {tab === 'coverage' && (
        <Panels>
          <Coverage matrix={matrix} client={client} timeZone={timeZone} />
          {data && data.missing.length > 0 && <MissingFields missing={data.missing} timeZone={timeZone} />}
          <Techniques matrix={matrix} onSave={() => void save('proved')} />
        </Panels>
      )}
      {tab === 'controls' && <Controls scope={scope} alertsHref={alertsHref} />}
    </>
  );
}
