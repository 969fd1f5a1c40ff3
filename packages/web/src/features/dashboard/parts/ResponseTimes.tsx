/** Mean times to acknowledge, contain and resolve of the timeframe's cases, by client: those with cases over a target now first. */
import { durationText } from '@parapet/contract/rules/duration.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { refreshMs, shownAlerts, timesQuery } from '../dashboard.queries.ts';
import { Table } from './dashboard.styles.tsx';

const time = (minutes: number | null) => (minutes === null ? '–' : durationText(minutes));

export function ResponseTimes({ scope }: { scope: Scope }) {
  const { timeframe, period } = scope;
  const times = useQuery({ ...timesQuery(scope), refetchInterval: refreshMs });
  const rows = times.data?.results.toSorted((a, b) => b.breached - a.breached || b.cases - a.cases).slice(0, shownAlerts);
  const hrefOf = (client: number, query: Query) =>
    paths.cases(client, { timeframe, ...(period ? { on: period } : {}), ...query });
  return (
    <Panel title="Response times">
      <Loaded
        query={times}
        what="response times"
        lines={4}
        isEmpty={rows?.length === 0}
        empty="No cases opened in this timeframe."
      >
        <Table>
          <thead>
            <tr>
              <th scope="col">Client</th>
              <th scope="col" title="Mean time to acknowledge">
                MTTA
              </th>
              <th scope="col" className="less" title="Mean time to contain">
                MTTC
              </th>
              <th scope="col" title="Mean time to resolve">
                MTTR
              </th>
              <th scope="col" className="less" title="Closed cases that met all targets">
                In target
              </th>
              <th scope="col" title="Open cases past a target">
                Over
              </th>
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => (
              <tr key={row.clientOrganizationID}>
                <th scope="row">
                  <AppLink href={hrefOf(row.clientOrganizationID, {})}>
                    <VisibleText text={row.clientOrganizationName} />
                  </AppLink>
                </th>
                <td>{time(row.meanMinutesToAcknowledge)}</td>
                <td className="less">{time(row.meanMinutesToContain)}</td>
                <td>{time(row.meanMinutesToResolve)}</td>
                <td className="less">{row.withinTarget === null ? '–' : `${Math.round(row.withinTarget * 100)}%`}</td>
                <td>
                  <AppLink href={hrefOf(row.clientOrganizationID, { breached: 'true' })}>{exact(row.breached)}</AppLink>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </Loaded>
    </Panel>
  );
}
