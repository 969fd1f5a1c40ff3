/** Open cases by criticality and age; each number links to its cases. */
import { caseAgeNames } from '@parapet/contract/caseList.ts';
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { Count } from '../../../kit/Count.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import { Scroll, Table } from './dashboard.styles.tsx';

type Overview = AnswerOf<typeof dashboardApi.overview>;
type Row = Overview['openCases'][number];

const ages: Record<(typeof caseAgeNames)[number], { head: string; of: (row: Row) => number }> = {
  day: { head: '≤ 1 day', of: (row) => row.upTo1Day },
  week: { head: '≤ 7 days', of: (row) => row.upTo7Days },
  month: { head: '≤ 30 days', of: (row) => row.upTo30Days },
  older: { head: 'Older', of: (row) => row.older },
};
const totalOf = (row: Row) => caseAgeNames.reduce((sum, age) => sum + ages[age].of(row), 0);

interface Props {
  client: number;
  overview: Pick<UseQueryResult<Overview>, 'data' | 'error' | 'refetch'>;
}

export function OpenCases({ client, overview }: Props) {
  const rows = overview.data?.openCases.filter((row) => totalOf(row) > 0);
  const hrefOf = (query: Query) => paths.cases(client, { timeframe: 'allTime', status: openStatuses, ...query });
  const number = (value: number, query: Query) =>
    value === 0 ? (
      '–'
    ) : (
      <AppLink href={hrefOf(query)}>
        <Count value={value} />
      </AppLink>
    );
  return (
    <Panel title="Open cases by age">
      <Loaded query={overview} what="open cases" lines={5} isEmpty={rows?.length === 0} empty="No open cases.">
        <Scroll tabIndex={0} role="group" aria-label="Open cases by criticality and age">
          <Table>
            <thead>
              <tr>
                <th scope="col">Criticality</th>
                {caseAgeNames.map((age) => (
                  <th key={age} scope="col">
                    {ages[age].head}
                  </th>
                ))}
                <th scope="col">All</th>
              </tr>
            </thead>
            <tbody>
              {rows?.map((row) => {
                const severity = severityOf(row.criticality);
                return (
                  <tr key={row.criticality}>
                    <th scope="row">
                      <SeverityLabel severity={severity} />
                    </th>
                    {caseAgeNames.map((age) => (
                      <td key={age}>{number(ages[age].of(row), { severity, age })}</td>
                    ))}
                    <td>{number(totalOf(row), { severity })}</td>
                  </tr>
                );
              })}
            </tbody>
          </Table>
        </Scroll>
      </Loaded>
    </Panel>
  );
}
