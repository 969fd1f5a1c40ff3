/** The selection of a list; see `selection.ts`. An action takes `rows`, or, when `isAll`, the list's own filter. */
import { useEffect, useMemo, useState } from 'react';
import { chosen, nothingOf, type RowId, renewed, type Selection } from './selection.ts';

interface List<Row> {
  /** Owner of the rows: the selection of another subject is empty. */
  subject: string | number;
  /** The filter as a text: "all" holds as long as it stays. */
  filter: string;
  /** Rows of this page; the same array until new data arrives. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => RowId;
  /** The most single rows that one action takes. */
  most?: number;
}

export interface RowSelection<Row> {
  /** Ids that the table marks as selected. */
  ids: ReadonlySet<RowId>;
  /** The selected rows of all pages; with `isAll` only this page's. */
  rows: readonly Row[];
  isAll: boolean;
  choose: (ids: ReadonlySet<RowId>) => void;
  chooseAll: () => void;
  clear: () => void;
}

const noRows: readonly never[] = [];

export function useRowSelection<Row>({ subject, filter, rows = noRows, rowId, most = 1000 }: List<Row>): RowSelection<Row> {
  const name = String(subject);
  const [current, setCurrent] = useState<Selection<Row>>(() => nothingOf(name));
  const isGone = current.subject !== name || (current.allOf !== undefined && current.allOf !== filter);
  const selection = useMemo(() => (isGone ? nothingOf<Row>(name) : current), [isGone, current, name]);
  const isAll = selection.allOf !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is the same for the same list.
  useEffect(() => setCurrent((old) => renewed(old, { rows, rowId })), [rows]);
  const shown = useMemo(() => (isAll ? rows : [...selection.rows.values()]), [isAll, rows, selection]);
  return {
    // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
    ids: useMemo(() => new Set(shown.map(rowId)), [shown]),
    rows: shown,
    isAll,
    choose: (ids) => setCurrent(chosen(selection, ids, { rows, rowId, most }, isAll)),
    chooseAll: () => setCurrent({ ...nothingOf<Row>(name), allOf: filter }),
    clear: () => setCurrent(nothingOf(name)),
  };
}
