/** Rows as MUI X DataGrid, in a chunk of its own (about 130 KiB). At most 100 rows a page, the free grid's limit. */
import Box from '@mui/material/Box';
import { DataGrid, type DataGridProps, type GridColDef, useGridApiRef } from '@mui/x-data-grid';
import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef } from 'react';
import { gridIsShown } from './gridShown.ts';
import { nonce } from './nonce.ts';
import type { RowId } from './selection.ts';
import { gridStyles, markedRow } from './table.styles.ts';
import type { DataTableProps, RowsHandle } from './table.ts';
import { headerHeight, maxWidth, minWidth, rowHeights, type TableState } from './tableState.ts';

interface Props<Row> extends DataTableProps<Row> {
  rows: readonly Row[];
  state: TableState;
  onState: (state: TableState) => void;
  handle: RefObject<RowsHandle | null>;
}

const orders = ['desc', 'asc'] as const;
const onePage = { page: 0, pageSize: 100 };
const checkboxColumn = { width: 40, minWidth: 40 };

/**
 * Every changed property of the grid renders all of its rows, so that each property stays the same until the rows look different: functions read
 * `latest`, the selection is set through the grid's interface, and the previewed row is marked by a rule around the grid.
 */
export function TableGrid<Row>(props: Props<Row>) {
  const { columns, rows, state, sorting, detail } = props;
  const api = useGridApiRef();
  const latest = useRef(props);
  latest.current = props;

  useGridFocus(api, latest);
  useGridSelection(api, latest);
  useEffect(gridIsShown, []);
  const gridColumns = useGridColumns(latest);
  const handlers = useGridHandlers(latest);
  const getRowClassName = useRowClasses(latest);
  const field = sorting && columns.find((column) => column.sort === sorting.sort)?.id;
  const order = sorting?.order;
  const sortModel = useMemo(() => (field && order ? [{ field, sort: order }] : []), [field, order]);

  return (
    <Box sx={markedRow(detail?.preview)}>
      <DataGrid
        apiRef={api}
        nonce={nonce}
        aria-label={props.label}
        rows={rows as readonly object[]}
        columns={gridColumns}
        rowHeight={rowHeights[state.density]}
        columnHeaderHeight={headerHeight}
        paginationMode="server"
        rowCount={rows.length}
        paginationModel={onePage}
        sortingMode="server"
        sortModel={sortModel}
        {...handlers}
        checkboxColDef={checkboxColumn}
        checkboxSelection={props.selection !== undefined}
        keepNonExistentRowsSelected
        disableRowSelectionExcludeModel
        disableRowSelectionOnClick
        disableColumnMenu
        disableColumnFilter
        disableColumnSelector
        disableDensitySelector
        disableEval
        hideFooter
        getRowClassName={getRowClassName}
        sx={gridStyles}
      />
    </Box>
  );
}

/** True for clicks on a link, button or checkbox of the row, and while text is selected. */
function isOnControl(event: { target: EventTarget }): boolean {
  const hasMarked = (window.getSelection()?.toString().length ?? 0) > 0;
  return hasMarked || (event.target instanceof Element && event.target.closest('a, button, input') !== null);
}

type Latest<Row> = RefObject<Props<Row>>;
type GridApi = ReturnType<typeof useGridApiRef>;

function useGridHandlers<Row>(latest: Latest<Row>) {
  return useMemo((): Partial<DataGridProps> => {
    const byId = (id: RowId) => latest.current.rows.find((row) => latest.current.rowId(row) === id);
    /** Arrow keys move an open preview along. */
    const previewNeighbour = (row: Row, key: string) => {
      const { rows, detail } = latest.current;
      const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
      const next = step && detail?.preview !== undefined ? rows[rows.indexOf(row) + step] : undefined;
      if (next !== undefined) detail?.onPreview?.(next);
    };
    return {
      getRowId: (row) => latest.current.rowId(row as Row),
      onSortModelChange: ([first]) => {
        const { columns, sorting } = latest.current;
        const sort = columns.find((column) => column.id === first?.field)?.sort;
        if (sort && first?.sort) sorting?.onChange(sort, first.sort);
      },
      onColumnWidthChange: ({ colDef, width }) => {
        const { state, onState } = latest.current;
        onState({ ...state, widths: { ...state.widths, [colDef.field]: Math.round(width) } });
      },
      onRowClick: ({ id }, event) => {
        const row = byId(id);
        if (row !== undefined && !isOnControl(event)) latest.current.detail?.onPreview?.(row);
      },
      onCellKeyDown: (cell, event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || cell.field === '__check__') return;
        const row = byId(cell.id);
        if (row === undefined) return;
        const { onOpen, onPreview } = latest.current.detail ?? {};
        if (event.key === 'Enter' && onOpen) onOpen(row);
        else if (event.key === ' ' && !event.shiftKey && onPreview) onPreview(row);
        else return previewNeighbour(row, event.key);
        event.preventDefault();
        event.defaultMuiPrevented = true;
      },
      onRowSelectionModelChange: ({ ids }) => {
        const { selection } = latest.current;
        if (selection && !isSame(ids, selection.ids)) selection.choose(ids);
      },
    };
  }, [latest]);
}

