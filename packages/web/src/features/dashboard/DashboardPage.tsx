/**
 * Dashboard (/apps/dashboard): alert counts against the previous period, items that need attention, and alerts over time and by rule.
 * Every number links to the alerts or cases it counts.
 */
import Link from '@mui/material/Link';
import { allClients } from '@parapet/contract/access.ts';
import type { alertsApi } from '@parapet/contract/alerts.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { Severity } from '@parapet/contract/primitives.ts';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { exact } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { Panel } from '../../kit/Panel.tsx';
import { SeverityIcon } from '../../kit/Severity.tsx';
import { Stat, StatRow } from '../../kit/Stat.tsx';
import { AlertLines } from '../../lib/AlertLines.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { Loaded } from '../../lib/Loaded.tsx';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { SetupPanel } from '../setup/SetupPanel.tsx';
import type { AlertsOverTime } from './buckets.ts';
import {
  alertsOverTimeQuery,
  latestAlertsQuery,
  overviewQuery,
  refreshMs,
  shownAlerts,
  urgent,
  urgentAlertsQuery,
} from './dashboard.queries.ts';
import { AlertsChart } from './parts/AlertsChart.tsx';
import { AttentionQueue } from './parts/AttentionQueue.tsx';
import { Clients } from './parts/Clients.tsx';
import { Column, Grid, Halves, Spaced } from './parts/dashboard.styles.tsx';
import { ManagerHome } from './parts/ManagerHome.tsx';
import { OpenCases } from './parts/OpenCases.tsx';
import { Reporting } from './parts/Reporting.tsx';
import { ResponseTimes } from './parts/ResponseTimes.tsx';
import { RiskGauge } from './parts/RiskGauge.tsx';
import { RuleViews } from './parts/RuleViews.tsx';
import { TopEntities } from './parts/TopEntities.tsx';

/** Headline figures; one may cover several severities. */
const figures: { label: string; severities: Severity[] }[] = [
  { label: 'All alerts', severities: [] },
  { label: 'Critical', severities: ['critical'] },
  { label: 'High', severities: ['high'] },
  { label: 'Medium', severities: ['medium'] },
  { label: 'Low, info', severities: ['low', 'informational'] },
];

/** The summary for people of a client; the work of the day for those who look after several. */
export function DashboardPage() {
  useTitle('Dashboard');
  return useScope().hasSelector ? <AnalystHome /> : <ManagerHome />;
}

function AnalystHome() {
  const scope = useScope();
  const { client, timeframe, period, may } = scope;
  const live = { refetchInterval: refreshMs };
  const overTime = useQuery({ ...alertsOverTimeQuery(scope), ...live });
  const latest = useQuery({ ...latestAlertsQuery(scope), ...live });
  const waiting = useQuery({ ...urgentAlertsQuery(scope), ...live });
  const overview = useQuery({ ...overviewQuery(scope), ...live });

  const hrefOf = (query: Query = {}) => paths.alerts(client, { timeframe, ...(period ? { on: period } : {}), ...query });
  const whose = client === allClients ? 'all clients' : scope.clientName;

  return (
    <>
      <PageHeader
        title="Dashboard"
        purpose={[`Activity${whose ? ` for ${whose}` : ''}`, period ? periodLabel(period) : timeframeLabel(timeframe)].join(
          ' · ',
        )}
      />
      {client === allClients && may('clients:manage') && <SetupPanel isPartner />}
      {/* The chart shows the error; it renders the same figures. */}
      {(overTime.data || !overTime.error) && <Figures counts={overTime.data} hrefOf={hrefOf} />}
      <Halves>
        <AttentionQueue scope={scope} />
        <AlertsPanel
          title="Alerts to triage"
          query={waiting}
          href={hrefOf({ severity: urgent, status: 'new', sort: 'criticality' })}
          empty="No critical or high alerts to triage."
        />
      </Halves>
      {client === allClients && may('organisations:read') && (
        <Spaced>
          <Clients scope={scope} />
        </Spaced>
      )}
      <Grid>
        <AlertsChart query={overTime} />
        <TopEntities scope={scope} overview={overview} hrefOf={hrefOf} />
      </Grid>
      <Halves>
        <Column>
          <OpenCases client={client} overview={overview} />
          <ResponseTimes scope={scope} />
        </Column>
        <Column>
          <Reporting client={client} overview={overview} />
          <RiskGauge scope={scope} />
        </Column>
      </Halves>
      <Spaced>
        <RuleViews scope={scope} hrefOf={hrefOf} />
      </Spaced>
      <AlertsPanel
        title="Latest alerts"
        query={latest}
        href={hrefOf()}
        empty="No alerts in this timeframe."
        next={
          <>
            Select a longer timeframe, or check that the{' '}
            <Link component={AppLink} href={paths.devices(client)} underline="always">
              data sources
            </Link>{' '}
            are reporting.
          </>
        }
      />
    </>
  );
}

type AlertList = AnswerOf<typeof alertsApi.list>;

interface AlertsPanelProps {
  title: string;
  query: UseQueryResult<AlertList>;
  href: string;
  empty: string;
  next?: ReactNode;
}

function AlertsPanel({ title, query, href, empty, next }: AlertsPanelProps) {
  const { client, timeZone } = useScope();
  const alerts = query.data?.results;
  return (
    <Panel
      title={title}
      end={
        <Link component={AppLink} href={href}>
          {allOf(query.data)}
        </Link>
      }
    >
      <Loaded
        query={query}
        what={title.toLowerCase()}
        lines={shownAlerts}
        isEmpty={alerts?.length === 0}
        empty={empty}
        next={next}
      >
        <AlertLines alerts={alerts ?? []} timeZone={timeZone} hasClients={client === allClients} />
      </Loaded>
    </Panel>
  );
}

const allOf = (page: { total: number; totalIsAtLeast: boolean } | undefined) =>
  page && page.total > 0 ? `All ${exact(page.total)}${page.totalIsAtLeast ? '+' : ''}` : 'All';

const sum = (counts: AlertsOverTime['total'] | undefined, which: readonly Severity[]) =>
  counts && (which.length > 0 ? which : severities).reduce((total, severity) => total + counts[severity], 0);

function Figures({ counts, hrefOf }: { counts: AlertsOverTime | undefined; hrefOf: (query: Query) => string }) {
  return (
    <StatRow>
      {figures.map(({ label, severities: which }) => (
        <Stat
          key={label}
          component={AppLink}
          href={hrefOf({ severity: which })}
          label={label}
          icon={which.map((severity) => <SeverityIcon key={severity} severity={severity} />)}
          value={sum(counts?.total, which)}
          before={sum(counts?.before, which)}
        />
      ))}
    </StatRow>
  );
}
