/** Applies fresh rows to the visible list, as pure steps: rows update in place, nothing moves. */
import type { CaseRow } from '@parapet/contract/caseList.ts';

/** Replaces rows by newer versions. Returns the same array when nothing changed, so that nothing is rendered again. */
export function renewedRows(rows: readonly CaseRow[], fresh: readonly CaseRow[]): readonly CaseRow[] {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  let isChanged = false;
  const next = rows.map((row) => {
    const newer = byId.get(row.id);
    if (!newer || newer.version < row.version) return row;
    isChanged = true;
    return newer;
  });
  return isChanged ? next : rows;
}

/** Ids of newly opened cases that match the list and were not seen yet. */
export const newInList = (opened: ReadonlySet<number>, list: readonly CaseRow[], known: ReadonlySet<number>): number[] =>
  list.filter((row) => opened.has(row.id) && !known.has(row.id)).map((row) => row.id);
