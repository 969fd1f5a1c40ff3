/** With All: the clients, worst first (decision 23b); each leads to its own page, each number to its findings. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../../kit/DataTable.tsx';
import { exact } from '../../../kit/numbers.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { numberIn, useGo, useSearchState } from '../../../lib/address.ts';
import { paths, type Query } from '../../../lib/paths.ts';
import { clientsQuery } from '../vulnerabilities.queries.ts';

type Row = AnswerOf<typeof vulnerabilitiesApi.clients>['results'][number];
const address = (row: Row) => paths.vulnerability({ client: row.clientOrganizationID });

interface Figure {
  id: string;
  header: string;
  value: (row: Row) => number;
  /** The findings that it counts; none: a number of its own. */
  door?: Query;
  canMiss?: number;
}

const figure = ({ id, header, value, door, canMiss }: Figure): Column<Row> => ({
  id,
  header,
  width: 120,
  align: 'right',
  ...(canMiss !== undefined && { canMiss }),
  cell: (row) =>
    door && value(row) > 0 ? (
      <AppLink href={paths.vulnerability({ client: row.clientOrganizationID, tab: 'findings', ...door })} tabIndex={-1}>
        {exact(value(row))}
      </AppLink>
    ) : (
      exact(value(row))
    ),
});

const columns: Column<Row>[] = [
  {
    id: 'client',
    header: 'Client',
    flex: 2,
    width: 180,
    isFixed: true,
    cell: (row) => (
      <AppLink href={address(row)} tabIndex={-1}>
        <VisibleText text={row.clientOrganizationName} />
      </AppLink>
    ),
  },
  figure({ id: 'exploited', header: 'Known exploited', value: (row) => row.knownExploited, door: { exploited: 'true' } }),
  figure({ id: 'critical', header: 'Critical', value: (row) => row.critical, door: { severity: ['critical'] } }),
  figure({ id: 'high', header: 'High', value: (row) => row.high, door: { severity: ['high'] }, canMiss: 3 }),
  figure({ id: 'open', header: 'Open findings', value: (row) => row.open, door: {}, canMiss: 2 }),
  figure({ id: 'scanned', header: 'Scanned devices', value: (row) => row.scanned, canMiss: 4 }),
  figure({ id: 'monitored', header: 'Known devices', value: (row) => row.monitored, canMiss: 5 }),
];

export function ClientFindings() {
  const { search, change } = useSearchState();
  const go = useGo();
  const list = useQuery(clientsQuery());
  const pageSize = Math.min(100, Math.max(1, numberIn(search.pageSize, 50)));
  const page = Math.max(1, numberIn(search.page, 1));
  const rows = list.data?.results;
  return (
    <DataTable
      id="vulnerability-clients"
      label="Clients by what is open, worst first"
      columns={columns}
      // All of them came in one answer.
      rows={rows?.slice((page - 1) * pageSize, page * pageSize)}
      rowId={(row) => row.clientOrganizationID}
      card={(row) => (
        <>
          <AppLink href={address(row)}>
            <VisibleText text={row.clientOrganizationName} />
          </AppLink>
          <div>
            {exact(row.knownExploited)} known exploited, {exact(row.critical)} critical, {exact(row.open)} open
          </div>
        </>
      )}
      total={rows?.length ?? 0}
      page={page}
      pageSize={pageSize}
      onPage={(page, pageSize) =>
        change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize })
      }
      sort="exploited"
      order="desc"
      onSort={() => {}}
      isFetching={list.isFetching}
      error={list.error}
      onRetry={() => void list.refetch()}
      onOpen={(row) => go(address(row))}
      empty={<EmptyState title="There is no client to show" text="Clients appear here as soon as they are created." />}
    />
  );
}
