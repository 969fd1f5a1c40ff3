/** Clients by open findings, worst first. Names link to the client’s page, numbers to its findings. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import type { Column } from '../../../kit/table.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { ClientTable, figureColumn } from '../../../lib/ClientTable.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import { clientsQuery } from '../vulnerabilities.queries.ts';

type Row = AnswerOf<typeof vulnerabilitiesApi.clients>['results'][number];

/** Column of a number linked to its findings. */
const counted = (id: string, header: string, count: (row: Row) => number, filter: Query, hidePriority?: number): Column<Row> =>
  figureColumn(
    id,
    header,
    (row) =>
      count(row) > 0 ? (
        <AppLink href={paths.vulnerability({ client: row.clientOrganizationID, tab: 'findings', ...filter })} tabIndex={-1}>
          {exact(count(row))}
        </AppLink>
      ) : (
        exact(0)
      ),
    hidePriority,
  );

const columns: Column<Row>[] = [
  counted('exploited', 'Known exploited', (row) => row.knownExploited, { exploited: 'true' }),
  counted('critical', 'Critical', (row) => row.critical, { severity: ['critical'] }),
  counted('high', 'High', (row) => row.high, { severity: ['high'] }, 3),
  counted('open', 'Open findings', (row) => row.open, {}, 2),
  figureColumn('scanned', 'Scanned devices', (row) => exact(row.scanned), 4),
  figureColumn('monitored', 'Known devices', (row) => exact(row.monitored), 5),
];

export function ClientFindings() {
  return (
    <ClientTable
      id="vulnerability-clients"
      label="Clients by open findings, worst first"
      list={useQuery(clientsQuery())}
      address={(row) => paths.vulnerability({ client: row.clientOrganizationID })}
      columns={columns}
      summary={(row) => (
        <>
          {exact(row.knownExploited)} known exploited, {exact(row.critical)} critical, {exact(row.open)} open
        </>
      )}
    />
  );
}
