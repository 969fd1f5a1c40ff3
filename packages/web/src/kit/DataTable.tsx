/**
 * A list whose pages and order come from the server; density and columns are stored per browser. Renders the frame, the states and the
 * keys. Rows are rendered by the grid, a separate chunk that loads beside the data, or as cards below 400 px. Rows stay on the screen
 * while a newer answer loads.
 */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { styled } from '@mui/material/styles';
import { Suspense, use, useRef, useState } from 'react';
import { useIsPainted } from './AfterPaint.tsx';
import { wasGridShown } from './gridShown.ts';
import { VerticalSplitRounded } from './icons/VerticalSplitRounded.tsx';
import { lazyPanel } from './LazyPanel.tsx';
import { fetchGrid, loadGrid } from './loadGrid.ts';
import { palette } from './palette.ts';
import { flexOf, RowsSkeleton } from './Skeletons.tsx';
import { FailedLine, FailedState } from './States.tsx';
import { CardsOrder, TableCards } from './TableCards.tsx';
import { Pager } from './TablePager.tsx';
import { TableView } from './TableView.tsx';
import type { Column, DataTableProps, RowsHandle } from './table.ts';
import { fitting } from './tableFit.ts';
import { headerHeight, hiddenOf, readState, rowHeights, type TableState, withHidden, writeState } from './tableState.ts';
import { useShortcuts } from './useShortcut.ts';
import { useFillHeight, useWidth } from './useSize.ts';

