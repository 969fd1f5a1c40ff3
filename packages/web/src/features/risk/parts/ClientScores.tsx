/** With All: the clients, worst first; each leads to its own risk page. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { riskApi } from '@parapet/contract/risk.ts';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../../kit/DataTable.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { numberIn, useGo, useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { clientScoresQuery } from '../risk.queries.ts';

type Row = AnswerOf<typeof riskApi.clients>['results'][number];
const address = (row: Row) => paths.riskScore({ client: row.clientOrganizationID });
const figure = (id: string, header: string, value: (row: Row) => number | null, canMiss?: number): Column<Row> => ({
  id,
  header,
  width: 120,
  align: 'right',
  ...(canMiss !== undefined && { canMiss }),
  cell: (row) => {
    const score = value(row);
    return score === null ? '–' : exact(score);
  },
});
const columnsIn = (timeZone: string): Column<Row>[] => [
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
  figure('now', 'Score now', (row) => row.tempScore),
  figure('daily', 'Last daily score', (row) => row.riskScore, 2),
  figure('devices', 'Devices', (row) => row.deviceScore, 3),
  figure('practices', 'Best practices', (row) => row.practiceScore, 4),
  figure('cases', 'Cases', (row) => row.caseScore, 5),
  {
    id: 'changed',
    header: 'Edited',
    width: 120,
    canMiss: 6,
    cell: (row) => (row.changedAt === null ? 'Never' : <RelativeTime at={row.changedAt} timeZone={timeZone} />),
  },
];

export function ClientScores({ timeZone }: { timeZone: string }) {
  const { search, change } = useSearchState();
  const go = useGo();
  const list = useQuery(clientScoresQuery());
  const pageSize = Math.min(100, Math.max(1, numberIn(search.pageSize, 50)));
  const page = Math.max(1, numberIn(search.page, 1));
  const rows = list.data?.results;
  return (
    <DataTable
      id="risk-clients"
      label="Clients by risk score, worst first"
      columns={columnsIn(timeZone)}
      // All of them came in one answer.
      rows={rows?.slice((page - 1) * pageSize, page * pageSize)}
      rowId={(row) => row.clientOrganizationID}
      card={(row) => (
        <>
          <AppLink href={address(row)}>
            <VisibleText text={row.clientOrganizationName} />
          </AppLink>
          <div>Score now {exact(row.tempScore)}</div>
        </>
      )}
      total={rows?.length ?? 0}
      page={page}
      pageSize={pageSize}
      onPage={(page, pageSize) =>
        change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize })
      }
      sort="now"
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
