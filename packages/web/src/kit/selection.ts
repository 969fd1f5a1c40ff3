/**
 * Selection of a list. Rows stay selected over pages and filters. "All" stands for a filter instead of rows, so that 40,000 rows
 * need not be loaded; the action receives the filter. Another subject (another client) resets it.
 */
export type RowId = number | string;

export interface Selection<Row> {
  /** Owner of the rows: the selection of another subject is empty. */
  subject: string;
  rows: ReadonlyMap<RowId, Row>;
  /** The filter whose rows are all selected, on every page. */
  allOf?: string;
}

export interface Page<Row> {
  rows: readonly Row[];
  rowId: (row: Row) => RowId;
  /** At most so many single rows. */
  most: number;
}

export const nothingOf = <Row>(subject: string): Selection<Row> => ({ subject, rows: new Map() });

/** Selection of this page merged with that of others. Nothing is added beyond the limit. */
export function chosen<Row>(
  old: Selection<Row>,
  ids: ReadonlySet<RowId>,
  { rows, rowId, most }: Page<Row>,
  isAll: boolean,
): Selection<Row> {
  // Taking one away from "all" leaves the rest of this page: what stands on other pages was never loaded.
  const next = new Map(isAll ? [] : [...old.rows].filter(([id]) => ids.has(id)));
  for (const row of rows) if (ids.has(rowId(row)) && (next.has(rowId(row)) || next.size < most)) next.set(rowId(row), row);
  return { subject: old.subject, rows: next };
}

/** Replaces selected rows by their reloaded versions; returns the same object when none changed. */
export function renewed<Row>(old: Selection<Row>, { rows, rowId }: Pick<Page<Row>, 'rows' | 'rowId'>): Selection<Row> {
  const fresh = rows.filter((row) => old.rows.has(rowId(row)) && old.rows.get(rowId(row)) !== row);
  return fresh.length === 0 ? old : { ...old, rows: new Map([...old.rows, ...fresh.map((row) => [rowId(row), row] as const)]) };
}
