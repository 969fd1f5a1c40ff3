/** Code of the grid, a chunk of its own: 127 KiB that only lists need. */
export const loadGrid = () => import('./TableGrid.tsx');

/** Beside a list's first rows; narrow screens show cards instead. */
export const preloadGrid = (): void => {
  if (matchMedia('(min-width: 700px)').matches) loadGrid().catch(() => {});
};
