/** Cases under investigation with their weight in the score. */
import { openStatuses, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths } from '../../../lib/paths.ts';
import { underInvestigationQuery } from '../risk.queries.ts';
import { Inside, Rows, Scroll } from './risk.styles.tsx';

const shown = 8;

export function CasesOpen({ client, timeZone }: { client: number; timeZone: string }) {
  const cases = useQuery(underInvestigationQuery(client));
  const total = cases.data?.total ?? 0;
  const heaviest = cases.data?.results.toSorted((a, b) => b.riskScore - a.riskScore).slice(0, shown);
  return (
    <Panel
      title="Cases under investigation"
      end={
        <AppLink href={paths.cases(client, { status: openStatuses, timeframe: 'allTime' })}>
          {total > shown ? `All ${exact(total)}` : 'Open list'}
        </AppLink>
      }
    >
      <Inside id="risk-cases">
        <Loaded
          query={cases}
          what="cases under investigation"
          lines={4}
          isEmpty={total === 0}
          empty="No open cases"
          next="New cases appear here as alerts are correlated."
        >
          <Scroll tabIndex={0} role="group" aria-label="Cases under investigation">
            <Rows>
              <thead>
                <tr>
                  <th scope="col" className="title">
                    Case
                  </th>
                  <th scope="col">Status</th>
                  <th scope="col">Investigation</th>
                  <th scope="col" className="number">
                    Weight
                  </th>
                  <th scope="col" className="number">
                    Opened
                  </th>
                </tr>
              </thead>
              <tbody>
                {heaviest?.map((row) => (
                  <tr key={row.id}>
                    <th scope="row">
                      <AppLink href={paths.case(row.id)}>
                        <VisibleText text={row.title} />
                      </AppLink>
                    </th>
                    <td>{statusLabel(row.status)}</td>
                    <td>{row.investigationStatus}</td>
                    <td className="number">{exact(row.riskScore)}</td>
                    <td className="number">
                      <RelativeTime at={row.createdTime} timeZone={timeZone} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Rows>
          </Scroll>
        </Loaded>
      </Inside>
    </Panel>
  );
}
