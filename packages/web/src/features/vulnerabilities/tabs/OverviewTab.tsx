/** Overview: score, categories, highest-priority findings and most affected devices. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import type { scoreCategories } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { ScoreBars } from '../../../kit/ScoreBars.tsx';
import { ScoreGauge } from '../../../kit/ScoreGauge.tsx';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { Stat, StatRow } from '../../../kit/Stat.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { daysText, type Stats, shownOf } from '../findings.ts';
import { ClientFindings } from '../parts/ClientFindings.tsx';
import { DeviceLines } from '../parts/DeviceLines.tsx';
import { FindingLines } from '../parts/FindingLines.tsx';
import { firstFindingsQuery, scannedDevicesQuery, statsQuery } from '../vulnerabilities.queries.ts';

const shown = 8;
const chartHeight = 360;
/** Approximate content heights in px that limit layout shifts. */
const [scoresHeight, basesHeight] = [470, 670];
/** Pages with the data of a category. */
const categoryHrefs: Partial<Record<(typeof scoreCategories)[number], (client: number) => string>> = {
  'Application Security': (client) => paths.vulnerability({ client, tab: 'findings' }),
  'DNS Health': (client) => paths.alerts(client, { timeframe: 'last30Days' }),
  'Endpoint Security': (client) => paths.vulnerability({ client, tab: 'devices' }),
  'Leaked Information': (client) => paths.alerts(client, { timeframe: 'last30Days' }),
  'Network Security': (client) => paths.alerts(client, { timeframe: 'last30Days' }),
  'Patching Cadence': (client) => paths.vulnerability({ client, tab: 'findings', state: ['open', 'fixed'] }),
  'Social Engineering': (client) => paths.alerts(client, { timeframe: 'last30Days' }),
};
const Grid = styled('div')({
  display: 'grid',
  gap: 16,
  alignItems: 'start',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  marginBottom: 16,
  '@media (max-width: 1099.95px)': { gridTemplateColumns: 'minmax(0, 1fr)' },
  '& > div': { display: 'grid', gap: 16, gridTemplateColumns: 'minmax(0, 1fr)' },
});
const Beside = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '12px 32px',
  padding: '0 16px 16px',
  '& > div': { flex: '1 1 200px' },
});
const Bases = styled('dl')({
  margin: 0,
  padding: '0 16px 12px',
  fontSize: 13,
  '& > div': { padding: '7px 0', borderTop: `1px solid ${palette.divider}` },
  '& > div:first-of-type': { borderTop: 0 },
  '& dt': { fontWeight: 500 },
  '& a': { color: 'inherit', textDecorationColor: palette.divider, textUnderlineOffset: 4 },
  '& dd': { margin: 0, color: palette.text.secondary, overflowWrap: 'anywhere' },
});

