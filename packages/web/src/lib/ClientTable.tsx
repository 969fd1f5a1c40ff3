/** The clients of one answer, in its order; each leads to its own page. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable } from '../kit/DataTable.tsx';
import { EmptyState } from '../kit/States.tsx';
import type { Column } from '../kit/table.ts';
import { VisibleText } from '../kit/VisibleText.tsx';
import { AppLink } from './AppLink.tsx';
import { useGo } from './address.ts';
import { listSchema } from './listSchema.ts';
import { pageOf } from './paging.ts';
import { useListState } from './useListState.ts';

const clientRows = listSchema({});

interface ClientRow {
  clientOrganizationID: number;
  clientOrganizationName: string;
}

export const figureColumn = <Row,>(
  id: string,
  header: string,
  cell: (row: Row) => ReactNode,
  hidePriority?: number,
): Column<Row> => ({
  id,
  header,
  width: 120,
  align: 'right',
  ...(hidePriority !== undefined && { hidePriority }),
  cell,
});

export function ClientTable<Row extends ClientRow>({
  id,
  label,
  list,
  address,
  columns,
  summary,
}: {
  id: string;
  label: string;
  list: Pick<UseQueryResult<{ results: Row[] }>, 'data' | 'isFetching' | 'error' | 'refetch'>;
  /** Address that a row links to. */
  address: (row: Row) => string;
  /** Besides the client’s name. */
  columns: readonly Column<Row>[];
  /** Content of a card beneath the name. */
  summary: (row: Row) => ReactNode;
}) {
  const go = useGo();
  // All of them came in one answer.
  const { rows, paging } = pageOf(useListState(clientRows), list.data?.results);
  const name = (row: Row, tabIndex?: number) => (
    <AppLink href={address(row)} tabIndex={tabIndex}>
      <VisibleText text={row.clientOrganizationName} />
    </AppLink>
  );
  return (
    <DataTable
      id={id}
      label={label}
      columns={[{ id: 'client', header: 'Client', flex: 2, width: 180, isFixed: true, cell: (row) => name(row, -1) }, ...columns]}
      rows={rows}
      rowId={(row) => row.clientOrganizationID}
      card={(row) => (
        <>
          {name(row)}
          <div>{summary(row)}</div>
        </>
      )}
      paging={paging}
      isFetching={list.isFetching}
      error={list.error}
      onRetry={() => void list.refetch()}
      detail={{ onOpen: (row) => go(address(row)) }}
      empty={<EmptyState title="No clients yet" text="Clients appear here when they are created." />}
    />
  );
}
