/** Starred pages (spec §2.2): ids of navigation items in `data.shortcuts`. Ids of unavailable pages are kept and not shown. */
export const maxShortcuts = 50;

/** Stars or unstars a page. Without room, ids of unavailable pages are dropped first; undefined when there are none. */
export function withStar(shortcuts: readonly string[], id: string, known: readonly string[]): string[] | undefined {
  if (shortcuts.includes(id)) return shortcuts.filter((each) => each !== id);
  if (shortcuts.length < maxShortcuts) return [...shortcuts, id];
  const stranger = shortcuts.find((each) => !known.includes(each));
  return stranger === undefined ? undefined : [...shortcuts.filter((each) => each !== stranger), id];
}

/** The starred ones of these pages, in the order of starring. */
export const starred = <Page extends { id: string }>(shortcuts: readonly string[], pages: readonly Page[]): Page[] =>
  [...new Set(shortcuts)].flatMap((id) => pages.find((page) => page.id === id) ?? []);