const TableGrid = lazyPanel('the table', () =>
  loadGrid().then((module) => module.TableGrid),
) as typeof import('./TableGrid.tsx').TableGrid;
/** Keeps the boundary's fallback, so that the grid replaces the same skeleton instead of a second one. */
const Unpainted = ({ wait }: { wait: Promise<never> }) => use(wait);
const cardsBelow = 400;
export const checkboxWidth = 40;
const Frame = styled('section')({
  display: 'flex',
  flexDirection: 'column',
  minWidth: 0,
  flex: 1,
  '&[data-split=true]': { flex: '1 1 42%' },
});
const Bar = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8, marginBottom: 8 });
const Sheet = styled('div')({
  position: 'relative',
  display: 'flex',
  flexDirection: 'column',
  minWidth: 0,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
});
const Heads = styled('div')({
  display: 'flex',
  alignItems: 'center',
  height: headerHeight,
  boxSizing: 'content-box',
  overflow: 'hidden',
  borderBottom: `1px solid ${palette.divider}`,
  fontSize: 12,
  fontWeight: 600,
  color: palette.text.secondary,
  '& > span': { padding: '0 10px', whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' },
});
/** Type as in the grid. */
const Skeleton = styled('div')({ fontSize: 13, fontVariantNumeric: 'tabular-nums' });
/** Reserved while the first page loads, so that nothing moves. */
const PagerPlace = styled('div')({ minHeight: 38 });
const Line = styled('div')({ padding: '6px 12px' });
const progress = { position: 'absolute', top: 0, left: 0, right: 0, height: 2, zIndex: 5 } as const;

/** j and k move by row, x selects, and the list's own keys act on the focused row. */
function useTableKeys<Row>({ rows, rowId, selection, detail, keys = {}, split }: DataTableProps<Row>) {
  const handle = useRef<RowsHandle>(null);
  const currentId = () => handle.current?.focusedRow() ?? detail?.preview;
  const current = () => {
    const id = currentId();
    return id === undefined ? undefined : rows?.find((row) => rowId(row) === id);
  };
  const move = (step: 1 | -1) => {
    if (!rows?.length) return;
    const at = rows.findIndex((row) => rowId(row) === currentId());
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    handle.current?.focusRow(rowId(next));
    if (detail?.preview !== undefined) detail.onPreview?.(next);
  };
  const toggle = () => {
    const row = current();
    if (row === undefined || !selection) return;
    const next = new Set(selection.ids);
    if (!next.delete(rowId(row))) next.add(rowId(row));
    selection.choose(next);
  };
  const toggleSplit = split?.toggle;
  const all: NonNullable<typeof keys> = { ...keys, ...(toggleSplit && { v: () => toggleSplit() }) };
  const own = Object.entries(all).map(([key, act]) => [key, () => act(current(), () => move(1))]);
  useShortcuts({ j: () => move(1), k: () => move(-1), x: toggle, ...Object.fromEntries(own) });
  return handle;
}

interface SkeletonProps<Row> {
  columns: readonly Column<Row>[];
  indent: number;
  height: number | undefined;
  rowHeight: number;
  /** Shown as text until the grid is built; bars without them. */
  rows?: readonly Row[] | undefined;
}

function TableSkeleton<Row>({ columns, indent, height = 460, rowHeight, rows }: SkeletonProps<Row>) {
  const room = Math.max(3, Math.floor((height - headerHeight) / rowHeight));
  return (
    <Skeleton inert={rows !== undefined} {...(rows && { 'aria-hidden': true, 'data-bone': true })}>
      <Heads aria-hidden style={{ paddingLeft: indent }}>
        {columns.map((column) => (
          <span key={column.id} style={{ flex: flexOf(column), minWidth: column.width ?? 120, textAlign: column.align }}>
            {column.header}
          </span>
        ))}
      </Heads>
      <RowsSkeleton
        indent={indent}
        columns={columns}
        rows={rows ? Math.min(rows.length, room + 1) : room}
        rowHeight={rowHeight}
        {...(rows && { cell: (row: number, column: number) => columns[column]!.cell(rows[row]!) })}
      />
    </Skeleton>
  );
}

/** State of the columns, and what fits into the room there is. */
function useTableLayout<Row>({ id, columns, selection, split }: DataTableProps<Row>) {
  const [state, setState] = useState(() => readState(id, columns));
  const frame = useRef<HTMLElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const indent = selection ? checkboxWidth : 0;
  const asCards = split?.isOn || (width !== undefined && width < cardsBelow);
  return {
    state,
    save: (next: TableState) => {
      setState(next);
      writeState(id, next);
    },
    frame,
    sheet,
    indent,
    isMeasured: width !== undefined,
    asCards,
    fitted: fitting(columns, state, (width ?? 0) - indent - 2),
    // Below it: the pager and the end of the page.
    height: useFillHeight(sheet, 380, state.density === 'compact' ? 48 : 64),
  };
}

/** Columns with the widths that a person gave them. */
const sized = <Row,>(columns: readonly Column<Row>[], { widths }: TableState): Column<Row>[] =>
  columns.map(({ flex, ...column }) => {
    const own = widths[column.id];
    return own ? { ...column, width: own } : { ...column, ...(flex && { flex }) };
  });

export function DataTable<Row>(props: DataTableProps<Row>) {
  useState(fetchGrid);
  const { label, rows, error, sorting, paging, columns, split } = props;
  const { state, save, frame, sheet, indent, isMeasured, asCards, fitted, height } = useTableLayout(props);
  const handle = useTableKeys(props);
  // The grid takes longer to build than the rest of a page: the page is painted first, also where the rows are cached.
  const isPainted = useIsPainted();
  const [wait] = useState(() => new Promise<never>(() => {}));
  const [isFirst] = useState(() => !wasGridShown());
  const retry = props.onRetry ? { onRetry: props.onRetry } : {};

  const body = () => {
    // The frame is measured before the paint, and rendered again then.
    if (!isMeasured) return null;
    const shape = { columns: sized(fitted, state), indent, height, rowHeight: rowHeights[state.density] };
    const skeleton = <TableSkeleton {...shape} rows={isFirst ? rows : undefined} />;
    if (rows === undefined) {
      if (error) return <FailedState what={label.toLowerCase()} error={error} {...retry} />;
      return asCards ? <RowsSkeleton columns={columns.slice(0, 1)} rows={10} rowHeight={76} /> : skeleton;
    }
    if (rows.length === 0) return props.empty;
    if (asCards) return <TableCards handle={handle} {...props} rows={rows} />;
    return (
      <Suspense fallback={skeleton}>
        {isPainted ? (
          <TableGrid handle={handle} {...props} columns={fitted} rows={rows} state={state} onState={save} />
        ) : (
          <Unpainted wait={wait} />
        )}
      </Suspense>
    );
  };

  return (
    <Frame
      ref={frame}
      className={`density-${state.density}`}
      data-split={split?.isOn}
      aria-label={label}
      aria-busy={props.isFetching || rows === undefined || !isPainted}
      aria-keyshortcuts={['j k x /', ...Object.keys(props.keys ?? {})].join(' ')}
    >
      <Bar>
        {props.toolbar}
        <span style={{ flex: 1 }} />
        {props.news}
        {asCards && sorting && <CardsOrder columns={columns} sorting={sorting} />}
        {props.views?.({
          hidden: hiddenOf(state, columns),
          onHidden: (hidden) => save(withHidden(state, columns, hidden)),
        })}
        {split?.toggle && (
          <Button
            size="small"
            color={split.isOn ? 'primary' : 'inherit'}
            startIcon={<VerticalSplitRounded />}
            aria-pressed={split.isOn}
            aria-keyshortcuts="v"
            onClick={split.toggle}
            sx={{ height: 32, px: 1.25, '&:not([aria-pressed=true])': { color: 'text.secondary' } }}
          >
            Split view
          </Button>
        )}
        {!asCards && <TableView columns={columns} fitted={fitted} state={state} onState={save} />}
      </Bar>
      <Sheet
        ref={sheet}
        style={asCards ? (split?.isOn ? { maxHeight: height, overflowY: 'auto' } : undefined) : { maxHeight: height }}
      >
        {props.isFetching && rows !== undefined && <LinearProgress aria-hidden sx={progress} />}
        {rows !== undefined && error ? (
          <Line>
            <FailedLine what={`newer ${label.toLowerCase()}`} error={error} {...retry} />
          </Line>
        ) : null}
        {body()}
      </Sheet>
      <PagerPlace>
        {'pager' in paging ? paging.pager : rows !== undefined && paging.total > 0 && <Pager {...paging} shown={rows.length} />}
      </PagerPlace>
    </Frame>
  );
}
