/** Sensitive views that were opened on the shown page, for whose reason the shell prompts (docs/decisions/0094-access-log.md). */
import type { SensitiveView } from '@parapet/contract/rules/client-access-log.ts';
import { createStore } from './store.ts';

export interface OpenedView {
  view: SensitiveView;
  /** Page. */
  path: string;
}

export const openedViews = createStore<readonly OpenedView[]>([]);

/** Keeps the views of one page. */
export function noteSensitive(view: SensitiveView, path = location.pathname): void {
  const before = openedViews.get().filter((opened) => opened.path === path && opened.view !== view);
  openedViews.set([...before, { view, path }]);
}