export function OverviewTab() {
  const { client, may } = useScope();
  const stats = useQuery(statsQuery(client));
  const findings = useQuery(firstFindingsQuery(client, shown));
  const devices = useQuery(scannedDevicesQuery(client, { text: '', page: 1, pageSize: shown }));
  const findingsHref = (query: Query) => paths.vulnerability({ client, tab: 'findings', ...query });
  const figures = stats.data && shownOf(stats.data);
  const all = (href: string, text: string) => (
    <AppLink href={href} style={{ color: 'inherit' }}>
      {text}
    </AppLink>
  );
  const first = (
    <Panel title="Fix first" end={all(findingsHref({}), 'All findings')}>
      <Loaded
        query={findings}
        what="findings"
        lines={shown}
        isEmpty={findings.data?.results.length === 0}
        empty="No open findings"
      >
        <FindingLines findings={findings.data?.results ?? []} hasClients={client === allClients} hasDevices />
      </Loaded>
    </Panel>
  );
  const worst = (
    <Panel title="Devices, worst first" end={all(paths.vulnerability({ client, tab: 'devices' }), 'All devices')}>
      <Loaded
        query={devices}
        what="devices"
        lines={shown}
        isEmpty={devices.data?.results.length === 0}
        empty="No scanned devices yet"
      >
        <DeviceLines devices={devices.data?.results ?? []} hasClients={client === allClients} />
      </Loaded>
    </Panel>
  );
  return (
    <>
      {(stats.data || !stats.error) && (
        <StatRow>
          <Stat component={AppLink} href={findingsHref({})} label="Open findings" value={figures?.open} />
          <Stat
            component={AppLink}
            href={findingsHref({ exploited: 'true' })}
            label="Known exploited"
            value={figures?.knownExploited}
          />
          <Stat
            component={AppLink}
            href={paths.devices(client, { state: ['reporting'] })}
            label="Devices online"
            value={figures?.online}
          />
          <Stat
            component={AppLink}
            href={paths.vulnerability({ client, tab: 'devices' })}
            label="Scanned"
            value={figures?.scanned}
          />
          <Stat component={AppLink} href={paths.devices(client)} label="Monitored" value={figures?.monitored} />
        </StatRow>
      )}
      {figures === undefined ? (
        <Grid>
          <div>
            <Panel title="Score by category">
              {stats.error ? (
                <FailedState what="the score" error={stats.error} onRetry={() => void stats.refetch()} />
              ) : (
                <div style={{ padding: '4px 16px 12px', minHeight: scoresHeight }}>
                  <SkeletonBar width="100%" height={chartHeight} />
                </div>
              )}
            </Panel>
            {first}
          </div>
          <div>
            <Panel title="Score breakdown">
              <div style={{ padding: '0 16px 16px', minHeight: basesHeight }}>
                <SkeletonBar width="100%" height={chartHeight} />
              </div>
            </Panel>
            {worst}
          </div>
        </Grid>
      ) : figures.isMeasured ? (
        <Grid>
          <div>
            <Scores figures={figures} findingsHref={findingsHref} />
            {first}
          </div>
          <div>
            <Panel title="Score breakdown">
              <Bases>
                {figures.categories.map(({ name, basis }) => (
                  <div key={name}>
                    <dt>{categoryHrefs[name] ? <AppLink href={categoryHrefs[name](client)}>{name}</AppLink> : name}</dt>
                    <dd>
                      <VisibleText text={basis} />
                    </dd>
                  </div>
                ))}
              </Bases>
            </Panel>
            {worst}
          </div>
        </Grid>
      ) : (
        <>
          <div style={{ marginBottom: 16 }}>
            <Panel title="Score by category">
              <EmptyState
                title="No scores yet"
                text="Scores are computed from the agent’s software inventory or a scanner’s result."
                actions={
                  may('devices:read') && (
                    <Button component={AppLink} href={paths.agents({ client, tab: 'install' })} variant="outlined" size="small">
                      Install the agent
                    </Button>
                  )
                }
              />
            </Panel>
          </div>
          <Grid>
            {first}
            {worst}
          </Grid>
        </>
      )}
      {client === allClients && <ClientFindings />}
    </>
  );
}

function Scores({ figures, findingsHref }: { figures: Stats; findingsHref: (query: Query) => string }) {
  return (
    <ChartFrame
      title="Score by category"
      height={chartHeight}
      table={{
        head: ['Category', 'Score', 'Computed from'],
        rows: figures.categories.map(({ name, score, basis }) => [name, score ?? 'not measured', basis]),
      }}
    >
      <Beside>
        <ScoreGauge
          label={`Vulnerability score ${figures.score} of 100, higher is better`}
          value={figures.score}
          least={0}
          most={100}
        />
        <div>
          <DefinitionList
            minWidth={150}
            facts={[
              { name: 'Score', value: `${figures.score} of 100; higher is better`, isWide: true },
              {
                name: 'Mean time to fix, last 90 days',
                value:
                  figures.meanDaysToFix === null ? (
                    'No fixes'
                  ) : (
                    <AppLink href={findingsHref({ state: 'fixed' })}>{daysText(figures.meanDaysToFix)}</AppLink>
                  ),
                isWide: true,
              },
            ]}
          />
        </div>
      </Beside>
      <ScoreBars
        label="Score by category"
        most={100}
        bars={figures.categories.map(({ name, score }) => ({ id: name, name, value: score }))}
      />
    </ChartFrame>
  );
}