const isSame = (a: ReadonlySet<RowId>, b: ReadonlySet<RowId>) => a.size === b.size && [...a].every((id) => b.has(id));

/** The list's selection in the grid, which has changed its own already where it was clicked. */
function useGridSelection<Row>(api: GridApi, latest: Latest<Row>): void {
  useLayoutEffect(() => {
    const { selection } = latest.current;
    const grid = api.current;
    if (!selection || !grid || isSame(grid.state.rowSelection.ids, selection.ids)) return;
    grid.setRowSelectionModel({ type: 'include', ids: new Set(selection.ids) });
  });
}

/** Another function where the rows have to be rendered again: fresh rows, or other cells in the same columns. */
function useRowClasses<Row>(latest: Latest<Row>): NonNullable<DataGridProps['getRowClassName']> {
  const { columns, rows, rowId, isFresh } = latest.current;
  const fresh = isFresh ? rows.filter(isFresh).map(rowId).join() : '';
  const shown = useRef(columns);
  if (columns.length !== shown.current.length || columns.some((column, at) => column !== shown.current[at]))
    shown.current = columns;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  return useMemo(
    () =>
      ({ row }) =>
        latest.current.isFresh?.(row as Row) ? 'is-fresh' : '',
    [latest, fresh, shown.current],
  );
}

/** Focus by row, the focus on return to the list, and its release to other elements. */
function useGridFocus<Row>(api: GridApi, latest: Latest<Row>): void {
  const { handle, detail } = latest.current;
  const returnTo = detail?.returnTo;
  useImperativeHandle(handle, () => ({
    focusRow: (id) => {
      const { rows, columns } = latest.current;
      const field = api.current?.state.focus.cell?.field ?? columns[0]?.id;
      const rowIndex = rows.findIndex((row) => latest.current.rowId(row) === id);
      if (field === undefined || rowIndex < 0) return;
      api.current?.scrollToIndexes({ rowIndex });
      api.current?.setCellFocus(id, field);
    },
    focusedRow: () =>
      api.current?.rootElementRef?.current?.contains(document.activeElement) ? api.current.state.focus.cell?.id : undefined,
  }));

  useEffect(() => {
    if (returnTo === undefined) return;
    // The grid has its rows only after its own first effect.
    const timer = setTimeout(() => {
      // Arriving rows must not take the focus from an input.
      if (!document.activeElement?.closest('input, textarea, select, [role=dialog]')) handle.current?.focusRow(returnTo);
    });
    return () => clearTimeout(timer);
  }, [returnTo, handle]);

  // The grid resets its focused cell only on pointer leave; with new rows it would take the focus back from the search field.
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const grid = api.current;
      if (!grid?.state.focus.cell || !(target instanceof Node) || grid.rootElementRef?.current?.contains(target)) return;
      grid.setState((state) => ({ ...state, focus: { ...state.focus, cell: null } }));
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, [api]);
}

/** Columns of the grid. */
function useGridColumns<Row>(latest: Latest<Row>): GridColDef[] {
  const { columns, state } = latest.current;
  // The cells read the columns' functions through `latest`, so that a new closure does not reset the grid's columns.
  const shape = columns.map((column) => `${column.id}:${state.widths[column.id] ?? ''}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for columns and state.
  return useMemo(
    () =>
      columns.map((column): GridColDef => {
        const own = state.widths[column.id];
        return {
          field: column.id,
          headerName: column.header,
          minWidth: own ? minWidth : column.flex ? (column.width ?? 120) : minWidth,
          maxWidth,
          ...(own ? { width: own } : column.flex ? { flex: column.flex } : { width: column.width ?? 120 }),
          ...(column.align ? { align: column.align, headerAlign: column.align } : {}),
          sortable: column.sort !== undefined && latest.current.sorting !== undefined,
          sortingOrder: orders,
          renderCell: ({ row }) => latest.current.columns.find((each) => each.id === column.id)?.cell(row as Row),
        };
      }),
    [shape],
  );
}
