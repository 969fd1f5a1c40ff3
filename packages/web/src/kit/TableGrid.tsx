/** Rows as MUI X DataGrid, in a chunk of its own (about 130 KiB). At most 100 rows a page, the free grid's limit. */
import { DataGrid, type GridCellParams, type GridColDef, type MuiEvent, useGridApiRef } from '@mui/x-data-grid';
import { type KeyboardEvent, type RefObject, useEffect, useImperativeHandle, useMemo, useRef } from 'react';
import { gridIsShown } from './gridShown.ts';
import { nonce } from './nonce.ts';
import type { RowId } from './selection.ts';
import { gridStyles } from './table.styles.ts';
import type { DataTableProps, RowsHandle } from './table.ts';
import { headerHeight, maxWidth, minWidth, rowHeights, type TableState } from './tableState.ts';

interface Props<Row> extends DataTableProps<Row> {
  rows: readonly Row[];
  state: TableState;
  onState: (state: TableState) => void;
  handle: RefObject<RowsHandle | null>;
}

const orders = ['desc', 'asc'] as const;

export function TableGrid<Row>(props: Props<Row>) {
  const { columns, rows, rowId, state, selection, sorting, isFresh } = props;
  const { preview, onPreview, onOpen } = props.detail ?? {};
  const api = useGridApiRef();
  const latest = useRef(props);
  latest.current = props;

  useGridFocus(api, latest);
  useEffect(gridIsShown, []);
  const gridColumns = useGridColumns(latest);
  const byId = (id: RowId) => latest.current.rows.find((row) => rowId(row) === id);
  const sorted = sorting && columns.find((column) => column.sort === sorting.sort);

  const onCellKey = (cell: GridCellParams, event: MuiEvent<KeyboardEvent<HTMLElement>>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || cell.field === '__check__') return;
    const row = byId(cell.id);
    if (row === undefined) return;
    if (event.key === 'Enter' && onOpen) onOpen(row);
    else if (event.key === ' ' && !event.shiftKey && onPreview) onPreview(row);
    else return previewNeighbour(row, event.key);
    event.preventDefault();
    event.defaultMuiPrevented = true;
  };
  /** Arrow keys move an open preview along. */
  const previewNeighbour = (row: Row, key: string) => {
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const next = step && preview !== undefined ? rows[rows.indexOf(row) + step] : undefined;
    if (next !== undefined) onPreview?.(next);
  };

  return (
    <DataGrid
      apiRef={api}
      nonce={nonce}
      aria-label={props.label}
      rows={rows as readonly object[]}
      getRowId={rowId as (row: object) => RowId}
      columns={gridColumns}
      rowHeight={rowHeights[state.density]}
      columnHeaderHeight={headerHeight}
      paginationMode="server"
      rowCount={rows.length}
      paginationModel={{ page: 0, pageSize: 100 }}
      sortingMode="server"
      sortModel={sorted ? [{ field: sorted.id, sort: sorting.order }] : []}
      onSortModelChange={([first]) => {
        const sort = columns.find((column) => column.id === first?.field)?.sort;
        if (sort && first?.sort) sorting?.onChange(sort, first.sort);
      }}
      onColumnWidthChange={({ colDef, width }) =>
        props.onState({ ...state, widths: { ...state.widths, [colDef.field]: Math.round(width) } })
      }
      onRowClick={({ id }, event) => {
        const row = byId(id);
        if (row !== undefined && !isOnControl(event)) onPreview?.(row);
      }}
      onCellKeyDown={onCellKey}
      checkboxColDef={{ width: 40, minWidth: 40 }}
      checkboxSelection={selection !== undefined}
      keepNonExistentRowsSelected
      rowSelectionModel={{ type: 'include', ids: new Set(selection?.ids) }}
      onRowSelectionModelChange={(model) => selection?.choose(model.ids)}
      disableRowSelectionExcludeModel
      disableRowSelectionOnClick
      disableColumnMenu
      disableColumnFilter
      disableColumnSelector
      disableDensitySelector
      disableEval
      hideFooter
      getRowClassName={({ id, row }) => `${id === preview ? 'is-peeked' : ''} ${isFresh?.(row as Row) ? 'is-fresh' : ''}`}
      sx={gridStyles}
    />
  );
}

/** True for clicks on a link, button or checkbox of the row, and while text is selected. */
function isOnControl(event: { target: EventTarget }): boolean {
  const hasMarked = (window.getSelection()?.toString().length ?? 0) > 0;
  return hasMarked || (event.target instanceof Element && event.target.closest('a, button, input') !== null);
}

type Latest<Row> = RefObject<Props<Row>>;
type GridApi = ReturnType<typeof useGridApiRef>;

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
