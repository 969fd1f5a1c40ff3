/** What fresh rows mean for the list on the screen, as pure steps: rows are renewed where they stand, nothing moves. */
import type { CaseRow } from '@parapet/contract/caseList.ts';

/** Newer rows in the place of their older selves; the same array when nothing changed, so that nothing is drawn again. */
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

/** Of the cases that were opened just now, those that belong into the list and nobody here has seen. */
export const newInList = (opened: ReadonlySet<number>, list: readonly CaseRow[], known: ReadonlySet<number>): number[] =>
  list.filter((row) => opened.has(row.id) && !known.has(row.id)).map((row) => row.id);
