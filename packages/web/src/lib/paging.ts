/** Pages of lists that are no `ListTable`: rows, grids and tables beneath other content. Their schema is a `listSchema`. */
import type { ListControl } from './useListState.ts';

type Paged = Pick<ListControl<{ page: number; pageSize: number }>, 'state' | 'set'>;

/** Paging by the address, for `Pager`, `RowList` and `DataTable`. */
export const pagingOf = ({ state: { page, pageSize }, set }: Paged, total = 0) => ({
  page,
  pageSize,
  total,
  onChange: (page: number, pageSize: number) => set({ page, pageSize }, { replace: false }),
});

/** One page of an answer that holds all rows. A page behind the last counts as the last. */
export function pageOf<Row>({ state, set }: Paged, all: readonly Row[] | undefined) {
  const total = all?.length ?? 0;
  const { pageSize } = state;
  const page = Math.min(state.page, Math.max(1, Math.ceil(total / pageSize)));
  return {
    rows: all?.slice((page - 1) * pageSize, page * pageSize),
    paging: pagingOf({ state: { page, pageSize }, set }, total),
  };
}
