/**
 * The list of the product: pages and order come from the server, look and columns are the reader's and kept. It draws the frame, the
 * states and the keys; the rows themselves are drawn by the grid, a chunk of its own that loads beside the data, or, where there is
 * no room for columns, as cards. What is on the screen stays while something newer loads.
 */
import LinearProgress from '@mui/material/LinearProgress';
import { styled } from '@mui/material/styles';
import { lazy, type ReactNode, Suspense, useDeferredValue, useRef, useState } from 'react';
import { RowsSkeleton } from './Skeletons.tsx';
import { FailedLine, FailedState } from './States.tsx';
import type { RowId } from './selection.ts';
import { CardsOrder, TableCards } from './TableCards.tsx';
import { Pager } from './TablePager.tsx';
import { TableView } from './TableView.tsx';
import { fitting } from './tableFit.ts';
import { headerHeight, hiddenOf, readState, rowHeights, type TableState, withHidden, writeState } from './tableState.ts';
import { useShortcuts } from './useShortcut.ts';
import { useFillHeight, useWidth } from './useSize.ts';

const loadGrid = () => import('./TableGrid.tsx');
// On its way before there are rows: on narrow screens they are cards.
if (typeof matchMedia === 'function' && matchMedia('(min-width: 700px)').matches) void loadGrid();
const TableGrid = lazy(() =>
  loadGrid().then((module) => ({ default: module.TableGrid })),
) as typeof import('./TableGrid.tsx').TableGrid;

export type Order = 'asc' | 'desc';

export interface Column<Row> {
  id: string;
  header: string;
  /** px; with `flex` the least width. */
  width?: number;
  flex?: number;
  /** px that it should have before columns that can be missed are shown. */
  wish?: number;
  align?: 'right';
  /** The server's name for this order; without it the column cannot be sorted. */
  sort?: string;
  /** Left out where there is no room; the highest goes first. */
  hidePriority?: number;
  /** Hidden until somebody shows it. */
  isHidden?: boolean;
  /** Can never be hidden. */
  isFixed?: boolean;
  /** Links inside need tabIndex −1: the grid moves by arrow keys, Enter opens. Above it stands the class density-compact or -standard. */
  cell: (row: Row) => ReactNode;
}

/** What the keys need from whatever draws the rows. */
export interface RowsHandle {
  focusRow: (id: RowId) => void;
  focusedRow: () => RowId | undefined;
}

const cardsBelow = 400;
export const checkboxWidth = 40;

export interface DataTableProps<Row> {
  /** Names what is kept in the browser. */
  id: string;
  /** For people: "Alerts". */
  label: string;
  columns: readonly Column<Row>[];
  /** undefined until the first page is here. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => RowId;
  card: (row: Row) => ReactNode;
  total: number;
  isTotalAtLeast?: boolean;
  page: number;
  pageSize: number;
  onPage: (page: number, pageSize: number) => void;
  sort: string;
  order: Order;
  onSort: (sort: string, order: Order) => void;
  /** Something newer is on its way; the rows stay. */
  isFetching?: boolean;
  error?: unknown;
  onRetry?: () => void;
  /** In place of no rows: why, and what next. */
  empty: ReactNode;
  /** Left above the list: search, filters. */
  toolbar?: ReactNode;
  /** In the same line: "12 new", what can be done with the selection. Its coming does not move the list. */
  news?: ReactNode;
  /** Saved views: they keep and set which columns are hidden, and the filters by the address. */
  views?: (look: { hidden: readonly string[]; onHidden: (hidden: readonly string[]) => void }) => ReactNode;
  selected?: ReadonlySet<RowId>;
  onSelect?: (selected: ReadonlySet<RowId>) => void;
  /** The row in the side panel. */
  peeked?: RowId | undefined;
  onPreview?: (row: Row) => void;
  onOpen?: (row: Row) => void;
  /** The row to stand on when the list comes back: the one that was opened from it. */
  returnTo?: RowId | undefined;
  /** In place of the pages, where rows are gone through in another way. */
  pager?: ReactNode;
  /** Rows that nobody has looked at yet. */
  isFresh?: (row: Row) => boolean;
  /** Single keys that do something with the row one stands on; undefined on none. */
  keys?: Record<string, (row: Row | undefined) => void>;
}

