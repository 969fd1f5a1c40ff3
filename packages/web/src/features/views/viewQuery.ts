/**
 * A saved view is the part of a list's address that says what is looked for: filters and order. Where one is in it (page, side panel) and
 * what the whole portal looks at (client, timeframe) are not part of it: a view is applied to those. Stored queries were written by
 * people and by older versions: they pass through the list's own reading of its address like everything that is typed there.
 */
import { parseSearch, type Search } from '../../lib/address.ts';
import { withQuery } from '../../lib/paths.ts';

/** Where one is in the list. */
const places = ['page', 'before', 'beforeID', 'peek'];
const notOfView = new Set([...places, 'client', 'timeframe', 'on']);
const longest = 2000;

/** The view's query of an address, in one order, so that the same view is the same text. Too long for a view: undefined. */
export function viewQueryOf(search: Search): string | undefined {
  const parts = Object.entries(search)
    .filter(([name, value]) => !notOfView.has(name) && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = withQuery('', Object.fromEntries(parts)).slice(1);
  return text.length <= longest ? text : undefined;
}

/** What changes in the address when a view is applied: its parts come, those of the present view go. */
export function viewChange(search: Search, query: string): Record<string, string | undefined> {
  const gone = Object.keys(search).filter((name) => places.includes(name) || !notOfView.has(name));
  const come = Object.entries(parseSearch(query)).filter(([name]) => !notOfView.has(name));
  return { ...Object.fromEntries(gone.map((name) => [name, undefined])), ...Object.fromEntries(come) };
}

/** Whether the list shows this view now. */
export const isShownNow = (view: { query: string; columns: readonly string[] }, search: Search, hidden: readonly string[]) =>
  viewQueryOf(parseSearch(view.query)) === viewQueryOf(search) &&
  view.columns.length === hidden.length &&
  view.columns.every((column) => hidden.includes(column));
