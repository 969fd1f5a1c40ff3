/** Types of DataTable, shared by what draws it. */
import type { ReactNode } from 'react';
import type { RowId } from './selection.ts';
import type { Split } from './useSplit.ts';

export type Order = 'asc' | 'desc';

export interface Column<Row> {
  id: string;
  header: string;
  /** px; with `flex` the minimum width. */
  width?: number;
  flex?: number;
  /** px reserved before optional columns are shown. */
  minWidth?: number;
  align?: 'right';
  /** The API's name for this order; without it the column cannot be sorted. */
  sort?: string;
  /** Columns that may be dropped for lack of room; the highest goes first. */
  hidePriority?: number;
  /** Hidden by default. */
  isHidden?: boolean;
  /** Can never be hidden. */
  isFixed?: boolean;
  /** Links inside need tabIndex −1: the grid moves by arrow keys, Enter opens. Above it stands the class density-compact or -standard. */
  cell: (row: Row) => ReactNode;
}

/** Focus by row, implemented by grid and cards. */
export interface RowsHandle {
  focusRow: (id: RowId) => void;
  focusedRow: () => RowId | undefined;
}

/** Rows stay selected over pages; `useRowSelection` provides both. */
export interface TableSelection {
  ids: ReadonlySet<RowId>;
  choose: (ids: ReadonlySet<RowId>) => void;
}

export interface TablePaging {
  page: number;
  pageSize: number;
  total: number;
  /** The total is a lower bound. */
  isAtLeast?: boolean;
  onChange: (page: number, pageSize: number) => void;
}

export interface TableSorting {
  sort: string;
  order: Order;
  onChange: (sort: string, order: Order) => void;
}

/** Targets of a row: preview and page. */
export interface TableDetail<Row> {
  /** The row in the side panel. */
  preview?: RowId | undefined;
  onPreview?: (row: Row) => void;
  onOpen?: (row: Row) => void;
  /** The row that was opened from this list: it gets the focus when the list comes back. */
  returnTo?: RowId | undefined;
}

export interface DataTableProps<Row> {
  /** Storage key of widths, density and hidden columns. */
  id: string;
  /** Accessible name: "Alerts". */
  label: string;
  columns: readonly Column<Row>[];
  /** undefined until the first page has loaded. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => RowId;
  card: (row: Row) => ReactNode;
  /** Page numbers, or another pager for lists that are read by cursor. */
  paging: TablePaging | { pager: ReactNode };
  selection?: TableSelection | undefined;
  /** Absent where the order is fixed. */
  sorting?: TableSorting | undefined;
  detail?: TableDetail<Row>;
  /** A newer answer is loading; the rows stay. */
  isFetching?: boolean;
  error?: unknown;
  onRetry?: () => void;
  /** Shown when there are no rows. */
  empty: ReactNode;
  /** Above the list, on the left: search, filters. */
  toolbar?: ReactNode;
  /** Above the list, on the right: new rows, selection. Its appearance does not move the list. */
  news?: ReactNode;
  /** Saved views: they store and restore hidden columns. */
  views?: ((look: { hidden: readonly string[]; onHidden: (hidden: readonly string[]) => void }) => ReactNode) | undefined;
  /** Rows that arrived during this visit. */
  isFresh?: (row: Row) => boolean;
  /** Single keys that act on the focused row (undefined on none); `next` moves to the row below. */
  keys?: Record<string, (row: Row | undefined, next: () => void) => void>;
  /** Split view of the list, if it has one. */
  split?: Split | undefined;
}
