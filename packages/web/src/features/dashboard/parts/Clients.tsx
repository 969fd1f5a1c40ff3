/** Clients with their open cases, worst first, for staff across clients. Each number links to the client's cases or alerts. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { Count } from '../../../kit/Count.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { clientsQuery, refreshMs } from '../dashboard.queries.ts';
import { Foot, Scroll, Table } from './dashboard.styles.tsx';
import { Change } from './TopBars.tsx';

const shownClients = 10;
const [width, height] = [84, 20];

const Line = styled('svg')({
  display: 'inline-block',
  verticalAlign: 'middle',
  overflow: 'visible',
  '& polyline': { fill: 'none', stroke: palette.text.secondary, strokeWidth: 1.5, strokeLinejoin: 'round' },
});

function Sparkline({ values }: { values: readonly number[] }) {
  const max = Math.max(1, ...values);
  const points = values.map(
    (value, index) => `${(index / Math.max(1, values.length - 1)) * width},${height - (value / max) * height}`,
  );
  const label = `Alerts by day, oldest first: ${values.join(', ')}`;
  return (
    <Line width={width} height={height} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points.join(' ')} />
    </Line>
  );
}

export function Clients({ scope }: { scope: Scope }) {
  const { timeframe, period, timeZone } = scope;
  const { search, change } = useSearchState();
  const clients = useQuery({ ...clientsQuery(scope), refetchInterval: refreshMs });
  const showsAll = search.clients === 'all';
  const rows = clients.data?.results.slice(0, showsAll ? undefined : shownClients);
  const total = clients.data?.total ?? 0;
  const hasScores = clients.data?.results.some(({ tempScore }) => tempScore !== null);
  const number = (value: number, href: string) => (
    <AppLink href={href}>
      <Count value={value} />
    </AppLink>
  );
  const open = (client: number, query: Query = {}) =>
    paths.cases(client, { timeframe: 'allTime', status: openStatuses, sort: 'urgency', order: 'asc', ...query });
  return (
    <Panel title="Clients, worst first">
      <Loaded query={clients} what="clients" lines={shownClients} isEmpty={rows?.length === 0} empty="No clients yet.">
        <Scroll tabIndex={0} role="group" aria-label="Clients, worst first">
          <Table>
            <thead>
              <tr>
                <th scope="col">Client</th>
                <th scope="col">Malicious</th>
                <th scope="col">Open cases</th>
                <th scope="col">Oldest</th>
                <th scope="col">Alerts</th>
                <th scope="col">14 days</th>
                <th scope="col">Reporting</th>
                {hasScores && <th scope="col">Risk</th>}
              </tr>
            </thead>
            <tbody>
              {rows?.map((row) => {
                const id = row.clientOrganizationID;
                return (
                  <tr key={id}>
                    <th scope="row">
                      <AppLink href={paths.dashboard(id, { timeframe, ...(period ? { on: period } : {}) })}>
                        <VisibleText text={row.clientOrganizationName} />
                      </AppLink>
                    </th>
                    <td>{number(row.malicious, open(id, { status: 'malicious' }))}</td>
                    <td>{number(row.openCases, open(id))}</td>
                    <td>{row.oldestOpenTime === null ? '–' : <RelativeTime at={row.oldestOpenTime} timeZone={timeZone} />}</td>
                    <td>
                      {number(row.alerts, paths.alerts(id, { timeframe, ...(period ? { on: period } : {}) }))}
                      <Change value={row.alerts} before={row.before} />
                    </td>
                    <td>
                      <Sparkline values={row.spark} />
                    </td>
                    <td>
                      {number(row.reporting, paths.devices(id, { state: 'reporting' }))} of{' '}
                      {number(row.devices, paths.devices(id))}
                    </td>
                    {hasScores && (
                      <td>{row.tempScore === null ? '–' : number(row.tempScore, paths.riskScore({ client: id }))}</td>
                    )}
                  </tr>
                );
              })}
            </tbody>
          </Table>
        </Scroll>
        {total > shownClients && (
          <Foot>
            <Button size="small" onClick={() => change({ clients: showsAll ? undefined : 'all' }, { replace: true })}>
              {showsAll ? `Only the first ${shownClients}` : `All ${exact(total)} clients`}
            </Button>
          </Foot>
        )}
      </Loaded>
    </Panel>
  );
}