const Frame = styled('section')({ display: 'flex', flexDirection: 'column', minWidth: 0, flex: 1 });
const Bar = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8, marginBottom: 8 });
const Sheet = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    position: 'relative',
    display: 'flex',
    flexDirection: 'column',
    minWidth: 0,
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    overflow: 'hidden',
    backgroundColor: palette.background.paper,
  };
});
const Heads = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'flex',
    alignItems: 'center',
    height: headerHeight,
    overflow: 'hidden',
    borderBottom: `1px solid ${palette.divider}`,
    fontSize: 12,
    fontWeight: 600,
    color: palette.text.secondary,
    '& > span': { padding: '0 10px', whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' },
  };
});
/** Kept free while the first page loads, so that nothing moves when it comes. */
const PagerPlace = styled('div')({ minHeight: 38 });
const Line = styled('div')({ padding: '6px 12px' });
const progress = { position: 'absolute', top: 0, left: 0, right: 0, height: 2, zIndex: 5 } as const;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { id, label, rows, rowId, total, page, pageSize, error, selected, onSelect, peeked, onPreview } = props;
  const [state, setState] = useState(() => readState(id, props.columns));
  const keep = (next: TableState) => {
    setState(next);
    writeState(id, next);
  };
  const frame = useRef<HTMLElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const handle = useRef<RowsHandle>(null);
  const width = useWidth(frame);
  const columns = fitting(props.columns, state, (width ?? 0) - (selected ? checkboxWidth : 0) - 2);
  const asCards = width !== undefined && width < cardsBelow;
  const height = useFillHeight(sheet, 380);
  const rowHeight = rowHeights[state.density];
  // The grid takes longer to build than the rest of a page: the page is painted first, also where the rows are known already.
  const isPainted = useDeferredValue(true, false);
  if (!asCards && width !== undefined) void loadGrid();

  const move = (step: 1 | -1) => {
    if (!rows?.length) return;
    const from = handle.current?.focusedRow() ?? peeked;
    const at = rows.findIndex((row) => rowId(row) === from);
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    handle.current?.focusRow(rowId(next));
    if (peeked !== undefined) onPreview?.(next);
  };
  const toggle = () => {
    const current = handle.current?.focusedRow() ?? peeked;
    if (current === undefined || !selected || !onSelect || !rows?.some((row) => rowId(row) === current)) return;
    const next = new Set(selected);
    if (!next.delete(current)) next.add(current);
    onSelect(next);
  };
  const current = () => {
    const id = handle.current?.focusedRow() ?? peeked;
    return rows?.find((row) => rowId(row) === id);
  };
  const further = Object.entries(props.keys ?? {}).map(([key, act]) => [key, () => act(current())]);
  useShortcuts({ j: () => move(1), k: () => move(-1), x: toggle, ...Object.fromEntries(further) });

  const skeleton = (
    <>
      <Heads aria-hidden style={{ paddingLeft: selected ? checkboxWidth : 0 }}>
        {columns.map((column) => (
          <span
            key={column.id}
            style={{
              flex: column.flex ? `${column.flex} 1 ${column.width ?? 120}px` : `0 0 ${column.width ?? 120}px`,
              textAlign: column.align,
            }}
          >
            {column.header}
          </span>
        ))}
      </Heads>
      <RowsSkeleton
        indent={selected ? checkboxWidth : 0}
        columns={columns}
        rows={Math.max(3, Math.floor(((height ?? 460) - headerHeight) / rowHeight))}
        rowHeight={rowHeight}
      />
    </>
  );

  const body = () => {
    if (rows === undefined)
      return error ? (
        <FailedState what={label.toLowerCase()} error={error} {...optional(props.onRetry)} />
      ) : asCards ? (
        <RowsSkeleton columns={columns.slice(0, 1)} rows={10} rowHeight={76} />
      ) : (
        skeleton
      );
    if (rows.length === 0) return props.empty;
    if (asCards) return <TableCards handle={handle} {...props} rows={rows} />;
    if (!isPainted) return skeleton;
    return (
      <Suspense fallback={skeleton}>
        <TableGrid handle={handle} {...props} columns={columns} rows={rows} state={state} onState={keep} />
      </Suspense>
    );
  };

  return (
    <Frame
      ref={frame}
      className={`density-${state.density}`}
      aria-label={label}
      aria-busy={props.isFetching || rows === undefined}
      aria-keyshortcuts={['j k x /', ...Object.keys(props.keys ?? {})].join(' ')}
    >
      <Bar>
        {props.toolbar}
        <span style={{ flex: 1 }} />
        {props.news}
        {asCards && props.columns.some((column) => column.sort) && (
          <CardsOrder columns={props.columns} sort={props.sort} order={props.order} onSort={props.onSort} />
        )}
        {props.views?.({
          hidden: hiddenOf(state, props.columns),
          onHidden: (hidden) => keep(withHidden(state, props.columns, hidden)),
        })}
        {!asCards && <TableView columns={props.columns} fitted={columns} state={state} onState={keep} />}
      </Bar>
      <Sheet ref={sheet} style={asCards ? undefined : { maxHeight: height }}>
        {props.isFetching && rows !== undefined && <LinearProgress aria-hidden sx={progress} />}
        {rows !== undefined && error ? (
          <Line>
            <FailedLine what={`newer ${label.toLowerCase()}`} error={error} {...optional(props.onRetry)} />
          </Line>
        ) : null}
        {body()}
      </Sheet>
      <PagerPlace>
        {props.pager}
        {props.pager === undefined && rows !== undefined && total > 0 && (
          <Pager
            page={page}
            pageSize={pageSize}
            total={total}
            isAtLeast={props.isTotalAtLeast ?? false}
            shown={rows.length}
            onPage={props.onPage}
          />
        )}
      </PagerPlace>
    </Frame>
  );
}

const optional = (onRetry: (() => void) | undefined) => (onRetry ? { onRetry } : {});
