/**
 * Density, hidden columns and widths per table in the browser's storage, which other tabs, older versions and users write too:
 * invalid parts are ignored one by one, and a failing storage is no error.
 */

export type Density = 'compact' | 'standard';

/** px. Standard rows have room for two lines; the compact ones are for those who live in the list. */
export const rowHeights: Record<Density, number> = { compact: 26, standard: 44 };
export const headerHeight = 30;

export interface TableState {
  density: Density;
  /** Column → shown or hidden, where that differs from the column's own default. */
  shown: Record<string, boolean>;
  /** Column → width in px, of resized columns. */
  widths: Record<string, number>;
}

export interface KnownColumn {
  id: string;
  isHidden?: boolean;
  isFixed?: boolean;
}

export interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export const minWidth = 48;
export const maxWidth = 1200;
export const defaultState: TableState = { density: 'standard', shown: {}, widths: {} };
/** The density of tables for which none was chosen. */
let usualDensity: Density = 'standard';
export const setUsualDensity = (density: Density): void => {
  usualDensity = density;
};
const keyOf = (table: string) => `table:${table}`;

/** Stored state, limited to valid values for these columns. */
export function parseState(text: string | null, columns: readonly KnownColumn[]): TableState {
  const stored = objectOf(parse(text));
  const shown = objectOf(stored.shown);
  const widths = objectOf(stored.widths);
  const density = stored.density === 'compact' || stored.density === 'standard' ? stored.density : usualDensity;
  const state: TableState = { density, shown: {}, widths: {} };
  for (const column of columns) {
    const isShown = shown[column.id];
    if (typeof isShown === 'boolean' && !column.isFixed) state.shown[column.id] = isShown;
    const width = widths[column.id];
    if (typeof width === 'number' && Number.isFinite(width))
      state.widths[column.id] = Math.round(Math.min(maxWidth, Math.max(minWidth, width)));
  }
  return state;
}

export const isShown = (state: TableState, column: KnownColumn) => state.shown[column.id] ?? !column.isHidden;

/** The columns that do not show: what a saved view keeps. */
export const hiddenOf = (state: TableState, columns: readonly KnownColumn[]): string[] =>
  columns.filter((column) => !isShown(state, column)).map(({ id }) => id);

/** The same look with exactly these columns hidden; unknown names and columns that can never be hidden are passed over. */
export function withHidden(state: TableState, columns: readonly KnownColumn[], hidden: readonly string[]): TableState {
  const shown: Record<string, boolean> = {};
  for (const column of columns) {
    const isWanted = !hidden.includes(column.id);
    if (!column.isFixed && isWanted === Boolean(column.isHidden)) shown[column.id] = isWanted;
  }
  return { ...state, shown };
}

export function readState(table: string, columns: readonly KnownColumn[], storage = browserStorage()): TableState {
  try {
    return parseState(storage?.getItem(keyOf(table)) ?? null, columns);
  } catch {
    return parseState(null, columns);
  }
}

export function writeState(table: string, state: TableState, storage = browserStorage()): void {
  try {
    storage?.setItem(keyOf(table), JSON.stringify(state));
  } catch {
    // Full or forbidden: the choice then lasts as long as the page.
  }
}

function browserStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

function parse(text: string | null): unknown {
  if (!text || text.length > 20_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Own properties only: a key named __proto__ or constructor means nothing here. */
function objectOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.assign(Object.create(null) as Record<string, unknown>, value)
    : {};
}
