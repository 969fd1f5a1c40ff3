/**
 * Columns that fit the available width. Horizontal scrolling hides columns of any importance, so optional ones are dropped
 * first; columns that were shown or resized by the user always stay.
 */
import { isShown, type KnownColumn, type TableState } from './tableState.ts';

export interface SizedColumn extends KnownColumn {
  width?: number;
  /** px that it should have before columns that can be missed get any; at least its width. */
  minWidth?: number;
  /** May be left out where there is no room; the highest goes first. */
  hidePriority?: number;
}

export const defaultWidth = 120;

export const widthOf = (column: SizedColumn, state: TableState) => state.widths[column.id] ?? column.width ?? defaultWidth;

/** The shown columns that fit into `room` px, in their order. */
export function fitting<C extends SizedColumn>(columns: readonly C[], state: TableState, room: number): C[] {
  const shown = columns.filter((column) => isShown(state, column));
  const expendable = shown
    .filter((column) => column.hidePriority !== undefined && state.shown[column.id] !== true)
    .sort((a, b) => (b.hidePriority ?? 0) - (a.hidePriority ?? 0));
  let needed = shown.reduce(
    (sum, column) => sum + Math.max(widthOf(column, state), state.widths[column.id] ? 0 : (column.minWidth ?? 0)),
    0,
  );
  const left = new Set<C>();
  for (const column of expendable) {
    if (needed <= room) break;
    left.add(column);
    needed -= widthOf(column, state);
  }
  return shown.filter((column) => !left.has(column));
}
