/**
 * What is selected in a list, pure. Rows stay selected while pages are turned and filters change; "all" stands for a filter and not for
 * rows: nobody loads 40,000 of them to mark them, and the action is handed the filter. Another subject (another client) starts anew.
 */
export type RowId = number | string;

export interface Selection<Row> {
  /** Whose rows: another subject's selection is none. */
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

/** What was chosen on this page beside what is chosen on others. Beyond the limit nothing is added. */
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

/** Rows that were loaded anew, in place of their older selves; the same object when none was. */
export function renewed<Row>(old: Selection<Row>, { rows, rowId }: Pick<Page<Row>, 'rows' | 'rowId'>): Selection<Row> {
  const fresh = rows.filter((row) => old.rows.has(rowId(row)) && old.rows.get(rowId(row)) !== row);
  return fresh.length === 0 ? old : { ...old, rows: new Map([...old.rows, ...fresh.map((row) => [rowId(row), row] as const)]) };
}
