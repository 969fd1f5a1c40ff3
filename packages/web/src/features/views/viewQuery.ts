/**
 * Query of a saved view: the filters and order of a list’s address. Position (page, side panel), client and timeframe are excluded; a view
 * applies to the current ones. Stored queries are untrusted: the list validates them like any typed address.
 */
import { parseSearch, type Search } from '../../lib/address.ts';
import { withQuery } from '../../lib/paths.ts';

/** Position in the list. */
const positions = ['page', 'before', 'beforeID', 'peek'];
const notOfView = new Set([...positions, 'client', 'timeframe', 'on']);
const maxLength = 2000;

/** View query of an address with sorted parameters, so that equal views are equal texts; undefined when too long to store. */
export function viewQueryOf(search: Search): string | undefined {
  const parts = Object.entries(search)
    .filter(([name, value]) => !notOfView.has(name) && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = withQuery('', Object.fromEntries(parts)).slice(1);
  return text.length <= maxLength ? text : undefined;
}

/** Address change that applies a view: sets its parameters, removes those of the current view. */
export function viewChange(search: Search, query: string): Record<string, string | undefined> {
  const gone = Object.keys(search).filter((name) => positions.includes(name) || !notOfView.has(name));
  const come = Object.entries(parseSearch(query)).filter(([name]) => !notOfView.has(name));
  return { ...Object.fromEntries(gone.map((name) => [name, undefined])), ...Object.fromEntries(come) };
}

/** True when the list shows exactly this view. */
export const isShownNow = (view: { query: string; columns: readonly string[] }, search: Search, hidden: readonly string[]) =>
  viewQueryOf(parseSearch(view.query)) === viewQueryOf(search) &&
  view.columns.length === hidden.length &&
  view.columns.every((column) => hidden.includes(column));
